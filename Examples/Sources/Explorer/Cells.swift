import ExampleSupport
import SQLiteDriver

/// The greatest width of a value in columns of the terminal.
private let widthOfCell = 32

/// Formats a value: shortens long texts, shows the size and the first bytes of blobs, and makes values of different types look different.
func cell(_ statement: Statement, at index: Int) -> TextTable.Cell {
    switch statement.storage(at: index) {
    case .null:
        return TextTable.Cell("NULL")
    case .integer:
        return TextTable.Cell("\(statement.int64(at: index) ?? 0)", isRightAligned: true)
    case .real:
        return TextTable.Cell("\(statement.double(at: index) ?? 0)", isRightAligned: true)
    case .text:
        // Read the bytes without copying: a text can be large, and little of it is shown.
        return TextTable.Cell(statement.withUnsafeBytes(at: index) { $0.map(text) ?? "" })
    case .blob:
        return TextTable.Cell(statement.withUnsafeBytes(at: index) { $0.map(blob) ?? "" })
    }
}

private func text(_ bytes: UnsafeRawBufferPointer) -> String {
    // These are more bytes than the shown characters can have, unless they have very many combining marks.
    let start = bytes.prefix(widthOfCell * 32)
    let text = String(decoding: start, as: UTF8.self)
    let visible = text.withoutControlCharacters
    let isLikeNumber = Double(text) != nil || text.first?.isNumber == true && text.contains(" byte")
    let isLikeNothing = text.isEmpty || text == "NULL" || text.first == " " || text.last == " " || text.first == "'"
    if isLikeNumber || isLikeNothing {
        return "'" + visible.shortened(toWidth: widthOfCell - 2) + "'"
    }
    return start.count < bytes.count ? (visible + "…").shortened(toWidth: widthOfCell) : visible.shortened(toWidth: widthOfCell)
}

private func blob(_ bytes: UnsafeRawBufferPointer) -> String {
    let digits = bytes.prefix(4).map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
    let size = bytes.count == 1 ? "1 byte" : "\(bytes.count) bytes"
    let start = digits.isEmpty ? "" : ": " + digits.joined(separator: " ") + (bytes.count > 4 ? " …" : "")
    return size + start
}

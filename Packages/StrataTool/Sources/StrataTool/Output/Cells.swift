import Foundation
import Strata

/// The greatest width of a value in columns of the terminal.
private let widthOfCell = 32

/// Formats a value: shortens long strings, shows blobs of 16 bytes that look like UUIDs as such, shows the size and the first bytes of other
/// blobs, and makes values of different types look different.
func cell(_ statement: Statement, at index: Int) -> TextTable.Cell {
    switch statement.storage(at: index) {
    case .null:
        return TextTable.Cell("NULL")
    case .integer:
        return TextTable.Cell("\(statement.int64(at: index) ?? 0)", isRightAligned: true)
    case .real:
        return TextTable.Cell("\(statement.double(at: index) ?? 0)", isRightAligned: true)
    case .text:
        return TextTable.Cell(text(statement.string(at: index) ?? ""))
    case .blob:
        return TextTable.Cell(blob(statement.data(at: index) ?? Data()))
    }
}

private func text(_ whole: String) -> String {
    // More characters than are shown, unless they have no width.
    let text = String(whole.prefix(widthOfCell * 4))
    let visible = text.withoutControlCharacters
    // A UUID without quotes is a blob.
    let isLikeBlob = text.utf8.count == 36 && UUID(uuidString: text) != nil
    let isLikeNumber = Double(text) != nil || text.first?.isNumber == true && text.contains(" byte")
    let isLikeNothing = text.isEmpty || text == "NULL" || text.first == " " || text.last == " " || text.first == "'"
    if isLikeNumber || isLikeNothing || isLikeBlob {
        return "'" + visible.truncated(toWidth: isLikeBlob ? visible.utf8.count : widthOfCell - 2) + "'"
    }
    return text.utf8.count < whole.utf8.count ? (visible + "…").truncated(toWidth: widthOfCell) : visible.truncated(toWidth: widthOfCell)
}

private func blob(_ bytes: Data) -> String {
    if let uuid = bytes.likelyUUID { return uuid }
    let digits = bytes.prefix(4).map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
    let size = bytes.count.counted("byte")
    let start = digits.isEmpty ? "" : ": " + digits.joined(separator: " ") + (bytes.count > 4 ? " …" : "")
    return size + start
}

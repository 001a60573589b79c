import Foundation
import QueryInterface

/// A text, and the ranges in it that match a pattern.
///
/// ```swift
/// let title = try Document.matching("swift")
///     .select(Column("title").highlighted, as: HighlightedText.self)
///     .fetchOne(db)!
/// title.text                                  // "About Swift"
/// title.ranges.map { title.text[$0] }         // ["Swift"]
/// title.marked(open: "<b>", close: "</b>")    // "About <b>Swift</b>"
/// ```
///
/// No character of the text is mistaken for a mark: SQLite marks the ranges with bytes that never occur in UTF-8.
public struct HighlightedText: Hashable, Sendable {
    /// The text.
    public let text: String

    /// The ranges that match the pattern, in their order, as offsets in the UTF-8 representation of the text.
    public let utf8Ranges: [Range<Int>]

    /// Creates a value.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - utf8Ranges: ranges in the UTF-8 representation of the text, in ascending order.
    public init(text: String, utf8Ranges: [Range<Int>] = []) {
        self.text = text
        self.utf8Ranges = utf8Ranges
    }

    /// The ranges that match the pattern, in their order.
    public var ranges: [Range<String.Index>] {
        let utf8 = text.utf8
        func index(_ offset: Int) -> String.Index {
            utf8.index(utf8.startIndex, offsetBy: offset, limitedBy: utf8.endIndex) ?? utf8.endIndex
        }
        return utf8Ranges.map { index($0.lowerBound)..<index($0.upperBound) }
    }

    /// The text in pieces, alternating between matches and the text between them, none of them empty.
    public var pieces: [(text: Substring, isMatch: Bool)] {
        var pieces: [(text: Substring, isMatch: Bool)] = []
        var position = text.startIndex
        for range in ranges where range.lowerBound >= position {
            if position < range.lowerBound { pieces.append((text[position..<range.lowerBound], false)) }
            if !range.isEmpty { pieces.append((text[range], true)) }
            position = range.upperBound
        }
        if position < text.endIndex { pieces.append((text[position...], false)) }
        return pieces
    }

    /// Returns the text with marks around each match.
    ///
    /// - Parameters:
    ///   - open: the mark before each match.
    ///   - close: the mark after each match.
    ///   - escape: changes the text of matches and between them, for example to escape HTML.
    public func marked(open: String, close: String, escape: (Substring) -> String = { String($0) }) -> String {
        pieces.map { $0.isMatch ? open + escape($0.text) + close : escape($0.text) }.joined()
    }
}

extension HighlightedText: DatabaseValueConvertible {
    private static let openingByte: UInt8 = 0xFE
    private static let closingByte: UInt8 = 0xFF

    /// The bytes of the text, with marks around the ranges.
    public var databaseValue: DatabaseValue {
        var bytes: [UInt8] = []
        let utf8 = Array(text.utf8)
        var position = 0
        for range in utf8Ranges.map({ $0.clamped(to: 0..<utf8.count) }) where range.lowerBound >= position {
            bytes += utf8[position..<range.lowerBound] + [Self.openingByte] + utf8[range] + [Self.closingByte]
            position = range.upperBound
        }
        return Data(bytes + utf8[position...]).databaseValue
    }

    /// Returns the text and the ranges of a value that SQLite has marked.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> HighlightedText? {
        switch dbValue.storage {
        case .blob(let data): HighlightedText(markedBytes: data)
        case .string(let text): HighlightedText(text: text)
        default: nil
        }
    }

    private init(markedBytes: Data) {
        var text = ""
        var ranges: [Range<Int>] = []
        var start: Int?
        var rest = Array(markedBytes)[...]
        // Decoded piece by piece: repairing invalid UTF-8 changes the offsets.
        while let index = rest.firstIndex(where: { $0 == Self.openingByte || $0 == Self.closingByte }) {
            text += String(decoding: rest[..<index], as: UTF8.self)
            if rest[index] == Self.openingByte {
                start = start ?? text.utf8.count
            } else if let lower = start {
                ranges.append(lower..<text.utf8.count)
                start = nil
            }
            rest = rest[(index + 1)...]
        }
        text += String(decoding: rest, as: UTF8.self)
        if let start { ranges.append(start..<text.utf8.count) }
        self.init(text: text, utf8Ranges: ranges)
    }
}

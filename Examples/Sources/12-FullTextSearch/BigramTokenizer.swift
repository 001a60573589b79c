import Strata

/// Makes a token of each two consecutive characters of a word, for scripts without spaces.
final class BigramTokenizer: FTS5CustomTokenizer {
    static let name = "bigram"

    init(db: Database, arguments: [String]) throws {}

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        let text = String(decoding: UnsafeRawBufferPointer(start: pText, count: Int(nText)), as: UTF8.self)
        // If invalid UTF-8 was repaired, the offsets differ from the offsets of the bytes, but must be inside the text.
        func offset(_ index: String.Index) -> CInt { min(CInt(text.utf8.distance(from: text.startIndex, to: index)), nText) }
        for word in text.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
            var start = word.startIndex
            repeat {
                let end = word.index(start, offsetBy: 2, limitedBy: word.endIndex) ?? word.endIndex
                var token = word[start..<end].lowercased()
                let code = token.withUTF8 { bytes in
                    bytes.withMemoryRebound(to: CChar.self) {
                        tokenCallback(context, 0, $0.baseAddress, CInt($0.count), offset(start), offset(end))
                    }
                }
                // SQLite needs no further tokens.
                if code != 0 { return code }
                start = word.index(after: start)
            } while word.distance(from: start, to: word.endIndex) > 1
        }
        return 0
    }
}

extension String {
    /// The number of columns that the text occupies in a terminal.
    ///
    /// Source: <https://www.unicode.org/reports/tr11/>
    package var displayWidth: Int {
        if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return utf8.count }
        return reduce(0) { $0 + $1.displayWidth }
    }

    /// The text with a visible symbol in place of each control character.
    ///
    /// Also shows characters that change the direction of the text after them, which would break the frame of a table.
    var withVisibleControls: String {
        guard unicodeScalars.contains(where: { $0.isControl }) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0..<0x20: text.unicodeScalars.append(Unicode.Scalar(0x2400 + scalar.value)!)
            case 0x7F: text.unicodeScalars.append("\u{2421}")
            case _ where scalar.isControl: text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// The beginning of the text that takes at most this many columns, with "…" at its end if it was cut.
    package func truncated(toWidth limit: Int) -> String {
        guard displayWidth > limit else { return self }
        return prefix(ofWidth: limit - 1).withoutSpacesAtEnd + "…"
    }

    /// The text in lines that take at most this many columns. A line has at least one character.
    func lines(ofWidth limit: Int) -> [Substring] {
        guard displayWidth > limit else { return [self[...]] }
        var lines: [Substring] = []
        var rest = self[...]
        while !rest.isEmpty {
            let line = rest.prefix(max(1, String(rest).prefix(ofWidth: limit).count))
            lines.append(line)
            rest = rest[line.endIndex...]
        }
        return lines
    }

    private func prefix(ofWidth limit: Int) -> Substring {
        var width = 0
        let end = indices.first { index in
            width += self[index].displayWidth
            return width > limit
        }
        return self[..<(end ?? endIndex)]
    }
}

extension StringProtocol where SubSequence == Substring {
    var withoutSpacesAtEnd: Substring { self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)] }
}

extension Character {
    /// The number of columns of the character.
    ///
    /// An emoji occupies two columns, regardless of its number of scalars. In other characters, each scalar counts: terminals show the
    /// consonants of an Indic cluster side by side.
    fileprivate var displayWidth: Int {
        let scalars = unicodeScalars
        let first = scalars.first!
        if scalars.count > 1 {
            let isEmoji =
                first.properties.isEmojiPresentation
                || (first.properties.isEmoji && scalars.dropFirst().contains { $0 == "\u{FE0F}" || $0 == "\u{200D}" })
            if isEmoji { return 2 }
        }
        return scalars.reduce(0) { $0 + $1.displayWidth }
    }
}

extension Unicode.Scalar {
    fileprivate var displayWidth: Int {
        if value < 0x300 { return isControl || value == 0xAD ? 0 : 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator: return 0
        default: break
        }
        // The vowels and final consonants that follow the first consonant of a Hangul syllable.
        if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
        return properties.isEmojiPresentation || isWide ? 2 : 1
    }

    fileprivate var isControl: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Whether the scalar is "wide" or "fullwidth". Emoji are wide, too, but known to the standard library.
    private var isWide: Bool { value >= 0x1100 && Self.wideRanges.contains { $0.contains(value) } }

    /// The ranges of the properties W and F, without emoji. Unassigned scalars between the blocks of one script are included.
    ///
    /// Source: <https://www.unicode.org/Public/15.1.0/ucd/EastAsianWidth.txt>
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x2FFF, 0x3000...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
        0x16FE0...0x16FFF, 0x17000...0x18CFF, 0x18D00...0x18D8F, 0x1AFF0...0x1AFFF, 0x1B000...0x1B2FF, 0x1F200...0x1F2FF,
        0x20000...0x2FFFD, 0x30000...0x3FFFD,
    ]
}

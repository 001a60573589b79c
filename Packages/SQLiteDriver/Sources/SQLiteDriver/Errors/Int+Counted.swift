extension BinaryInteger {
    /// The number with a noun, for messages: `1.counted("column")` is "1 column", and `2.counted("column")` is "2 columns".
    package func counted(_ noun: String) -> String {
        self == 1 ? "1 \(noun)" : "\(self) \(noun)s"
    }
}

extension String {
    /// Creates a string from bytes, or nil if they are not valid UTF-8.
    ///
    /// The standard library's `init(validating:as:)` does the same, but requires macOS 15 or iOS 18.
    ///
    /// - Complexity: O(n) in the number of bytes.
    @inlinable
    package init?(validUTF8 bytes: some Collection<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        // Decoding replaces invalid bytes by U+FFFD, which changes them.
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}

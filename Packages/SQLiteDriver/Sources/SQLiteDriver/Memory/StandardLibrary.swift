// Small additions to the standard library.

extension BinaryInteger {
    /// The number with a noun, for messages: `1.counted("column")` is "1 column", and `2.counted("column")` is "2 columns".
    package func counted(_ noun: String) -> String {
        self == 1 ? "1 \(noun)" : "\(self) \(noun)s"
    }
}

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

extension Result where Failure == any Error {
    /// Returns the result of an asynchronous closure.
    static func awaiting(_ body: () async throws -> Success) async -> Self {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}

/// Returns a copy of a value with a change: `changed(self) { $0.key = key }`.
@inlinable
package func changed<Value>(_ value: Value, _ change: (inout Value) throws -> Void) rethrows -> Value {
    var copy = value
    try change(&copy)
    return copy
}

/// The address of a node: a numeric IPv4 address, and a port. dqlite neither resolves names nor supports IPv6.
struct NodeAddress: Hashable, Sendable, CustomStringConvertible {
    let host: SIMD4<UInt8>
    let port: UInt16

    /// Reads `a.b.c.d:port`.
    ///
    /// - Throws: ``ClusterError/invalidAddress(_:)``.
    init(_ text: String) throws {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts[0].split(separator: ".", omittingEmptySubsequences: false).map { part in
            part.allSatisfy { $0.isASCII && $0.isNumber } ? UInt8(part) : nil
        }
        guard parts.count == 2, numbers.count == 4, parts[1].allSatisfy({ $0.isASCII && $0.isNumber }), let port = UInt16(parts[1]),
            port > 0,
            let a = numbers[0], let b = numbers[1], let c = numbers[2], let d = numbers[3]
        else { throw ClusterError.invalidAddress(text) }
        host = [a, b, c, d]
        // 0.0.0.0 means all addresses of a machine, and tells others none of them.
        if host == .zero { throw ClusterError.invalidAddress(text) }
        self.port = port
    }

    var description: String { "\(host[0]).\(host[1]).\(host[2]).\(host[3]):\(port)" }
}

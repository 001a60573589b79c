import Foundation

/// The ports that this process has given out. A node that was killed leaves its port free, while other nodes still send messages to it:
/// a node of another cluster must not get them.
private let givenPorts = Locked<Set<UInt16>>([])

/// Returns a port of the loopback that is not in use, a different one each time.
func freePort() -> UInt16 {
    while true {
        let (descriptor, port) = boundSocket()
        close(descriptor)
        if givenPorts.withLock({ $0.insert(port).inserted }) { return port }
    }
}

/// Makes a socket with an unused port of the loopback.
func boundSocket() -> (descriptor: CInt, port: UInt16) {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &name) { name in
        name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            _ = bind(descriptor, $0, size)
            _ = getsockname(descriptor, $0, &size)
        }
    }
    return (descriptor, UInt16(bigEndian: name.sin_port))
}

import Dispatch
import ExampleSupport
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A TCP socket of the loopback interface. Waiting for it blocks no thread.
struct Socket: Sendable, Hashable {
    private let descriptor: CInt

    /// The queue of all events. On the global queues, each socket that waits could take a thread.
    private static let events = DispatchQueue(label: "sockets")

    /// Listens on a port, or on any free one if it is 0.
    static func listening(on port: UInt16) throws -> Socket {
        let socket = try Socket()
        var yes: CInt = 1
        setsockopt(socket.descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        try check(withAddress(port) { bind(socket.descriptor, $0, $1) }, "bind to port \(port)")
        try check(listen(socket.descriptor, 128), "listen")
        return socket
    }

    /// Connects to a port.
    static func connected(to port: UInt16) async throws -> Socket {
        let socket = try Socket()
        if withAddress(port, { connect(socket.descriptor, $0, $1) }) != 0 {
            guard errno == EINPROGRESS else { throw ExampleError("connect: \(String(cString: strerror(errno)))") }
            await socket.wait(toWrite: true)
        }
        return socket
    }

    private init() throws {
        #if canImport(Glibc)
            let type = CInt(SOCK_STREAM.rawValue)
        #else
            let type = SOCK_STREAM
        #endif
        self.init(descriptor: socket(AF_INET, type, 0))
        try Socket.check(descriptor, "socket")
    }

    private init(descriptor: CInt) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    /// The port of a listening socket.
    var port: UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Waits for the next connection. Returns nil when the socket was shut down.
    func nextConnection() async -> Socket? {
        while true {
            let connection = accept(descriptor, nil, nil)
            if connection >= 0 { return Socket(descriptor: connection) }
            guard [EAGAIN, EWOULDBLOCK, EINTR, ECONNABORTED].contains(errno) else { return nil }
            await wait(toWrite: false)
        }
    }

    /// Waits for bytes. Returns none at the end of the stream.
    func receive() async -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &bytes, bytes.count, 0)
            if count >= 0 { return Array(bytes[..<count]) }
            guard [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) else { return [] }
            await wait(toWrite: false)
        }
    }

    /// Sends bytes. Throws if the other side has closed the connection. (The program ignores SIGPIPE.)
    func transmit(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if [EAGAIN, EWOULDBLOCK].contains(errno) {
                await wait(toWrite: true)
            } else if errno != EINTR {
                throw ExampleError("send: \(String(cString: strerror(errno)))")
            }
        }
    }

    /// Ends receiving and accepting: waiting callers get the end of the stream. Answers can still be sent.
    func stopReceiving() { _ = shutdown(descriptor, CInt(SHUT_RD)) }

    func end() { _ = close(descriptor) }

    private func wait(toWrite: Bool) async {
        await withCheckedContinuation { continuation in
            let source: any DispatchSourceProtocol =
                toWrite
                ? DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: Self.events)
                : DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: Self.events)
            source.setEventHandler { source.cancel() }
            source.setCancelHandler { continuation.resume() }
            source.activate()
        }
    }

    private static func withAddress(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian  // 127.0.0.1
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    private static func check(_ result: CInt, _ what: String) throws {
        guard result < 0 else { return }
        throw ExampleError("\(what): \(String(cString: strerror(errno)))")
    }
}

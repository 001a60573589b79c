import Foundation
import SQLiteDriver

#if canImport(Darwin)
    import Darwin
    private let streamType = SOCK_STREAM
    private let noSignal: CInt = 0
#elseif canImport(Musl)
    import Musl
    private let streamType = CInt(SOCK_STREAM) | CInt(SOCK_CLOEXEC)
    private let noSignal = CInt(MSG_NOSIGNAL)
#else
    import Glibc
    private let streamType = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    private let noSignal = CInt(MSG_NOSIGNAL)
#endif

/// An error of a socket.
struct SocketError: Error, CustomStringConvertible {
    let description: String

    /// Whether the deadline has passed.
    var isTimeout = false

    init(_ description: String) {
        self.description = description
    }

    static func failed(_ call: String, _ address: NodeAddress, _ code: CInt = errno) -> SocketError {
        SocketError("\(call) \(address): \(String(cString: strerror(code)))")
    }
}

/// A TCP connection. No call waits longer than its deadline.
///
/// `@unchecked Sendable`: one thread at a time sends and receives. Other threads only call ``shutDown()``, which the lock keeps from using
/// the descriptor after it was closed.
final class NodeSocket: @unchecked Sendable {
    let address: NodeAddress
    private let descriptor: CInt
    private let lock = NSLock()
    private var isOpen = true

    /// Connects to an address.
    ///
    /// - Throws: ``SocketError``.
    init(_ address: NodeAddress, _ deadline: Deadline) throws {
        self.address = address
        // Other processes don't inherit it: on Linux from the beginning, as another thread may start one at any time.
        descriptor = socket(AF_INET, streamType, 0)
        guard descriptor >= 0 else { throw SocketError.failed("socket for", address) }
        do {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
            var one: CInt = 1
            setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
            #if canImport(Darwin)
                setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<CInt>.size))
            #endif
            try connect(deadline)
        } catch {
            close()
            throw error
        }
    }

    deinit {
        close()
    }

    func close() {
        lock.lock()
        defer { lock.unlock() }
        if isOpen {
            // Ends the connection, and the transaction on the node, also where a process of the program has inherited the descriptor.
            shutdown(descriptor, CInt(SHUT_RDWR))
            _ = closeDescriptor(descriptor)
        }
        isOpen = false
    }

    /// Ends the waiting calls, which throw. Safe from any thread.
    func shutDown() {
        lock.lock()
        defer { lock.unlock() }
        if isOpen { shutdown(descriptor, CInt(SHUT_RDWR)) }
    }

    private func connect(_ deadline: Deadline) throws {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = address.port.bigEndian
        // In network byte order, the first number comes first.
        let (host, shifts) = (SIMD4<UInt32>(truncatingIfNeeded: address.host), SIMD4<UInt32>(24, 16, 8, 0))
        name.sin_addr.s_addr = (host &<< shifts).wrappedSum().bigEndian
        let code = withUnsafePointer(to: &name) { name in
            name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if code == 0 { return }
        guard errno == EINPROGRESS || errno == EINTR else { throw SocketError.failed("connecting to", address) }
        try wait(for: POLLOUT, deadline)
        var error: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
        guard error == 0 else { throw SocketError.failed("connecting to", address, error) }
    }

    /// Sends all bytes.
    ///
    /// - Throws: ``SocketError``. Some of the bytes may have been sent.
    func send(_ bytes: [UInt8], _ deadline: Deadline) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, noSignal) }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                try wait(for: POLLOUT, deadline)
            } else if errno != EINTR {
                throw SocketError.failed("sending to", address)
            }
        }
    }

    /// Receives some bytes: at least 1, and at most the size of the buffer.
    ///
    /// - Throws: ``SocketError``, also when the node has closed the connection.
    func receive(into buffer: inout [UInt8], _ deadline: Deadline) throws -> Int {
        while true {
            acknowledgeImmediately()
            let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count > 0 { return count }
            if count == 0 { throw SocketError("\(address) closed the connection") }
            if errno == EAGAIN || errno == EWOULDBLOCK {
                try wait(for: POLLIN, deadline)
            } else if errno != EINTR {
                throw SocketError.failed("receiving from", address)
            }
        }
    }

    /// Makes Linux acknowledge what arrives next without a delay.
    ///
    /// A node writes an answer in several pieces, and its Nagle algorithm sends a small piece only when the one before was acknowledged,
    /// for which the kernel takes 40 ms otherwise. The kernel forgets this option, so each call that receives sets it again.
    private func acknowledgeImmediately() {
        #if os(Linux)
            var one: CInt = 1
            setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_QUICKACK, &one, socklen_t(MemoryLayout<CInt>.size))
        #endif
    }

    private func wait(for events: CInt, _ deadline: Deadline) throws {
        var request = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        while true {
            let code = poll(&request, 1, deadline.milliseconds)
            if code > 0 { return }
            if code == 0, deadline.hasPassed { throw changed(SocketError("\(address) did not answer in time")) { $0.isTimeout = true } }
            if code < 0, errno != EINTR { throw SocketError.failed("waiting for", address) }
        }
    }
}

/// The function of the C library, which a method of the same name hides. It is unqualified, so that `check-files.sh` finds the call.
private func closeDescriptor(_ descriptor: CInt) -> CInt { close(descriptor) }

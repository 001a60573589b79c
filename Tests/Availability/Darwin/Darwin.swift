// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stands in for Apple's module Darwin in Scripts/check-availability.sh: C's library of Linux, with what only Apple's has. It is never run.
@_exported import Glibc

// MARK: Locks

public struct os_unfair_lock {
    public init() {}
}

public func os_unfair_lock_lock(_ lock: UnsafeMutablePointer<os_unfair_lock>) {}
public func os_unfair_lock_unlock(_ lock: UnsafeMutablePointer<os_unfair_lock>) {}

// MARK: Signals

public struct __sigaction_u {
    public var __sa_handler: (@convention(c) (CInt) -> Void)!
}

extension sigaction {
    public var __sigaction_u: Darwin.__sigaction_u {
        get { Darwin.__sigaction_u() }
        set {}
    }
}

// MARK: Sockets, limits and terminals
//
// Some constants that are numbers on Darwin have types of their own in Glibc.

public let SO_NOSIGPIPE: CInt = 0x1022

public func socket(_ domain: CInt, _ type: __socket_type, _ protocol: CInt) -> CInt { -1 }

public func getrusage(_ who: __rusage_who, _ usage: UnsafeMutablePointer<rusage>) -> CInt { -1 }
public func getrlimit(_ resource: __rlimit_resource, _ limit: UnsafeMutablePointer<rlimit>) -> CInt { -1 }
public func setrlimit(_ resource: __rlimit_resource, _ limit: UnsafePointer<rlimit>) -> CInt { -1 }

public func posix_openpt(_ flags: CInt) -> CInt { -1 }
public func grantpt(_ descriptor: CInt) -> CInt { -1 }
public func unlockpt(_ descriptor: CInt) -> CInt { -1 }
public func ptsname(_ descriptor: CInt) -> UnsafeMutablePointer<CChar>! { nil }

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A source of the dates of transactions.
///
/// ```swift
/// configuration.transactionClock = .custom { _ in
///     Date(timeIntervalSince1970: 1_700_000_000)
/// }
/// ```
public protocol TransactionClock: Sendable {
    /// Returns the date of the current transaction.
    ///
    /// - Parameter db: the connection, which the clock may query.
    /// - Throws: an error that ``Database/transactionDate`` throws.
    func now(_ db: Database) throws -> Date
}

/// The system's clock, in milliseconds, so that a date is equal after it was stored as text with milliseconds and read.
public struct DefaultTransactionClock: TransactionClock {
    /// Creates the clock.
    public init() {}

    /// Returns the current date, rounded down to a millisecond.
    public func now(_ db: Database) -> Date {
        let milliseconds = (Date().timeIntervalSinceReferenceDate * 1000).rounded(.down)
        let seconds = (milliseconds / 1000).rounded(.down)
        // The sum of which dates consist that are read from text.
        return Date(timeIntervalSinceReferenceDate: seconds + (milliseconds - seconds * 1000) / 1000)
    }
}

/// A clock that calls a function.
public struct CustomTransactionClock: TransactionClock {
    private let function: @Sendable (Database) throws -> Date

    /// Creates a clock from a function that returns the date of the current transaction.
    public init(_ now: @escaping @Sendable (Database) throws -> Date) {
        function = now
    }

    /// Returns the function's result, or throws its error.
    public func now(_ db: Database) throws -> Date { try function(db) }
}

extension TransactionClock where Self == DefaultTransactionClock {
    /// The system's clock.
    public static var `default`: DefaultTransactionClock { DefaultTransactionClock() }
}

extension TransactionClock where Self == CustomTransactionClock {
    /// A clock that calls a function, which returns the date of the current transaction.
    public static func custom(_ now: @escaping @Sendable (Database) throws -> Date) -> CustomTransactionClock {
        CustomTransactionClock(now)
    }
}

extension Database {
    /// The date of the current transaction, from ``Configuration/transactionClock``.
    ///
    /// ```swift
    /// try queue.write { db in
    ///     let date = try db.transactionDate
    ///     // The same date for all rows that this transaction writes
    /// }
    /// ```
    ///
    /// Inside a transaction, the first access reads the clock, and later ones return the same date until the transaction ends.
    /// Outside transactions, each access reads the clock.
    ///
    /// - Throws: the clock's error. The next access reads the clock again.
    public var transactionDate: Date {
        get throws {
            checkAccess()
            guard isInsideTransaction else { return try configuration.transactionClock.now(self) }
            return try transaction.date { try configuration.transactionClock.now(self) }
        }
    }
}

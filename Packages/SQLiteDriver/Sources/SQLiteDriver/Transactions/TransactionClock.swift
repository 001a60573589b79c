#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Tells the date of a transaction.
///
/// ```swift
/// configuration.transactionClock = .custom { _ in Date(timeIntervalSince1970: 1_700_000_000) }
/// ```
public protocol TransactionClock: Sendable {
    /// The date of the transaction that is under way.
    ///
    /// - Parameter db: the connection, which may be asked.
    /// - Throws: an error that ``Database/transactionDate`` throws.
    func now(_ db: Database) throws -> Date
}

/// The system's clock.
public struct DefaultTransactionClock: TransactionClock {
    /// Makes the clock.
    public init() {}

    /// The current date.
    public func now(_ db: Database) -> Date { Date() }
}

/// A clock of the program.
public struct CustomTransactionClock: TransactionClock {
    private let function: @Sendable (Database) throws -> Date

    /// Makes a clock of a function.
    ///
    /// - Parameter now: the date of the transaction that is under way.
    public init(_ now: @escaping @Sendable (Database) throws -> Date) {
        function = now
    }

    /// What the function returns.
    ///
    /// - Throws: the error of the function.
    public func now(_ db: Database) throws -> Date { try function(db) }
}

extension TransactionClock where Self == DefaultTransactionClock {
    /// The system's clock.
    public static var `default`: DefaultTransactionClock { DefaultTransactionClock() }
}

extension TransactionClock where Self == CustomTransactionClock {
    /// A clock of the program.
    ///
    /// - Parameter now: the date of the transaction that is under way.
    public static func custom(_ now: @escaping @Sendable (Database) throws -> Date) -> CustomTransactionClock {
        CustomTransactionClock(now)
    }
}

extension Database {
    /// The date of the transaction that is under way, by ``Configuration/transactionClock``.
    ///
    /// ```swift
    /// try queue.write { db in
    ///     let date = try db.transactionDate
    ///     // All that this transaction writes bears the same date.
    /// }
    /// ```
    ///
    /// Inside a transaction the clock is asked once, when the date is first wanted; later ones are the same until the transaction
    /// ends. Outside transactions the clock is asked each time.
    ///
    /// - Throws: the error of the clock. It is asked again the next time.
    public var transactionDate: Date {
        get throws {
            checkAccess()
            guard isInsideTransaction else { return try configuration.transactionClock.now(self) }
            if let currentTransactionDate { return currentTransactionDate }
            let date = try configuration.transactionClock.now(self)
            currentTransactionDate = date
            return date
        }
    }
}

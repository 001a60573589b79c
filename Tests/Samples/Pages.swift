// What the tests of pages expect of their samples: see Scripts/check-samples.sh. They run one after the other.

import CSQLite
import Foundation
import SQLiteDriver
import Testing

// Printed lines

/// The lines that samples of the current test have printed, one for each call.
public var printed: [String] { output.value }

private let output = Locked<[String]>([])

/// Takes the place of the standard library's function in samples.
public func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
    let text = items.map { "\($0)" }.joined(separator: separator)
    output.withLock { $0.append(text) }
    ranStatements.withLock { $0.append(RanStatement(sql: words(text), expanded: words(text))) }
}

/// Waits until another thread has printed a number of lines.
public func waitForPrinted(_ count: Int) {
    yieldThread(until: "\(count) printed lines") { printed.count >= count }
}

/// Expects that a statement of a sample prints a string, by this file's `print` or on the standard output.
public func expectPrinted<T>(_ text: String, sourceLocation: SourceLocation = #_sourceLocation, _ statement: () throws -> T) rethrows {
    let before = printed.count
    let file = tmpfile()!
    fflush(nil)
    let standardOutput = dup(1)
    dup2(fileno(file), 1)
    defer {
        fflush(nil)
        dup2(standardOutput, 1)
        close(standardOutput)
        rewind(file)
        var written = Data()
        while case let byte = getc(file), byte >= 0 { written.append(UInt8(byte)) }
        fclose(file)
        let actual = printed[before...].joined(separator: "\n") + String(decoding: written, as: UTF8.self)
        if !matches(actual, text) {
            Issue.record("The sample says that this prints “\(text)”. It prints “\(actual)”.", sourceLocation: sourceLocation)
        }
    }
    _ = try statement()
}

/// Expects that an expression of a sample has a value, and returns it.
@discardableResult
public func expected<T: Equatable>(_ value: T, _ stated: T, sourceLocation: SourceLocation = #_sourceLocation) -> T {
    #expect(value == stated, sourceLocation: sourceLocation)
    return value
}

/// A text with one space in the place of spaces and line breaks.
private func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

/// Returns whether a string is as expected, where `…` stands for any string, and one space for any number of spaces and line breaks.
public func matches(_ text: String, _ expected: String) -> Bool {
    let text = words(text)
    let parts = words(expected).components(separatedBy: "…")
    guard parts.count > 1 else { return text == parts[0] }
    guard text.hasPrefix(parts[0]), text.hasSuffix(parts.last!) else { return false }
    var rest = text.dropFirst(parts[0].count)
    for part in parts.dropFirst() where !part.isEmpty {
        guard let range = rest.range(of: part) else { return false }
        rest = rest[range.upperBound...]
    }
    return true
}

// The SQL

/// What a comment says of the SQL of a sample.
public struct StatedSQL: Sendable {
    /// One or several statements.
    public var sql: String
    /// The place of the comment.
    public var sourceLocation: SourceLocation
    /// The number of statements of the page that had run at the comment.
    var position = 0

    /// Notes what a comment of a page says.
    public init(_ sql: String, _ file: String, _ line: Int) {
        self.init(sql, SourceLocation(fileID: "Samples/" + file, filePath: file, line: line, column: 1))
    }

    init(_ sql: String, _ sourceLocation: SourceLocation, position: Int = 0) {
        (self.sql, self.sourceLocation, self.position) = (sql, sourceLocation, position)
    }

    /// Whether statements that ran one after the other, though others may have run in between, are the stated ones.
    public func ran(in statements: [RanStatement]) -> Bool {
        if sql.contains("…") {
            return statements.dropFirst(position).contains { matches($0.expanded, sql) || matches($0.sql, sql) }
        }
        func ran(_ text: Substring, from start: Int) -> Bool {
            for index in statements.indices.dropFirst(start) {
                for statement in [statements[index].expanded, statements[index].sql] where text.hasPrefix(statement) {
                    let rest = text.dropFirst(statement.count).drop { $0 == ";" || $0 == " " }
                    if rest.isEmpty || ran(rest, from: index + 1) { return true }
                }
            }
            return false
        }
        return ran(sql[...], from: position)
    }
}

/// A statement that ran, with parameters and with their values.
public struct RanStatement: Sendable {
    var sql: String
    var expanded: String

    /// Notes that a statement ran.
    public init(sql: String, expanded: String) { (self.sql, self.expanded) = (sql, expanded) }
}

private let ranStatements = Locked<[RanStatement]>([])
private let statedInTests = Locked<[StatedSQL]>([])

/// Expects that SQL runs from now on, before the page's last test ends.
public func expectSQL(_ sql: String, sourceLocation: SourceLocation = #_sourceLocation) {
    statedInTests.withLock { $0.append(StatedSQL(sql, sourceLocation, position: ranStatements.value.count)) }
}

/// Returns the stated SQL that tests have not run, and forgets it.
public func takeUnmetSQL() -> [StatedSQL] {
    let ran = ranStatements.value
    return statedInTests.withLock { stated in
        defer { stated = [] }
        return stated.filter { !$0.ran(in: ran) }
    }
}

/// Records the statements of all connections that are opened from now on.
private let recordsStatements: Void = {
    typealias EntryPoint = @convention(c) (OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?) -> CInt
    let entryPoint: EntryPoint = { connection, _, _ in
        sqlite3_trace_v2(
            connection, UInt32(SQLITE_TRACE_STMT),
            { _, _, statement, sql in
                let expanded = sqlite3_expanded_sql(OpaquePointer(statement))
                defer { sqlite3_free(expanded) }
                let texts = [expanded, sql?.assumingMemoryBound(to: CChar.self)].map { pointer in
                    pointer.map { words(String(cString: $0)) } ?? ""
                }
                ranStatements.withLock { $0.append(RanStatement(sql: texts[1], expanded: texts[0])) }
                return 0
            }, nil)
    }
    sqlite3_auto_extension(unsafeBitCast(entryPoint, to: (@convention(c) () -> Void).self))
}()

// The tests of a page

/// The trait of the suite in each page's context: the SQL that the page states has run when its tests have ended.
public struct PageTrait: SuiteTrait, TestTrait, TestScoping {
    var sql: [StatedSQL]
    /// Tests of the suite have a scope, too: their output is their own.
    public var isRecursive: Bool { true }

    /// Returns the trait for suites and for cases of tests.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> PageTrait? { test.isSuite || testCase != nil ? self : nil }

    /// Runs the tests of a page, or one of them, and then compares the SQL.
    public func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        _ = recordsStatements
        if !test.isSuite { output.value = [] }
        guard test.isSuite else { return try await function() }
        ranStatements.value = []
        statedInTests.value = []
        try await function()
        statedInTests.withLock { $0 += sql }
        for stated in takeUnmetSQL() {
            let statements = ranStatements.value.dropFirst(stated.position).map { "    " + $0.expanded }.joined(separator: "\n")
            Issue.record("This SQL did not run: \(stated.sql)\nThese statements ran:\n\(statements)", sourceLocation: stated.sourceLocation)
        }
    }
}

extension Trait where Self == PageTrait {
    /// See ``PageTrait``. The SQL of enclosed comments is written behind the name.
    public static func page(_ sql: [StatedSQL]) -> Self { Self(sql: sql) }
}

/// Runs a closure in a transaction of a new database, after some SQL.
public func withDatabase<Result>(_ sql: String = "", _ body: (Database) throws -> Result) throws -> Result {
    try DatabaseQueue().write { db in
        try db.execute(sql: sql)
        return try body(db)
    }
}

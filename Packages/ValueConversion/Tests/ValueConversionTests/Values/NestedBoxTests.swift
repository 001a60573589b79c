import Foundation
import Testing
import ValueConversion

/// What is freed and written without recursion.
@Suite struct NestedBoxTests {
    private struct Link: Sendable {
        let counter: Counter
        let previous: NestedBox<Link>?
    }

    /// Counts the links that are alive.
    private final class Counter: @unchecked Sendable {
        // The lock guards the number.
        private let lock = NSLock()
        private var number = 0

        var count: Int { lock.withLock { number } }

        func add(_ change: Int) { lock.withLock { number += change } }
    }

    private final class Token: Sendable {
        let counter: Counter

        init(_ counter: Counter) {
            self.counter = counter
            counter.add(1)
        }

        deinit { counter.add(-1) }
    }

    /// Runs a closure on a thread with a stack of 512 KB.
    private func onSmallStack(_ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            body()
            done.signal()
        }
        thread.stackSize = 512 << 10
        thread.start()
        done.wait()
    }

    @Test("A chain of any length is freed on a small stack, all of it")
    func chains() {
        let counter = Counter()
        onSmallStack {
            var last: NestedBox<(token: Token, previous: @Sendable () -> Void)>?
            for _ in 0..<100_000 {
                let previous = last
                last = NestedBox((Token(counter), { _ = previous }))
            }
            last = nil
        }
        #expect(counter.count == 0)
    }

    @Test("What others still hold is not freed")
    func sharedLinks() {
        let counter = Counter()
        var kept: [NestedBox<(token: Token, previous: @Sendable () -> Void)>] = []
        do {
            var last: NestedBox<(token: Token, previous: @Sendable () -> Void)>?
            for index in 0..<1_000 {
                let previous = last
                let next = NestedBox((token: Token(counter), previous: { @Sendable in _ = previous }))
                if index == 499 { kept.append(next) }
                last = next
            }
        }
        #expect(counter.count == 500)
        kept = []
        #expect(counter.count == 0)
    }

    @Test("Chains are freed by several threads at once")
    func threads() {
        let counter = Counter()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<20 {
                var last: NestedBox<(token: Token, previous: @Sendable () -> Void)>?
                for _ in 0..<500 {
                    let previous = last
                    last = NestedBox((Token(counter), { _ = previous }))
                }
            }
        }
        #expect(counter.count == 0)
    }

    /// A node of many operands that only exist.
    private struct Group: SQLExpressionNode {
        let operands: [SQLExpression]
        let token: Token

        func render(to renderer: inout SQLRenderer) throws {}
    }

    @Test("An expression of any depth is freed on a small stack, all of it")
    func expressions() {
        let counter = Counter()
        onSmallStack {
            var expression = SQLExpression.null
            for _ in 0..<100_000 { expression = SQLExpression(Group(operands: [expression, .null], token: Token(counter))) }
            #expect(counter.count == 100_000)
            expression = .null
        }
        #expect(counter.count == 0)
    }

    // MARK: - Writing

    /// A node that writes its operand between texts, in another context.
    private struct Wrapped: SQLExpressionNode {
        let operand: SQLExpression
        let level: Int

        var levelCount: Int { 1 }

        func render(to renderer: inout SQLRenderer) throws {
            let qualifier = renderer.qualifier
            // After an error, too.
            defer { renderer.qualifier = qualifier }
            renderer.append("(\(level) \(qualifier ?? "-") ")
            renderer.append(argument: level.databaseValue)
            renderer.qualifier = "q\(level)"
            try renderer.append({ try $0.append(operand) }, rewriting: { level.isMultiple(of: 10) ? $0 + "!" : $0 })
            renderer.qualifier = qualifier
            renderer.append(identifier: "i")
            try renderer.append(sql: ":n\(level)", arguments: ["n\(level)": level])
            renderer.append(" \(renderer.qualifier ?? "-"))")
        }
    }

    private struct Failing: SQLExpressionNode {
        func render(to renderer: inout SQLRenderer) throws {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "no")
        }
    }

    @Test("A deep expression is written like a flat one: texts, contexts, arguments and changes in their places")
    func writing() throws {
        try DatabaseQueue().read { db in
            for depth in [1, 5, 30, 200] {
                var expression = SQLExpression(value: .success(.null))
                for level in (1...depth).reversed() { expression = SQLExpression(Wrapped(operand: expression, level: level)) }
                var expected = "?"
                for level in (1...depth).reversed() {
                    let qualifier = level == 1 ? "-" : "q\(level - 1)"
                    expected = "(\(level) \(qualifier) ?\(expected)\(level.isMultiple(of: 10) ? "!" : "")\"i\":n\(level) \(qualifier))"
                }
                var renderer = SQLRenderer(database: db)
                renderer.append("<")
                try renderer.append(expression)
                renderer.append(">")
                #expect(renderer.sql == "<\(expected)>")
                #expect(renderer.maximumExpressionDepth == depth && renderer.expressionDepth == 0)
                #expect(renderer.parameterCount == depth + 1)
                let named = Dictionary(uniqueKeysWithValues: (1...depth).map { ("n\($0)", $0 as (any StatementBinding)?) })
                #expect(renderer.arguments == StatementArguments((1...depth).map(\.databaseValue) + [.null]) + StatementArguments(named))
            }
        }
    }

    @Test("An error in a deep expression is thrown, and leaves a renderer that can be used")
    func errors() throws {
        try DatabaseQueue().read { db in
            var expression = SQLExpression(Failing())
            for level in 0..<100 { expression = SQLExpression(Wrapped(operand: expression, level: level)) }
            var renderer = SQLRenderer(database: db)
            let error = #expect(throws: DatabaseError.self) { try renderer.append(expression) }
            #expect(error?.message == "no")
            #expect(renderer.qualifier == nil && renderer.expressionDepth == 0)
            let count = renderer.sql.count
            renderer.append("x")
            #expect(renderer.sql.count == count + 1)
        }
    }
}

import RowDecoding

// The only place with code for the builds of this repository: see "Kept plans" in CONTRIBUTING.md.

/// The check that a kept plan is what the writer would write again. If it is not, a description lacks something, and the program stops.
///
/// The scripts of this repository compile it, for debug builds. In other builds, its functions do nothing.
@usableFromInline
enum KeptPlanCheck {
    #if STRATA_CHECK_PLANS
        /// The checks of a connection.
        private final class State: AttachmentKey {
            /// Whether the connection writes a query for the check.
            var isRunning = false

            private var useCount = 0

            /// Whether a use of a kept plan is checked: each of the first ones, and then one in eight. Only tests with random requests use
            /// plans more often on one connection.
            func isNextChecked() -> Bool {
                useCount += 1
                return useCount <= 100 || useCount % 8 == 0
            }
        }

        /// The query can't be written without preparing another one.
        private struct Stop: Error {}

        /// Stops the check of a query whose writer is about to prepare another query.
        static func stop(at db: Database) throws {
            if db.attachments.value(for: State.self)?.isRunning == true { throw Stop() }
        }

        /// Compares the statement of a kept plan, its arguments and the layout of its rows with what the writer writes. Only writes: nothing
        /// is prepared. Does not check a query that can't be written, and arguments for columns with encodings of their own.
        static func check(_ query: PreparedQuery, by plan: RequestPlan, _ db: Database, _ write: () throws -> WrittenQuery) {
            guard let written = attempt(db, write) else { return }
            expect(areEqual(written.renderer.sql, plan.sql), "SQL", of: plan.sql, written.renderer.sql)
            expect(
                !plan.encoders.isEmpty || written.renderer.arguments == query.statement.arguments, "arguments", of: plan.sql,
                written.renderer.sql)
            expect(areEqual(layout(written.columns), layout(query.columns)), "layout of rows", of: plan.sql, written.renderer.sql)
        }

        /// Compares the statement of a plan for a record type's primary key with what the writer writes.
        @usableFromInline
        @inline(never)
        static func check<Record: TableRecord>(_ plan: PrimaryKeyPlan, for type: Record.Type, _ db: Database) {
            guard let renderer = attempt(db, { try PrimaryKeyPlan.write(for: type, plan.column, in: db).renderer }) else { return }
            expect(areEqual(renderer.sql, plan.statement.sql), "SQL", of: plan.statement.sql, renderer.sql)
            expect(renderer.arguments == plan.arguments, "arguments", of: plan.statement.sql, renderer.sql)
        }

        private static func attempt<Written>(_ db: Database, _ write: () throws -> Written) -> Written? {
            let state = db.attachments.value(for: State.self) { State() }
            guard state.isNextChecked() else { return nil }
            state.isRunning = true
            defer { state.isRunning = false }
            return try? write()
        }

        /// The layout of rows, and the places of prefetched associations.
        private static func layout(_ columns: RelationColumns?) -> String {
            guard let columns else { return "none" }
            let places = columns.prefetches.map { "\($0.prefetch.key) in \($0.place.scopes): \($0.place.keyIndexes)" }
            return "\((columns.adapter as? RelationLayout).map(layout) ?? "none") \(columns.extraIndexes) \(places)"
        }

        private static func layout(_ layout: RelationLayout) -> String {
            let scopes = layout.scopes.map { "\($0.name): \(Self.layout($0.layout))" }
            return "\(layout.columns) of \(layout.columnCount ?? 0) \(scopes)"
        }

        private static func expect(_ isEqual: Bool, _ part: String, of sql: String, _ written: String) {
            if isEqual { return }
            fatalError("a kept plan has another \(part) than its request, whose description lacks something: \(sql) and \(written)")
        }

        /// Compares bytes: to Swift, canonically equivalent strings are equal.
        private static func areEqual(_ first: String, _ second: String) -> Bool { first.utf8.elementsEqual(second.utf8) }
    #else
        @inline(__always)
        static func stop(at db: Database) throws {}

        @inline(__always)
        static func check(_ query: PreparedQuery, by plan: RequestPlan, _ db: Database, _ write: () throws -> WrittenQuery) {}

        @inlinable
        @inline(__always)
        static func check<Record: TableRecord>(_ plan: PrimaryKeyPlan, for type: Record.Type, _ db: Database) {}
    #endif
}

import Foundation
import Strata
import Testing

/// A secret value travels through every error, trace event and log of the API, in a process of its own, because the log belongs to the
/// process. Messages that SQLite writes about the value itself, and SQL with literals, are left out: the guide on errors names them.
@Suite struct PrivacyTests {
    @Test
    func `No error, advice, trace event or log contains a value`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try Secrets.report(publicArguments: false)
        }
        let lines = Self.lines(result)
        for line in lines where Secret.isContained(in: line) { Issue.record("\(line)") }
        check(lines)
    }

    @Test
    func `All errors that know a connection show the value when arguments are public, and so do trace events`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try Secrets.report(publicArguments: true)
        }
        let lines = Self.lines(result)
        for line in lines {
            let isExpected = line.hasPrefix("shows ") || line.hasPrefix("expanded ")
            if isExpected, !Secret.isContained(in: line) { Issue.record("\(line)") }
            if line.hasPrefix("hides "), Secret.isContained(in: line) { Issue.record("\(line)") }
        }
        #expect(lines.contains { $0.hasPrefix("trace ") && Secret.isContained(in: $0) })
        check(lines)
    }

    /// Expects that each case has thrown, and that traces and the log were reported.
    private func check(_ lines: [String]) {
        for line in lines where line.hasPrefix("missing ") { Issue.record("\(line)") }
        #expect(lines.filter { $0.hasPrefix("shows ") }.count >= 50)
        #expect(lines.filter { $0.hasPrefix("trace ") }.count >= 100)
        #expect(lines.filter { $0.hasPrefix("log ") }.count >= 10)
        #expect(lines.last == "end")
    }

    private static func lines(_ result: ExitTest.Result?) -> [String] {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test
    func `The messages of traps contain no value`() async {
        for result in [
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                try DatabaseQueue().read { db in
                    let row = try Row.fetchOne(db, sql: "SELECT ? AS name, ? AS photo", arguments: [Secret.text, Secret.data])
                    let _: Int? = row?["name"]
                }
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                try DatabaseQueue().read { db in
                    let rows = try Row.fetchCursor(db, sql: "SELECT ? AS name", arguments: [Secret.text])
                    let _: Date? = try rows.next()?[0]
                }
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let row: Row = ["name": Secret.text]
                _ = row.hasNull(atIndex: 1)
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let row: Row = ["name": Secret.text]
                let _: Player = row["name"]
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let _: Row = ["name": Secret.text, "count": Secret.large]
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { _ = Secret.large.databaseValue },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = NSNumber(value: Secret.large).databaseValue
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { _ = Secret.date.databaseValue },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { _ = Secret.components.databaseValue },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = DatabaseJSON(Secret.Note()).databaseValue
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { _ = Secret.Note().databaseValue },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                try DatabaseQueue().read { db in try db.makeStatement(sql: "SELECT ?").arguments = [Secret.text, Secret.number] }
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = ["name": Secret.text] as StatementArguments + ["name": Secret.number]
            },
        ] {
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("Fatal error"), "\(text)")
            #expect(!Secret.isContained(in: text), "\(text)")
        }
    }

    @Test
    func `Descriptions show strings as a whole, and blobs by their size`() throws {
        let text = String(repeating: "é", count: 100_000)
        let data = Data(repeating: 7, count: 1_000_000)
        let row: Row = ["text": text, "data": data]
        #expect(row.description == "[text:\"\(text)\" data:Data(1000000 bytes)]")
        #expect(([text, data] as StatementArguments).description == "[\"\(text)\", Data(1000000 bytes)]")
        #expect(data.databaseValue.description == "Data(1000000 bytes)")
        #expect(SQLRequest<Row>("SELECT \(Data([1, 255])), \("é")").description == "SELECT x'01ff', 'é'")
    }
}

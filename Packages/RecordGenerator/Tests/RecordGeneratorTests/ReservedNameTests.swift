import Foundation
import Testing

@testable import RecordGenerator

/// The lists of names that generated code avoids, compared with what the protocols of records and values have.
@Suite struct ReservedNameTests {
    private let packages = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    /// The static members or the associated types of protocols, according to the lists of public symbols.
    private func members(_ kinds: Set<String>, of protocols: Set<String>) throws -> Set<String> {
        var members: Set<String> = []
        for package in try FileManager.default.contentsOfDirectory(atPath: packages.path) {
            let file = packages.appendingPathComponent("\(package)/PublicSymbols.txt")
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
            // "TableRecord: static var all: …"
            for line in text.split(separator: "\n") {
                let words = line.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }).map(String.init)
                guard let owner = words.first, protocols.contains(owner), let index = words.firstIndex(where: kinds.contains) else {
                    continue
                }
                let name = words[(index + 1)...].first { !["func", "var", "let"].contains($0) } ?? ""
                if !name.hasPrefix("_") { members.insert(name) }
            }
        }
        return members
    }

    private static let recordProtocols: Set<String> = [
        "TableRecord", "FetchableRecord", "EncodableRecord", "MutablePersistableRecord", "PersistableRecord",
    ]

    private static let valueProtocols: Set<String> = [
        "DatabaseValueConvertible", "StatementBinding", "StatementColumnConvertible",
    ]

    @Test
    func `Records are not named like associated types, which hide them`() throws {
        let members = try members(["associatedtype", "typealias"], of: Self.recordProtocols.union(Self.valueProtocols))
        #expect(!members.isEmpty)
        #expect(members.subtracting(SwiftName.reservedTypes) == [])
    }

    @Test
    func `Associations are not named like static members of records`() throws {
        let members = try members(["static"], of: Self.recordProtocols)
        #expect(members.contains("hasMany"))
        #expect(Set(members.map { $0.lowercased() }).subtracting(RecordGenerator.reservedStatics) == [])
    }

    @Test
    func `Cases are not named like static members of values`() throws {
        let members = try members(["static"], of: Self.valueProtocols)
        #expect(members.contains("fromDatabaseValue"))
        #expect(members.subtracting(SwiftName.reservedCases) == [])
    }
}

import DatabaseObservation
import Foundation
import Testing

extension DatabaseWriter {
    func execute(_ sql: String) async throws {
        try await write { try $0.execute(sql: sql) }
    }
}

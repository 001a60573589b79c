import Foundation
import Strata
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The tutorial server under load, when it is asked to end. `make soak` runs it: beside all other tests, the load would be small.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["STRATA_CLIENTS"] != nil))
struct ServerTests {
    @Test
    func `SIGTERM under load loses no accepted request and no note`() async throws {
        let folder = try TemporaryFolder()
        let process = Process()
        process.executableURL = try await Examples.program("15-Server")
        process.arguments = ["--serve", "0"]
        process.currentDirectoryURL = folder.url
        let pipes = try process.runWithPipes()
        let first = String(decoding: try pipes.output.bytes(for: "the address of the server"), as: UTF8.self)
        let address = try #require(URL(string: first.trimmingCharacters(in: .whitespacesAndNewlines)))
        let added = Collector<Int64>()
        // Threads of their own: other tests may block those of the cooperative pool.
        let clients = DispatchGroup()
        for client in 0..<32 {
            clients.enter()
            Thread.detachNewThread {
                Self.use(address, client: client, added)
                clients.leave()
            }
        }
        await added.wait(count: 200)
        process.terminate()
        await onAThread { clients.wait(for: "the end of the clients") }
        let rest = await onAThread { pipes.output.readDataToEndOfFile() }
        await onAThread { process.waitUntilExit() }
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
        let counts = try #require(String(decoding: rest, as: UTF8.self).firstMatch(of: /Answered (\d+) of (\d+) requests/))
        #expect(counts.1 == counts.2)
        // The notes that clients know of are in the file, and the database was closed.
        let path = folder.path("notes/main.sqlite")
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        let ids = try await DatabaseQueue(path: path).read { try Int64.fetchSet($0, sql: "SELECT id FROM note") }
        #expect(ids.isSuperset(of: added.all), "\(added.all.filter { !ids.contains($0) })")
        #expect(Set(added.all).count == added.all.count)
    }

    private struct Added: Decodable {
        let id: Int64
    }

    /// Adds and reads notes until the server accepts no more requests.
    private static func use(_ address: URL, client: Int, _ added: Collector<Int64>) {
        let session = URLSession(configuration: .ephemeral)
        for number in 0... {
            var request = URLRequest(url: address.appendingPathComponent("notes"))
            if !number.isMultiple(of: 3) {
                request.httpMethod = "POST"
                request.httpBody = Data("{\"author\": \"client \(client)\", \"text\": \"number \(number)\"}".utf8)
            }
            let answered = Semaphore("an answer of the server")
            let answer = Locked<(data: Data, status: Int)?>(nil)
            session.dataTask(with: request) { data, response, _ in
                answer.value = data.flatMap { data in (response as? HTTPURLResponse).map { (data, $0.statusCode) } }
                answered.signal()
            }.resume()
            answered.wait()
            guard let (data, status) = answer.value else { return }
            #expect(status == 200 || status == 201, "\(String(decoding: data, as: UTF8.self))")
            if status == 201, let note = try? JSONDecoder().decode(Added.self, from: data) { added.append(note.id) }
        }
    }
}

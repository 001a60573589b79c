import Foundation
import Strata

/// Serves the notes over HTTP.
///
/// | request | answer |
/// |---|---|
/// | `GET /` | a page for browsers |
/// | `GET /notes` | the latest notes |
/// | `POST /notes` | adds a note |
/// | `GET /search?q=…` | the notes with these words |
/// | `GET /events` | a stream of server-sent events: the latest notes, now and after each change |
/// | `GET /health` | the state of the databases |
/// | `GET /statements` | the statements that scan most |
///
/// With `?board=…`, the first ones are about another board than the main one. A board has a database of its own, which its first note creates.
actor Server {
    private let store: NoteStore
    private let listener: Socket
    private var connections: Set<Socket> = []
    /// How many requests were received, and how many were answered.
    private(set) var counts = (received: 0, answered: 0)
    private var isStopping = false
    nonisolated let port: UInt16

    init(_ store: NoteStore, port: UInt16) throws {
        self.store = store
        listener = try Socket.listening(on: port)
        self.port = listener.port
    }

    /// Accepts connections until ``stop()``, then waits for the running requests.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            while let socket = await listener.nextConnection() {
                connections.insert(socket)
                // A connection may have been accepted just before the end.
                if isStopping { socket.stopReceiving() }
                group.addTask { await self.serve(socket) }
            }
        }
        listener.end()
    }

    /// Ends the server. Requests that were received are answered.
    func stop() {
        isStopping = true
        listener.stopReceiving()
        for socket in connections { socket.stopReceiving() }
    }

    private nonisolated func serve(_ socket: Socket) async {
        var reader = MessageReader(socket)
        while let request = await reader.nextRequest() {
            await count(\.received)
            if request.path == "/events" {
                await sendEvents(of: request.board, to: socket)
                await count(\.answered)
                break
            }
            guard let response = await answer(request), (try? await socket.transmit(response.bytes)) != nil else { break }
            await count(\.answered)
        }
        await end(socket)
    }

    private func count(_ what: WritableKeyPath<(received: Int, answered: Int), Int>) { counts[keyPath: what] += 1 }

    private func end(_ socket: Socket) {
        connections.remove(socket)
        socket.end()
    }

    /// Answers a request. An error of the program is written to the log, and not sent to the client.
    private nonisolated func answer(_ request: Request) async -> Response? {
        do {
            switch (request.method, request.path) {
            case ("GET", "/"):
                return Response(type: "text/html", body: Data(page.utf8))
            case ("GET", "/notes"):
                return try .json(try await store.latest(on: request.board))
            case ("GET", "/search"):
                return try .json(try await store.search(request.query["q"] ?? "", on: request.board))
            case ("GET", "/health"):
                let health = store.health
                return try .json(health, status: health.isServing ? 200 : 503)
            case ("GET", "/statements"):
                return try .json(
                    store.statistics.statements(by: .scannedRows).map {
                        CostlyStatement(sql: $0.sql, runs: $0.runCount, scannedRows: $0.scannedRowCount)
                    })
            case ("POST", "/notes"):
                return try .json(
                    try await store.add(try JSONDecoder().decode(NewNote.self, from: request.body), to: request.board), status: 201)
            default:
                return try .problem("There is no \(request.method) \(request.path).", status: 404)
            }
        } catch is DecodingError {
            return try? .problem("Send JSON with an author and a text.", status: 400)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            return try? .problem("The author and the text must not be empty.", status: 400)
        } catch let error as DatabaseFileError where error.reason == .notFound {
            return try? .problem("There is no such board.", status: 404)
        } catch let error as DatabaseFileError where error.reason == .invalidName {
            return try? .problem("The name of the board is too long.", status: 400)
        } catch is DatabaseUnavailableError, is DatabaseFileError {
            return try? .problem("Too much to do: try again later.", status: 503)
        } catch is DatabaseTimeoutError {
            return try? .problem("This took too long.", status: 504)
        } catch DatabaseError.SQLITE_BUSY, DatabaseError.SQLITE_INTERRUPT {
            // Another process has a lock, or the grace period of the shutdown is over.
            return try? .problem("The database is not available: try again later.", status: 503)
        } catch {
            FileHandle.standardError.write(Data("\(request.method) \(request.path): \(error)\n".utf8))
            return try? .problem("Something went wrong.", status: 500)
        }
    }

    /// Sends the latest notes whenever they have changed, until the client or the server ends the connection.
    private nonisolated func sendEvents(of board: String, to socket: Socket) async {
        guard let changes = try? await store.changes(on: board) else {
            if let problem = try? Response.problem("This board can't be watched.", status: 404) {
                try? await socket.transmit(problem.bytes)
            }
            return
        }
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n\r\n"
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await socket.transmit(Array(head.utf8))
                do {
                    for try await notes in changes {
                        let json = String(decoding: try Response.json(notes).body, as: UTF8.self)
                        try await socket.transmit(Array("data: \(json)\n\n".utf8))
                    }
                } catch {
                    // The browser has left; or the databases were closed.
                }
                socket.stopReceiving()
            }
            // Browsers send nothing more: the next event is the end of the stream.
            group.addTask { _ = await socket.receive() }
            await group.next()
            socket.stopReceiving()
            group.cancelAll()
        }
    }
}

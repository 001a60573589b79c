// 15. A server
//
// Notes over HTTP: JSON, a page for browsers that follows the database by server-sent events, full-text search, and a shutdown that
// loses no request. Each board of notes has a database in a file of its own, which is opened when it is needed. Accesses have deadlines, and
// a limit of those that wait; slow statements are logged; /health and /statements show how the databases are. The server consists of sockets
// and Strata, without another package; only NoteStore uses the databases. A server for the open internet would also need limits for the time and the number of connections, and TLS: put a proxy in front of it.
//
//     15-Server --serve 8080    serves until it is interrupted: open http://localhost:8080/
//
// Without arguments, the program is the server and its clients, and ends with a load test.
//
// Next: 16-SQLFiles writes SQL in files, and calls it as Swift functions.

import Dispatch
import ExampleSupport
import Foundation

await runProgram {
    // Writing to a connection that the other side has closed is an error of `send`, and must not end the program.
    signal(SIGPIPE, SIG_IGN)

    if CommandLine.arguments.dropFirst().first == "--serve" {
        try await serve(port: CommandLine.arguments.dropFirst(2).first.flatMap { UInt16($0) } ?? 8080)
    } else {
        try await demonstrate()
    }
}

/// Serves until the process is interrupted or terminated.
func serve(port: UInt16) async throws {
    let folder = FileManager.default.currentDirectoryPath + "/notes"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let store = try NoteStore(folder: folder) { line in
        FileHandle.standardError.write(Data("slow statement: \(line)\n".utf8))
    }
    let server = try Server(store, port: port)
    let sources = [SIGINT, SIGTERM].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        // With @Sendable, the closure may also stand at the top level, where closures otherwise belong to the main actor.
        source.setEventHandler { @Sendable in Task { await server.stop() } }
        source.activate()
        return source
    }
    print("http://localhost:\(server.port)/")
    fflush(nil)
    async let databases: Void = store.files.run(gracePeriod: .seconds(10))
    await server.run()
    // The requests are answered. Now the databases may end.
    store.files.shutDown()
    try await databases
    for source in sources { source.cancel() }
    let counts = await server.counts
    print("Answered \(counts.answered) of \(counts.received) requests.")
}

func demonstrate() async throws {
    // MARK: Start

    // The store is a folder of databases. Their tables are made by migrations, when a file is created.
    let folder = try newFolder("15-server")
    let store = try NoteStore(folder: folder) { print("A slow statement: \($0)") }
    let server = try Server(store, port: 0)  // any free port
    let serving = Task { await server.run() }
    let databases = Task { try await store.files.run(gracePeriod: .seconds(10)) }

    // MARK: Requests

    var client = try await Client(port: server.port)
    var watcher = try await Client(port: server.port)
    try await watcher.watch()
    print("A browser watches \(try await watcher.nextEvent().count) notes.")

    for (author, text) in [
        ("Neil Armstrong", "The surface is fine and powdery."), ("Buzz Aldrin", "Magnificent desolation."),
        ("Michael Collins", "From here, the Moon's surface is silent."),
    ] {
        print("POST /notes by \(author): \(try await client.add(author, text))")
    }

    // The stream skips states while the watcher is slow, and always delivers the last one.
    var notes = try await watcher.nextEvent()
    while notes.count < 3 { notes = try await watcher.nextEvent() }
    print("The browser sees the note of \(notes[0].author).")

    // The database checks the messages of clients, and its errors become answers.
    print("A note without text: \(try await client.add("Nobody", ""))")
    print("No JSON: \(try await client.send("POST", "/notes", Data("hello".utf8)).status)")
    print("No such page: \(try await client.send("GET", "/moon").status)")

    // Another board has another database. Only a note creates it.
    print(
        "A board without notes: \(try await client.send("GET", "/notes?board=Zoë".addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed)!).status)"
    )
    print("POST /notes?board=moon: \(try await client.add("Gene Cernan", "We leave as we came.", board: "moon"))")

    let search = try await client.send("GET", "/search?q=surfaces")
    for found in try Client.decoder.decode([FoundNote].self, from: search.body).sorted(by: { $0.note.author < $1.note.author }) {
        print("Found: \(found.snippet)")
    }

    // MARK: Watch

    // A health check waits for nothing. The statements that scan most may lack an index. This one reads the last rows of its table.
    let health = try JSONDecoder().decode(Health.self, from: try await client.send("GET", "/health").body)
    print("Healthy: \(health.isServing), with \(health.openBoards) open boards.")
    let costly = try JSONDecoder().decode([CostlyStatement].self, from: try await client.send("GET", "/statements").body)
    print("Of the notes, scanned most: \(costly.first { $0.sql.contains("FROM \"note\"") }?.sql ?? "nothing")")

    // MARK: Load

    let clock = ContinuousClock()
    let start = clock.now
    let load = try await Load.test(port: server.port, connections: 8, requests: 100)
    let seconds = (clock.now - start) / .seconds(1)
    print("Load test: \(load.answered) requests were answered, and \(load.failed) were not.")
    print("That is \(Int(Double(load.answered) / seconds)) in a second, from 8 connections, in this build.")

    // MARK: Shutdown

    // New connections are refused, running requests are answered, and streams end. Then the databases may end.
    await server.stop()
    await serving.value
    for (board, count) in try await store.counts().sorted(by: { $0.key < $1.key }) { print("Notes on the board \(board): \(count)") }
    client.end()
    watcher.end()
    // Accesses end, the logs are copied into their files, and the connections are closed.
    store.files.shutDown()
    try await databases.value
}

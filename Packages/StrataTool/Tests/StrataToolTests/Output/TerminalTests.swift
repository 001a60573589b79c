import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The command as a process, with a pseudo-terminal and without.
@Suite struct TerminalTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = try Maker.library.makeDatabase(
            named: "a.sqlite", in: folder, sql: "CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(2000000))"
        ).path
    }

    @Test
    func `Titles are bold on a terminal, and nowhere else`() throws {
        let bold = "\u{1B}[1m━━━ t ━━━ table"
        #expect(try runInTerminal(["schema", path]).output.contains(bold))
        #expect(try !runInTerminal(["schema", path], environment: ["NO_COLOR": "1"]).output.contains("\u{1B}"))
        #expect(try !runInTerminal(["schema", path], environment: ["TERM": "dumb"]).output.contains("\u{1B}"))
        let piped = try runPiped(["schema", path])
        #expect(piped.output.contains("━━━ t ━━━ table") && !piped.output.contains("\u{1B}"))
    }

    @Test
    func `A backup shows its progress on a terminal, erases it, and prints one line`() throws {
        let copy = folder.file("copy.sqlite").path
        let result = try runInTerminal(["backup", path, copy, "--pages", "100"])
        #expect(result.status == 0)
        #expect(result.output.contains("\r["), "\(result.output)")
        #expect(result.output.contains("##") && result.output.contains("%"), "\(result.output)")
        let end = try #require(result.output.components(separatedBy: "\u{1B}[K").last)
        #expect(end.contains("copied to") && !end.contains("#"), "\(result.output)")

        let piped = try runPiped(["backup", path, copy, "--replace", "--pages", "100"])
        #expect(piped.status == 0)
        #expect(piped.output.split(separator: "\n").count == 1)
        #expect(piped.errors.isEmpty)
    }

    @Test
    func `Errors go to standard error, with their exit status`() throws {
        let failure = try runPiped(["show", path + ".missing"])
        #expect(failure.status == 1)
        #expect(failure.output.isEmpty)
        #expect(failure.errors.hasPrefix("strata: ") && failure.errors.split(separator: "\n").count == 1)
        #expect(try runPiped(["show"]).status == 64)
    }

    @Test
    func `A box fits into the terminal`() throws {
        let result = try runInTerminal(["sql", path, "SELECT hex(zeroblob(500)) AS zeros"], columns: 60)
        #expect(result.status == 0)
        #expect(result.output.split(whereSeparator: \.isNewline).allSatisfy { $0.count <= 60 }, "\(result.output)")
    }

    @Test
    func `Control characters of a database are escaped on a terminal, and nowhere else`() throws {
        // Red text, the title of the window, a bell, a line that returns to its beginning, and a mark that turns the direction of writing.
        let text = "a\u{1B}[31mb\u{1B}]0;title\u{7}c\rd\u{9B}e\u{202E}f\tg\nh"
        let file = try Maker.library.makeDatabase(
            named: "c.sqlite", in: folder,
            sql:
                "CREATE TABLE t (\"a\u{1B}[31m\" DEFAULT '\u{1B}[31m'); INSERT INTO t VALUES ('\(text)'); CREATE VIEW \"v\u{7}\" AS SELECT '\u{1B}c'"
        ).path
        func isControl(_ scalar: Unicode.Scalar) -> Bool {
            scalar != "\n" && scalar != "\t" && [.control, .format].contains(scalar.properties.generalCategory)
        }
        let formats = ["box", "csv", "debug", "insert", "json", "jsonlines", "line", "list", "markdown", "quote", "table"]
        let commands =
            formats.map { ["sql", file, "SELECT * FROM t", "--table=t", "--format", $0] } + formats.map { ["dump", file, "--format", $0] }
            + [
                ["dump", file, "t"], ["schema", file, "--sql"], ["swift", file],
            ]
        for command in commands {
            let result = try runInTerminal(command, environment: ["NO_COLOR": "1"])
            // The terminal adds a CR to each LF, also to the LF of CSV, which has one.
            let output = result.output.replacing("\r\r\n", with: "\n").replacing("\r\n", with: "\n")
            #expect(!output.unicodeScalars.contains(where: isControl), "\(command): \(output.debugDescription)")
            #expect(result.status == 0, "\(command)")
        }
        let list = ["sql", file, "SELECT * FROM t", "--format=list"]
        #expect(try runInTerminal(list).output.contains(#"a\u{1B}[31mb\u{1B}]0;title\u{7}c\rd\u{9B}e\u{202E}f"#))
        #expect(try runPiped(list).output.contains(text))
        #expect(try runPiped(["dump", file]).output.contains("a\u{1B}[31mb"))
    }

    // MARK: - Processes

    private func makeProcess(_ arguments: [String], _ environment: [String: String]) throws -> Process {
        let process = Process()
        process.executableURL = try strataCommand()
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter { !["NO_COLOR", "TERM"].contains($0.key) }
            .merging(["TERM": "xterm"]) { $1 }.merging(environment) { $1 }
        return process
    }

    private func runPiped(_ arguments: [String]) throws -> ToolResult {
        try makeProcess(arguments, [:]).result(in: TemporaryFolder())
    }

    /// Runs the command in a pseudo-terminal, which both outputs go to.
    private func runInTerminal(
        _ arguments: [String], environment: [String: String] = [:], columns: UInt16 = 100
    ) throws -> (status: Int32, output: String) {
        let (primary, secondary) = openPseudoTerminal()
        try #require(primary >= 0 && secondary >= 0)
        defer { close(primary) }
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(primary, UInt(TIOCSWINSZ), &size) == 0)

        let process = try makeProcess(arguments, environment)
        let terminal = FileHandle(fileDescriptor: secondary, closeOnDealloc: false)
        process.standardOutput = terminal
        process.standardError = terminal
        try process.run()
        close(secondary)
        // Reading fails, or gives nothing, once the process has closed the other end.
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(primary, &buffer, buffer.count)
            if count <= 0 { break }
            bytes += buffer[..<count]
        }
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }
}

/// The two ends of a new pseudo-terminal, or -1.
private func openPseudoTerminal() -> (primary: Int32, secondary: Int32) {
    #if canImport(Glibc)
        // The module Glibc has no posix_openpt, as it needs a macro. These are the two requests behind unlockpt and ptsname.
        let primary = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var lock: Int32 = 0
        var number: UInt32 = 0
        guard ioctl(primary, UInt(0x4004_5431), &lock) == 0, ioctl(primary, UInt(0x8004_5430), &number) == 0 else { return (-1, -1) }
        return (primary, open("/dev/pts/\(number)", O_RDWR | O_NOCTTY))
    #else
        let primary = posix_openpt(O_RDWR | O_NOCTTY)
        guard primary >= 0, grantpt(primary) == 0, unlockpt(primary) == 0 else { return (-1, -1) }
        return (primary, open(String(cString: ptsname(primary)), O_RDWR | O_NOCTTY))
    #endif
}

import Foundation

/// This process's ends of the pipes of another process.
struct ProcessPipes {
    /// What the process reads as its standard input.
    let input: FileHandle

    /// What the process writes to its standard output.
    let output: FileHandle
}

/// What went wrong with a process itself. It is thrown, since expectations on a thread of one's own belong to no test.
struct ProcessFailure: Error, CustomStringConvertible {
    let description: String
}

extension Process {
    /// A process that runs a program of the package.
    convenience init(program name: String, _ arguments: [String]) {
        self.init()
        executableURL = builtProgram(name)
        self.arguments = arguments
    }

    /// Starts the process with pipes that no other process has open.
    ///
    /// Those of Foundation's `Pipe` are open in each process that another thread starts at the same moment: who reads an output to its end
    /// then waits for the end of that process, too.
    func runWithPipes() throws -> ProcessPipes {
        try checkOpenFiles()
        let (input, output) = (try makePipe(), try makePipe())
        standardInput = input.reading
        standardOutput = output.writing
        try run()
        try input.reading.close()
        try output.writing.close()
        return ProcessPipes(input: input.writing, output: output.reading)
    }

    /// Runs the process to its end, and returns what it has written to its standard output.
    func outputOfRun() throws -> String {
        let pipes = try runWithPipes()
        let output = pipes.output.readDataToEndOfFile()
        waitUntilExit()
        return String(decoding: output, as: UTF8.self)
    }
}

/// Foundation's `Process` reads the names of all open descriptors, and beyond its memory when there are more than 1,364.
private func checkOpenFiles() throws {
    let descriptor = open("/dev/null", O_RDONLY)
    close(descriptor)
    guard descriptor < 1000 else { throw ProcessFailure(description: "\(descriptor) files are open: run the cases one after another.") }
}

/// Makes a pipe that no other process gets. It has a name for a moment, as only opening a file sets the flag for this in one step everywhere.
func makePipe() throws -> (reading: FileHandle, writing: FileHandle) {
    let path = NSTemporaryDirectory() + "strata-pipe-" + UUID().uuidString
    guard mkfifo(path, 0o600) == 0 else { throw ProcessFailure(description: "There is no pipe: \(String(cString: strerror(errno)))") }
    defer { unlink(path) }
    // Without the flag, it would wait for the writing end.
    let reading = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    let writing = open(path, O_WRONLY | O_CLOEXEC)
    _ = fcntl(reading, F_SETFL, 0)
    guard reading >= 0, writing >= 0 else { throw ProcessFailure(description: "There is no pipe: \(String(cString: strerror(errno)))") }
    return (FileHandle(fileDescriptor: reading, closeOnDealloc: true), FileHandle(fileDescriptor: writing, closeOnDealloc: true))
}

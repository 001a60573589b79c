import Foundation

/// Calls a closure for each search: at each key in a terminal, and otherwise for each line of standard input.
func searchAsYouType(_ search: (String) throws -> Void) throws {
    guard isatty(STDIN_FILENO) != 0, isatty(STDOUT_FILENO) != 0 else {
        while let line = readLine() { try search(line) }
        return
    }
    var saved = termios()
    tcgetattr(STDIN_FILENO, &saved)
    var raw = saved
    // Keys arrive immediately, and are not echoed. Control-C still ends the program.
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &raw)
    defer { tcsetattr(STDIN_FILENO, TCSANOW, &saved) }

    print("Type words to search for; Return ends the program.")
    var bytes: [UInt8] = []
    var key: UInt8 = 0
    while read(STDIN_FILENO, &key, 1) == 1 {
        switch key {
        case 10, 13, 4: return print("")
        case 8, 127:
            // The last character may have several bytes.
            while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        case 32...: bytes.append(key)
        default: continue
        }
        // Clears the screen.
        print("\u{1B}[2J\u{1B}[H", terminator: "")
        try search(String(decoding: bytes, as: UTF8.self))
        fflush(nil)
    }
}

import Foundation

/// Returns the beginnings of the manual pages of this machine, with their titles. Returns no pages if the machine has none.
///
/// They are compressed: programs that every system has unpack them, and remove the commands for the layout.
func manualPages() throws -> [Page] {
    let script = #"""
        find -L /usr/share/man -name '*.gz' -print0 2>/dev/null | xargs -0 gzip -dcf 2>/dev/null | LC_ALL=C awk '
            /^\.(TH|Dt) / { lines = 25; gsub(/"/, ""); printf "\f%s %s\n", $2, $3; next }
            lines-- > 0 && !/^\.\\"/ { sub(/^\.[A-Za-z]+ ?/, ""); gsub(/\\f[A-Z]|\\&/, ""); gsub(/\\-/, "-"); gsub(/"/, ""); printf "%s ", $0 }
        '
        """#
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script]
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return data.split(separator: UInt8(ascii: "\u{0C}")).compactMap { bytes in
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let title = String(decoding: bytes[..<end], as: UTF8.self)
        return Page(title: title, text: String(decoding: bytes[(end + 1)...], as: UTF8.self))
    }
}

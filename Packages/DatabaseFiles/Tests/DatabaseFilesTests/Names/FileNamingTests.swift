import Foundation
import Testing

@testable import DatabaseFiles

struct FileNamingTests {
    @Test(arguments: [
        ("arthur", "arthur.sqlite"), ("a-b_9", "a-b_9.sqlite"), ("Arthur", "%41rthur.sqlite"), (".", "%2e.sqlite"), ("..", "%2e%2e.sqlite"),
        ("a/b", "a%2fb.sqlite"), ("a\u{0}b", "a%00b.sqlite"), ("a.sqlite-wal", "a%2esqlite-wal.sqlite"), ("%41", "%2541.sqlite"),
        ("\u{e9}", "%c3%a9.sqlite"), ("e\u{301}", "e%cc%81.sqlite"), ("-wal", "-wal.sqlite"), (" ", "%20.sqlite"),
    ])
    func `The name of a file is made from the bytes of a name`(_ name: String, _ file: String) throws {
        #expect(try FileNaming.fileName(of: name) == file)
        #expect(FileNaming.name(ofFile: file).map { Array($0.utf8) } == Array(name.utf8))
    }

    @Test
    func `Names that are one string to Swift, or one name to a file system, have different files`() throws {
        let names = ["e\u{301}", "\u{e9}", "E\u{301}", "\u{c9}", "\u{df}", "ss", "SS", "\u{131}", "i", "I", "\u{212a}", "k", "K"]
        let files = try names.map { try FileNaming.fileName(of: $0).lowercased().precomposedStringWithCompatibilityMapping }
        #expect(Set(files).count == names.count)
        #expect(Set(names.map { FileKey($0) }).count == names.count)
    }

    @Test
    func `Random names return from their files`() throws {
        var random = SeededGenerator(seed: 1)
        var files: Set<String> = []
        var names: Set<[UInt8]> = []
        for _ in 0..<1000 {
            let scalars = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                UnicodeScalar(UInt32.random(in: 0..<(Bool.random(using: &random) ? 128 : 0xD800), using: &random))!
            }
            let name = String(String.UnicodeScalarView(scalars))
            let file = try FileNaming.fileName(of: name)
            #expect(FileNaming.name(ofFile: file).map { Array($0.utf8) } == Array(name.utf8))
            files.insert(file)
            names.insert(Array(name.utf8))
        }
        #expect(files.count == names.count)
    }

    @Test
    func `Empty and long names are refused`() throws {
        #expect(throws: DatabaseFileError.self) { try FileNaming.fileName(of: "") }
        let longest = String(repeating: "a", count: FileNaming.maximumLength)
        #expect(try FileNaming.fileName(of: longest).utf8.count + "-journal".utf8.count == 255)
        #expect(throws: DatabaseFileError.self) { try FileNaming.fileName(of: longest + "a") }
        #expect(throws: DatabaseFileError.self) { try FileNaming.fileName(of: String(repeating: "A", count: 81)) }
    }

    @Test(arguments: [
        "arthur.sqlite-wal", "arthur", "Arthur.sqlite", "%4.sqlite", "%zz.sqlite", "%61.sqlite", "%C3%A9.sqlite", "%ff.sqlite", ".sqlite",
        ".strata-new-1", "%+1.sqlite",
    ])
    func `Other files have no name`(_ file: String) {
        #expect(FileNaming.name(ofFile: file) == nil)
    }
}

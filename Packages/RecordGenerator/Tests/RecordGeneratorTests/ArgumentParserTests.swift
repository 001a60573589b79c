import StrataCommandSupport
import Testing

@Suite struct ArgumentParserTests {
    private let options = [Option("--format", value: "FORMAT", ""), Option("--all", "")]

    @Test
    func `Options stand anywhere, with their values after them or after an equals sign`() throws {
        let parsed = try ParsedArguments(["a", "--format", "csv", "b", "--all", "-"], options: options)
        #expect(parsed.operands == ["a", "b", "-"])
        #expect(parsed["--format"] == "csv")
        #expect(parsed.has("--all"))
        #expect(try ParsedArguments(["--format=a=b"], options: options)["--format"] == "a=b")
        #expect(try ParsedArguments(["--format="], options: options)["--format"] == "")
        // A value can look like an option.
        #expect(try ParsedArguments(["--format", "--all"], options: options)["--format"] == "--all")
    }

    @Test
    func `Two dashes end the options`() throws {
        let parsed = try ParsedArguments(["--", "--all", "--"], options: options)
        #expect(parsed.operands == ["--all", "--"])
        #expect(!parsed.has("--all"))
    }

    @Test(arguments: [
        (["--none"], "unknown option --none"), (["-x"], "unknown option -x"), (["--format"], "--format needs a value: --format FORMAT"),
        (["--all=1"], "--all takes no value"), (["--all", "--all"], "--all is given twice"),
        (["--format=a", "--format=b"], "--format is given twice"),
    ])
    func `A wrong option is an error that names it`(_ arguments: [String], _ message: String) {
        let error = #expect(throws: UsageError.self) { try ParsedArguments(arguments, options: options) }
        #expect(error?.description == message)
    }
}

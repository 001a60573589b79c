import Foundation
import Testing

@testable import StrataTool

/// What `make install` puts beside the executable.
@Suite struct InstallationTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func file(_ name: String, _ arguments: String...) throws -> String {
        let result = strata(arguments)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
        try Data(result.output.utf8).write(to: folder.file(name))
        return folder.file(name).path
    }

    /// The words with which a shell completes a command line.
    private func bash(_ words: String...) throws -> [String] {
        let script = try file("bash", "completion", "bash")
        let result = try runProgram(
            [
                "bash", "-c",
                #"source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _strata; printf '%s\n' "${COMPREPLY[@]}""#,
                "bash", script, "strata",
            ] + words)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
        return result.lines
    }

    @Test(.enabled(if: hasProgram("bash"), "bash is not installed"))
    func `bash completes subcommands, their options, and values of options`() throws {
        #expect(try bash("s") == ["show", "sql", "schema", "swift"])
        #expect(try bash("help", "ba") == ["backup"])
        #expect(try bash("show", "--") == ["--rows", "--timeout", "--immutable", "--help"])
        #expect(try bash("sql", "library.sqlite", "SELECT 1", "--format", "j") == ["json", "jsonlines"])
        #expect(try bash("load", "--on-conflict", "re") == ["replace"])
        // Files, which bash itself completes.
        #expect(try bash("show", "lib").isEmpty)
        #expect(try bash("swift", "--settings", "").isEmpty)
    }

    @Test(.enabled(if: hasProgram("bash"), "bash is not installed"), arguments: Subcommand.all)
    func `bash completes each option`(_ subcommand: Subcommand) throws {
        #expect(try bash(subcommand.name, "--") == subcommand.options.map(\.name) + ["--help"])
    }

    @Test(.enabled(if: hasProgram("zsh"), "zsh is not installed"))
    func `zsh completes subcommands, their options, and values of options`() throws {
        let script = try file("_strata", "completion", "zsh")
        // Stand-ins for the functions of zsh's completion system print what they are given.
        func zsh(_ words: String...) throws -> [String] {
            let result = try runProgram(
                [
                    "zsh", "-f", "-c",
                    """
                    compdef() { :; }
                    _describe() { print -rl -- ${(P)2}; }
                    _arguments() { print -rl -- "$@"; }
                    source "$1"; shift; words=("$@"); CURRENT=$#words; _strata
                    """,
                    "zsh", script, "strata",
                ] + words)
            #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
            return result.lines
        }
        #expect(try zsh("") == Subcommand.all.map { "\($0.name):\($0.summary)" })
        #expect(try zsh("help", "") == Subcommand.all.map { "\($0.name):\($0.summary)" })
        let load = try zsh("load", "")
        #expect(load.contains("--columns=[The columns of CSV without a header, in order; an empty name skips a column.]:A,B,…:"), "\(load)")
        #expect(
            load.contains { $0.hasPrefix("--on-conflict=[") && $0.hasSuffix("]:ACTION:(abort ignore replace rollback fail)") }, "\(load)")
        #expect(load.last == "*:file:_files")
        let sql = try zsh("sql", "")
        #expect(sql.contains(#"--arguments=[The arguments: '\[1, "a", null\]' for ?, '{"id": 1}' for :id.]:JSON:"#), "\(sql)")
        for subcommand in Subcommand.all {
            #expect(try zsh(subcommand.name, "").count == subcommand.options.count + 2)
        }
    }

    @Test(.enabled(if: hasProgram("zsh"), "zsh is not installed"))
    func `zsh loads the completions from a folder of functions`() throws {
        _ = try file("_strata", "completion", "zsh")
        let result = try runProgram([
            "zsh", "-f", "-c",
            """
            fpath=("$1" $fpath)
            _describe() { print -rl -- ${(P)2}; }
            autoload -Uz _strata
            words=(strata ""); CURRENT=2; _strata
            """,
            "zsh", folder.url.path,
        ])
        #expect(result.lines.count == Subcommand.all.count, "\(result)")
    }

    @Test
    func `The manual page has each subcommand and each option`() throws {
        let page = strata("manual").output
        for subcommand in Subcommand.all {
            #expect(page.contains(".SS \"strata \(subcommand.name.replacing("-", with: "\\-"))"))
            for option in subcommand.options {
                #expect(page.contains("\n.B \(option.name.replacing("-", with: "\\-"))"))
            }
        }
        // Lines of text that are no requests.
        let requests: Set<Substring> = [".TH", ".SH", ".SS", ".B", ".BR", ".I", ".PP", ".TP"]
        for line in page.split(separator: "\n") where line.hasPrefix(".") {
            #expect(requests.contains(line.prefix { $0 != " " }), "\(line)")
        }
    }

    @Test(.enabled(if: hasProgram("mandoc"), "mandoc is not installed"))
    func `mandoc reads the manual page`() throws {
        let page = try file("strata.1", "manual")
        let result = try runProgram(["mandoc", "-T", "utf8", "-W", "error", page])
        #expect(result.status == 0, "\(result)")
        let text = result.output.replacing(#/.\u{8}/#, with: "")
        #expect(text.contains("--on-conflict ACTION") && text.contains("strata schema [options] FILE [TABLE...]"), "\(text)")
    }

    @Test
    func `There are no completions for other shells`() {
        let result = strata("completion", "fish")
        #expect(result.status == 64 && result.errors.contains("there are no completions for fish"), "\(result)")
    }
}

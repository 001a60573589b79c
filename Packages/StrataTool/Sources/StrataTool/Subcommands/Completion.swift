import Strata
import StrataCommandSupport

extension Subcommand {
    static let completion = Subcommand(
        name: "completion",
        summary: "Prints the completions of the command for bash or zsh.",
        operands: "SHELL",
        options: [],
        discussion: """
            SHELL is bash or zsh. make install puts the output where these shells look for it. To try it in bash:
            source <(strata completion bash)
            """
    ) { arguments, console in
        switch arguments.operands[0] {
        case "bash": console.write(bashCompletion)
        case "zsh": console.write(zshCompletion)
        case let shell: throw UsageError("there are no completions for \(shell)", advice: "There are some for bash and for zsh.")
        }
        return true
    }

    /// The subcommands' names and options. Without words of its own, bash completes the names of files.
    ///
    /// It runs in bash 3.2, which macOS has: without `compopt`, `mapfile` and associative arrays.
    private static var bashCompletion: String {
        var cases = ""
        for subcommand in all {
            let values = subcommand.options.filter { !$0.values.isEmpty }.map { option in
                "            \(option.name)) words='\(option.values.joined(separator: " "))' ;;\n"
            }
            let names = subcommand.options.filter { $0.value != nil && $0.values.isEmpty }.map(\.name)
            let files = names.isEmpty ? "" : "            \(names.joined(separator: " | "))) return ;;\n"
            cases += """
                    \(subcommand.name))
                        words='\((subcommand.options.map(\.name) + ["--help"]).joined(separator: " "))'
                        case $previous in
                \(values.joined())\(files)            *) [[ $word == -* ]] || return ;;
                        esac
                        ;;

                """
        }
        return """
            # Completions of strata for bash, printed by `strata completion bash`.

            _strata() {
                local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words=
                COMPREPLY=()
                if [[ $COMP_CWORD -eq 1 || $previous == help && $COMP_CWORD -eq 2 ]]; then
                    words='\((all.map(\.name) + ["help", "--help"]).joined(separator: " "))'
                else
                    case ${COMP_WORDS[1]} in
            \(cases)        *) return ;;
                    esac
                fi
                COMPREPLY=($(compgen -W "$words" -- "$word"))
            }
            complete -o bashdefault -o default -F _strata strata

            """
    }

    /// The subcommands and options with their descriptions; all operands are files.
    private static var zshCompletion: String {
        func quoted(_ text: String) -> String { "'\(text.replacing("'", with: #"'\''"#))'" }
        func escaped(_ text: String, _ characters: String) -> String {
            text.reduce(into: "") { $0 += characters.contains($1) ? "\\\($1)" : "\($1)" }
        }
        let subcommands = all.map { "        \(quoted("\(escaped($0.name, ":")):\($0.summary)"))\n" }.joined()
        var cases = ""
        for subcommand in all {
            let options = (subcommand.options + [Option("--help", "Prints this help.")]).map { option in
                let value = option.value.map { placeholder in
                    let isFile = ["PATH", "SCRIPT", "OTHER"].contains(placeholder)
                    let values = option.values.joined(separator: " ")
                    return ":\(escaped(placeholder, ":")):\(isFile ? "_files" : values.isEmpty ? "" : "(\(values))")"
                }
                return quoted("\(option.name)\(option.value == nil ? "" : "=")[\(escaped(option.help, #"\[]"#))]\(value ?? "")")
            }
            cases += "        \(subcommand.name)) _arguments \((options + [quoted("*:file:_files")]).joined(separator: " ")) ;;\n"
        }
        return """
            #compdef strata
            # Completions of strata for zsh, printed by `strata completion zsh`.

            _strata() {
                local -a subcommands
                subcommands=(
            \(subcommands)    )
                if (( CURRENT == 2 )); then
                    _describe subcommand subcommands
                    return
                fi
                shift words
                (( CURRENT-- ))
                case $words[1] in
            \(cases)        help) _describe subcommand subcommands ;;
                esac
            }
            if [[ $funcstack[1] == _strata ]]; then _strata "$@"; else compdef _strata strata; fi

            """
    }
}

# Puts each statement that adds something to the description of a query behind a number: `if chosenMutant != 7 { shape.append(name) }`.
#
#     awk -v first=NUMBER -v list=FILE -f Scripts/mutants.awk SOURCE
#
# Prints the changed source, and appends a line to the list for each statement: its number, the file and line, and the statement.

{ text = text $0 "\n" }

END {
    number = first
    lines = 1
    rest = text
    in_shape = 0
    output = ""
    # Ends of the statements that are open: the bracket depth at which each one ends.
    open = 0
    depth = 0
    at_start = 1
    while (rest != "") {
        if (at_start) {
            line = substr(rest, 1, index(rest, "\n"))
            at_start = 0
            if (line ~ /^[a-z]/) in_shape = line ~ /^(extension|package struct) SQLShape /
            # Code and the comments after it are never on one line.
            if (line ~ /^ *\/\// || line ~ /func /) {
                if (line !~ /func .*\{.*\}$/) {
                    take(length(line))
                    continue
                }
                # A function on one line.
                take(index(line, "{"))
                line = substr(rest, 1, index(rest, "\n"))
            }
        }
        if (match(rest, /^(try )?([A-Za-z$][A-Za-z0-9_.?\[\]]*\.)?(append[A-Za-z]*\(|describe\(to: &)/) && is_statement(RLENGTH)) {
            statement = substr(rest, 1, index(rest, "\n") - 1)
            print number "\t" FILENAME ":" lines "\t" statement >> list
            output = output "if chosenMutant != " number++ " { "
            ends[++open] = depth
            take(RLENGTH)
            continue
        }
        take(1)
    }
    printf "%s", output
}

# Returns whether what is about to come, a call of some length, describes, and is a statement of its own.
function is_statement(length_of_call, call, before) {
    call = substr(rest, 1, length_of_call)
    before = output
    sub(/ +$/, "", before)
    before = substr(before, length(before), 1)
    # After a word such as `return`, or an operator, it is an operand.
    if (before !~ /[{\n:]/ && substr(output, length(output) - 3) !~ /in $/) return 0
    if (call ~ /shape\.append/ || call ~ /describe\(to: &/) return 1
    if (call ~ /\$0\.append/) return open > 0
    return in_shape && call ~ /^(try )?append/
}

# Copies characters, and closes the statements that end among them.
function take(count, i, character) {
    for (i = 1; i <= count; i++) {
        character = substr(rest, i, 1)
        if (open > 0 && depth == ends[open] && (character == "\n" || character ~ /[)}\]]/)) {
            sub(/ $/, "", output)
            while (open > 0 && depth == ends[open]) {
                output = output " }"
                open--
            }
            if (character == "}") output = output " "
        }
        if (character ~ /[({\[]/) depth++
        if (character ~ /[)}\]]/) depth--
        output = output character
        if (character == "\n") {
            lines++
            at_start = 1
        }
    }
    rest = substr(rest, count + 1)
}

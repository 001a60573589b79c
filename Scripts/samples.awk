# Writes the samples of documentation comments, or those of a page in Markdown, as a Swift file: see check-samples.sh.
#
#     awk -f Scripts/samples.awk Packages/X/Sources/…/A.swift …
#     awk -v page=README.md -v context=Tests/Samples/README.swift -f Scripts/samples.awk README.md
#     awk -v page=X.md -v originals="Packages/X/README.md README.md" -f Scripts/samples.awk X.md
#
# A sample of a comment becomes a function of its own. A sample of a page goes where the page's context has its name: `// sample: Title 2`
# is the second sample below the heading "Title". What comments of a page's sample state becomes an expectation:
#
#     SELECT …            this SQL, or several statements, ran or was printed: after the comment if nothing encloses it, else in any test
#     'text'              a statement with this literal ran
#     1, "a", [1], nil    the value of the statement before it
#     anything else       what the statement prints, if it is `print(…)` or `….dump…(…)`
#
# SQL stands above its statement or behind it, what is printed also above it. `…` is any text.
#
# A page without context has only samples of other pages, the originals.

# Messages of the compiler and of tests are about the line of the sample.
function location(line, file) { return "#sourceLocation(file: \"" (file == "" ? FILENAME : file) "\", line: " line ")" }

function declares(line) {
    return line ~ /^(@[A-Za-z]+ )*((public|private|final|indirect) )*(struct|class|enum|actor|protocol|extension) /
}
function name_of(line) {
    sub(/^(@[A-Za-z]+ )*((public|private|final|indirect) )*(struct|class|enum|actor|protocol|extension) /, "", line)
    sub(/[^A-Za-z0-9_].*/, "", line)
    return line
}
function rename(line, types,    result, word) {
    while (match(line, /[A-Za-z_][A-Za-z0-9_]*/)) {
        word = substr(line, RSTART, RLENGTH)
        result = result substr(line, 1, RSTART - 1) (word in types ? word "_" number : word)
        line = substr(line, RSTART + RLENGTH)
    }
    return result line
}

# A function contains no extension: in samples that have one, the declarations stand before the function. Their types get names of their own,
# as the context and other samples have a `Player`, too.
function separate(    i, inDeclaration, types) {
    for (i = 1; i <= count; i++) {
        isDeclaration[i] = inDeclaration || declares(code[i])
        if (!inDeclaration && isDeclaration[i]) {
            if (code[i] !~ /^((public|private) )?extension /) types[name_of(code[i])] = 1
            inDeclaration = code[i] !~ /}$/
        } else if (code[i] ~ /^}/) inDeclaration = 0
    }
    for (i = 1; i <= count; i++) code[i] = rename(code[i], types)
}
function write_lines(declarations,    i) {
    for (i = 1; i <= count; i++) {
        if (isDeclaration[i] != declarations) continue
        if (i == 1 || isDeclaration[i - 1] != declarations) print location(first + i - 1)
        print code[i]
    }
}
function write_function(    i) {
    for (i = 1; i <= count; i++) isDeclaration[i] = 0
    if (extends) separate()
    for (i = 1; i <= depth; i++) print conditions[i]
    write_lines(1)
    print location(first)
    print "func sample" number "() " (awaits ? "async " : "") "throws {"
    write_lines(0)
    print location(first + count)
    print "}"
    for (i = 1; i <= depth; i++) print "#endif"
}

# What comments of pages state

function indent_of(line) { match(line, /[^ ]|$/); return RSTART - 1 }
function literal(text) { return "##\"" text "\"##" }
function is_sql(text) {
    return text ~ /^(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|PRAGMA|VACUUM|EXPLAIN) /
}
function is_value(text) {
    return text ~ /^(-?[0-9][0-9_]*(\.[0-9]+)?|"[^"]*"|true|false|nil|\[\]|\[("|-?[0-9]|nil|true|false|\[).*\])$/
}
function prints(line) { return line ~ /^ *((try|await) )*(print\(|[A-Za-z_.]*\.dump[A-Za-z]*\().*\)$/ }

# Splits a line into `statement` and `comment`, which is empty if the line has none.
function split_comment(line,    i, character, inText) {
    for (i = 1; i <= length(line); i++) {
        character = substr(line, i, 1)
        if (character == "\"" && substr(line, i - 1, 1) != "\\") inText = !inText
        if (!inText && substr(line, i, 3) == "// ") {
            statement = substr(line, 1, i - 1)
            comment = substr(line, i + 3)
            sub(/ +$/, "", statement)
            sub(/^ +/, "", comment)
            return
        }
    }
    statement = line
    comment = ""
}
# The line `i`, without comment, prints a text.
function expect_printed(i, text,    prefix) {
    match(code[i], /^ *((try|await) )*/)
    prefix = substr(code[i], 1, RLENGTH) (code[i] ~ /\(try / ? "try " : "")
    code[i] = prefix "expectPrinted(" literal(text) ") { " substr(code[i], 1 + indent_of(code[i])) " }"
}
# The SQL of a comment in line `i` runs in some test of the page, or after the comment.
function state_sql(i, text) { stated = stated "StatedSQL(" literal(text) ", \"" page "\", " (first + i - 1) "), " }
function expect_sql(i, text) {
    if (isProgram && indent_of(lines[i]) == 0) code[i] = "expectSQL(" literal(text) "); " code[i]
    else state_sql(i, text)
}
# The statement that ends in line `i`, and begins with an indent, has a value.
function expect_value(i, text, indent,    start, prefix) {
    start = i
    while (start > 1 && (code[start] ~ /^ *([})\].]|$)/ || indent_of(code[start]) > indent)) start--
    if (match(code[start], /^ *(let|var) [A-Za-z_0-9]+/)) {
        prefix = substr(code[start], RSTART, RLENGTH)
        sub(/^ *(let|var) /, "", prefix)
        code[i] = code[i] "; #expect(" prefix " == " text ")"
    } else if (start == i) {
        match(code[i], /^ *((try|await) )*/)
        code[i] = substr(code[i], 1, RLENGTH) "expected(" substr(code[i], RLENGTH + 1) ", " text ")"
    } else code[i] = "#error(\"the value of these lines can't be compared: give it a name\")"
}
function expect(    i, j, k, inText, marks, text, previous) {
    isProgram = 0
    for (i = 1; i <= count; i++) {
        lines[i] = code[i]
        if (code[i] !~ /^( |[})\]]|$|\/\/|@|#)/ && !declares(code[i]) && code[i] !~ /^((public|private|static|mutating) )*func /) isProgram = 1
    }
    for (i = 1; i <= count; i++) {
        marks = gsub(/"""/, "&", lines[i])
        if (inText || marks % 2) {
            inText = (inText + marks) % 2
            previous = i
            continue
        }
        split_comment(lines[i])
        if (comment == "") {
            previous = statement == "" ? 0 : i
            continue
        }
        code[i] = statement
        if (statement != "") {
            previous = i
            if (prints(statement)) expect_printed(i, comment)
            else if (is_sql(comment)) expect_sql(i, comment)
            else if (comment ~ /^'.*'$/) state_sql(i, "…" comment "…")
            else if (is_value(comment)) {
                expect_value(i, comment, indent_of(statement) - (statement ~ /^ *\./ ? 4 : 0))
            }
            continue
        }
        # A comment of its own: all its lines.
        text = comment
        for (j = i + 1; j <= count && lines[j] ~ /^ *\/\/ / && indent_of(lines[j]) == indent_of(lines[i]); j++) {
            split_comment(lines[j])
            text = text " " comment
            code[j] = ""
        }
        if (previous && prints(code[previous])) expect_printed(previous, text)
        else if (is_sql(text)) expect_sql(i, text)
        else if (j <= count && prints(lines[j])) expect_printed(j, text)
        else if (text ~ /^'.*'$/) state_sql(i, "…" text "…")
        else if (previous && is_value(text)) expect_value(previous, text, indent_of(lines[i]))
        previous = 0
        i = j - 1
    }
}

# The samples

# A line without indentation, and nothing for an empty line.
function normal(line) {
    gsub(/^ +| +$/, "", line)
    gsub(/  +/, " ", line)
    return line == "" || line ~ /^import / ? "" : line "\n"
}
function end_sample(    i) {
    if (page == "") {
        number++
        printf "%s", imports
        write_function()
        return
    }
    # Manifests of packages, and their parts, are no programs.
    if (code[1] ~ /^(platforms: \[|dependencies: \[|targets: \[|\.package\(|\.(executableT|t)arget\(|\/\/ swift-tools-version)/) return
    printf "%s", imports
    number++
    sampleName = title " " ++numbers[title]
    raw[sampleName] = "\n"
    for (i = 1; i <= count; i++) raw[sampleName] = raw[sampleName] normal(code[i])
    if (context != "") expect()
    text = location(first)
    for (i = 1; i <= count; i++) text = text "\n" code[i]
    samples[sampleName] = text
    place[sampleName] = FILENAME ":" first - 1
}

FNR == 1 { inside = depth = 0 }

# A sample is compiled where its symbol is.
page == "" && !inside && /^ *#if / { conditions[++depth] = $0 }
page == "" && !inside && /^ *#else/ { conditions[depth] = conditions[depth] "\n" $0 }
page == "" && !inside && /^ *#endif/ { depth-- }

page != "" && !inside && /^#+ / { title = $0; sub(/^#+ /, "", title) }
page != "" && !inside { isTested = previousLine != "<!-- untested -->"; previousLine = $0 }

(page == "" && /^ *\/\/\/ ```swift$/) || (page != "" && !inside && isTested && /^```swift$/) {
    inside = 1
    count = awaits = extends = 0
    imports = ""
    first = FNR + 1
    next
}
inside && /^ *(\/\/\/ )?```$/ { inside = 0; end_sample(); next }
page == "" && inside && !/^ *\/\/\// { inside = 0; print location(first - 1) "\n#error(\"the sample has no end\")" }
inside {
    sub(/^ *\/\/\/ ?/, page == "" ? "" : "&")
    if (page == "" && match($0, /\/\/ (error|warning): /)) {
        line = $0 ~ /^ *\/\// ? FNR + 1 : FNR
        print "// expected: " FILENAME ":" line ": " substr($0, RSTART + 3)
    }
    if ($0 ~ /^import /) { imports = imports $0 "\n"; $0 = "" }
    if ($0 ~ /^ *… *(\/\/.*)?$/) $0 = ""
    gsub(/… }/, "fatalError() }")
    if ($0 ~ /(^|[^A-Za-z])await /) awaits = 1
    if ($0 ~ /^((public|private) )?extension /) extends = 1
    code[++count] = $0
}

function complain(sample, text) {
    print place[sample] ": error: " text >"/dev/stderr"
    status = 1
}
END {
    if (page != "" && originals != "") {
        text = "\n"
        fileCount = split(originals, files, " ")
        for (i = 1; i <= fileCount; i++) if (files[i] != page) while ((getline line <files[i]) > 0) text = text normal(line)
        for (sample in raw) if (!index(text, raw[sample])) complain(sample, "the sample is not in " originals)
    } else if (page != "") {
        print "import PageSupport"
        print location(1, context)
        while ((getline line <context) > 0) {
            lineNumber++
            if (line !~ /^ *\/\/ sample: /) {
                if (line ~ /^@Suite\(/ && match(line, /\.page/)) {
                    line = substr(line, 1, RSTART + RLENGTH - 1) "([" stated "])" substr(line, RSTART + RLENGTH)
                }
                print line
                continue
            }
            sub(/^ *\/\/ sample: /, "", line)
            if (line in samples) print samples[line]
            else print location(lineNumber, context) "\n#error(\"" page " has no such sample\")"
            isUsed[line] = 1
            print location(lineNumber + 1, context)
        }
        for (sample in samples) if (!(sample in isUsed)) complain(sample, context " lacks the line “// sample: " sample "”")
    }
    print "// samples: " number + 0
    exit status
}

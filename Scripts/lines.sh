#!/bin/sh
# Counts the lines of each package: code, documentation and tests. Each package has a budget of code.
#
#   Scripts/lines.sh              prints the lines of each package beside its budget
#   Scripts/lines.sh --check      and fails if a package has more code than its budget
#   Scripts/lines.sh --functions  prints the functions of more than 40 lines, the longest first
#   Scripts/lines.sh --repeated   prints the runs of eight lines of code that two places have
#
# Code is the Swift code in Sources and Plugins, without blank lines and comments. Documentation is the comments of these files, and tests
# are the code in Tests. Scripts/lines.txt has the budgets. The counts rely on the layout of swift format.
set -eu
cd "$(dirname "$0")/.."

budgets=Scripts/lines.txt
limit=40

# sources FOLDER ...: the paths of the Swift files in folders, which need not exist; not what builds have written.
sources() {
    for folder in "$@"; do
        [ -d "$folder" ] && find "$folder" -name .build -prune -o -name '*.swift' -print
    done | sort
}

# count OPTION FOLDER ...: how many lines of folders are comments (-e), or neither comments nor blank (-ve).
count() {
    option=$1
    shift
    sources "$@" | tr '\n' '\0' | xargs -0 cat /dev/null | grep -v '^ *$' | grep -c "$option" '^ *//' || true
}

print_lines() {
    printf '%-22s %8s %8s %14s %8s\n' package code budget documentation tests
    for folder in Packages/*/; do
        package=$(basename "$folder")
        [ -d "$folder/Sources" ] || continue
        code=$(count -ve "$folder/Sources" "$folder/Plugins")
        budget=$(awk -v package="$package" '$1 == package { print $2 }' "$budgets")
        printf '%-22s %8d %8s %14d %8d\n' "$package" "$code" "${budget:--}" \
            "$(count -e "$folder/Sources" "$folder/Plugins")" "$(count -ve "$folder/Tests")"
    done
}

# The end of a function is the bracket below the first character of its declaration.
print_functions() {
    sources Packages | grep -v /Tests/ | tr '\n' '\0' | xargs -0 awk -v limit=$limit '
        FNR == 1 { depth = 0 }
        match($0, /^ *((@[A-Za-z_]+(\([^)]*\))?|public|package|private|fileprivate|internal|static|final|mutating|override|class|convenience|required|nonisolated|consuming|borrowing) )*(func |init[?(<]|deinit )/) {
            name = $0
            sub(/^ */, "", name)
            indentation = length($0) - length(name)
            if (name !~ /\}$/) {
                depth++
                starts[depth] = FNR
                names[depth] = name
                indentations[depth] = indentation
            }
        }
        /^ *\}/ {
            match($0, /^ */)
            while (depth > 0 && RLENGTH <= indentations[depth]) {
                if (RLENGTH == indentations[depth] && FNR - starts[depth] + 1 > limit) {
                    print FNR - starts[depth] + 1, FILENAME ":" starts[depth], substr(names[depth], 1, 80)
                }
                depth--
            }
        }
    ' | sort -rn
}

# Lines of up to three characters, such as brackets, and imports are skipped.
print_repeated() {
    sources Packages | grep -v /Tests/ | tr '\n' '\0' | xargs -0 awk -v run=8 '
        FNR == 1 { count = 0; reported = 0 }
        {
            line = $0
            gsub(/^ +| +$/, "", line)
            if (line == "" || line ~ /^\/\// || length(line) < 4 || line ~ /^import /) next
            count++
            lines[count % run] = line
            if (count < run) next
            text = ""
            for (i = 1; i <= run; i++) text = text "\n" lines[(count + i) % run]
            if (text in places) {
                if (count > reported) print FILENAME ":" FNR, "repeats", places[text]
                reported = count + run - 1
            } else {
                places[text] = FILENAME ":" FNR
            }
        }
    '
}

case ${1:-} in
--functions) print_functions ;;
--repeated) print_repeated ;;
--check)
    print_lines | awk '
        NR == 1 { next }
        $3 == "-" { print "Scripts/lines.txt has no budget for " $1 ", which has " $2 " lines of code" > "/dev/stderr"; failed = 1; next }
        $2 > $3 {
            print $1 " has " $2 " lines of code, " $2 - $3 " above its budget in Scripts/lines.txt: take lines away, or raise it with the reason" > "/dev/stderr"
            failed = 1
        }
        { code += $2 }
        END { print "lines: " code " of code"; exit failed }
    '
    ;;
*) print_lines ;;
esac

# Prints one line for each public declaration in Swift files: its type, and its signature.
#
# It does not need a compiler, because swift-format determines the layout: each level of nesting is four spaces, and a declaration ends where its
# parentheses are closed and the next line does not continue it with `where`, `->` or the like.

function trimmed(text) {
    gsub(/^ +| +$/, "", text)
    return text
}

# The number of open parentheses.
function openCount(text) {
    return gsub(/\(/, "(", text) - gsub(/\)/, ")", text)
}

function joined(text, line) {
    return text (text ~ /\($/ || line ~ /^\)/ ? "" : " ") line
}

function report() {
    if (declaration == "") return
    accessors = match(declaration, / \{ (get|set|async|throws|nonmutating|mutating| )+ \}$/) ? substr(declaration, RSTART) : ""
    sub(/ *\{.*/, "", declaration)
    if (declaration ~ /(^| )(var|let) /) sub(/ = .*/, "", declaration)
    gsub(/@(inlinable|usableFromInline|frozen|discardableResult|_disfavoredOverload|inline\([_a-z]*\)|exclusivity\(unchecked\)) /, "", declaration)
    sub(/(public|open) /, "", declaration)
    print (owner == "" ? "" : owner ": ") declaration accessors
    declaration = ""
}

FNR == 1 {
    report()
    depth = 0
    inText = 0
    isHead = 0
}

# Multiline string literals contain no code.
{
    marks = gsub(/"""/, "&")
    if (inText || marks % 2) {
        inText = (inText + marks) % 2
        next
    }
}

/^ *\/\// || /^ *#/ { next }

/^ *$/ {
    report()
    next
}

{
    indent = match($0, /[^ ]/) - 1
    line = trimmed($0)

    if (declaration != "") {
        if (declaration !~ /\{$/ && (openCount(declaration) > 0 || line ~ /^(where|->|throws|rethrows|async) /)) {
            declaration = joined(declaration, line)
            if (line ~ /[{}]$/) isHead = 0
            next
        }
        report()
    }

    # The head of a type or an extension takes several lines.
    if (isHead) {
        if (line ~ /[{}]$/) isHead = 0
        next
    }

    while (depth > 0 && indents[depth] >= indent) depth--
    if (line ~ /^[})\]]/ || (depth > 0 && (isHidden[depth] || indent != indents[depth] + 4)) || (depth == 0 && indent > 0)) {
        # Skip closing braces, bodies, and members of types that are not public, except nested types, which begin a level of their own.
        if (line !~ /(^| )(struct|class|enum|protocol|actor|extension) [^=(]*\{$/) next
    }
    owner = depth > 0 ? names[depth] : ""
    hidden = depth > 0 && isHidden[depth]
    attributes = "^((@[A-Za-z_]+(\\([^)]*\\))?|public|open|final|private|fileprivate|package|indirect|nonisolated) )*"
    isPublic = !hidden && line ~ /(^|\) |[a-z] )(public|open) /

    if (match(line, attributes "(struct|class|enum|protocol|actor|extension) [A-Z_]")) {
        keyword = substr(line, RSTART, RLENGTH - 2)
        sub(/.* /, "", keyword)
        name = substr(line, RLENGTH)
        sub(/[ :<{].*/, "", name)
        if (keyword != "extension" && isPublic) declaration = line
        indents[++depth] = indent
        names[depth] = (owner == "" ? "" : owner ".") name
        kinds[depth] = keyword
        isHidden[depth] = hidden || (keyword != "extension" && !isPublic) || line ~ /^(private|fileprivate) /
        if (line ~ /\}$/) {
            report()
            depth--
        }
        isHead = line !~ /[{}]$/
        next
    }

    kind = depth > 0 ? kinds[depth] : ""
    isMember = line ~ /(^| )(func|init|init\?|var|let|subscript|typealias|associatedtype|operator|case|macro)[ (<?]/
    if (isMember && (isPublic || kind == "protocol" || (kind == "enum" && line ~ /^(indirect )?case /))) declaration = line
}

END { report() }

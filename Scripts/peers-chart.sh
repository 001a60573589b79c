#!/bin/sh
# Draws the table of `make bench PEERS=1` as bars: FOLDER/peers.svg for light pages, FOLDER/peers~dark.svg for dark ones.
#
#     Scripts/peers-chart.sh FOLDER <.build/bench/peers/table.md
#     Scripts/peers-chart.sh FOLDER <Tests/SPEED.md
#
# The input is the Markdown table that begins with "| workload | C API", among other lines. Some of its rows are drawn.
set -eu
folder=$1
mkdir -p "$folder"
# awk runs in the C locale, where numbers have a decimal point.
LC_ALL=C
export LC_ALL
table=$(awk '/^\| workload \| C API/ { inside = 1 } !/^\|/ { inside = 0 } inside && !/^\|---/')
[ -n "$table" ] || exit 0

# draw FILE INK MUTED RULE COLOUR ...: a colour for each program behind the C API.
draw() {
    file=$folder/$1
    echo "$table" | awk -F ' *[|] *' -v ink="$2" -v muted="$3" -v rule="$4" -v colours="$5" '
        NR == 1 { for (i = 4; i < NF; i++) names[++programs] = $i; next }
        $2 ~ /^(simple|real|complex), |^(many-1000|concurrent-4|orders), query|^large-100000, / {
            rows++
            labels[rows] = $2
            for (i = 1; i <= programs; i++) values[rows, i] = $(i + 3)
        }
        END {
            split(colours, colour, " ")
            left = 150; scale = 100; most = 6; bar = 9; group = bar * programs + 14; top = 30 + 20 * int((programs + 2) / 3)
            width = left + scale * most + 60
            height = top + group * rows + 34
            printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" ", width, height, width, height
            print "font-family=\"-apple-system, system-ui, Helvetica, Arial, sans-serif\" font-size=\"12\">"
            for (i = 1; i <= programs; i++) {
                x = left + 190 * ((i - 1) % 3); y = 8 + 20 * int((i - 1) / 3)
                printf "  <rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" rx=\"2\" fill=\"%s\"/>", x, y, colour[i]
                printf "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>\n", x + 16, y + 10, ink, names[i]
            }
            printf "  <text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"%s\">C API: 1</text>\n", left + scale, top - 8, muted
            for (row = 1; row <= rows; row++) {
                y = top + group * (row - 1)
                printf "  <text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"%s\">%s</text>\n", left - 10, y + bar * programs / 2 + 4, ink, labels[row]
                for (i = 1; i <= programs; i++) {
                    value = values[row, i]
                    length_ = scale * (value < most ? value : most)
                    printf "  <rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>", left, y + bar * (i - 1), length_, bar - 1, colour[i]
                    printf "<text x=\"%.1f\" y=\"%d\" font-size=\"9\" fill=\"%s\">%s</text>\n", left + length_ + 4, y + bar * i - 1, muted, value
                }
            }
            printf "  <line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-dasharray=\"4 3\"/>\n", left + scale, top - 4, left + scale, top + group * rows, rule
            printf "  <text x=\"%d\" y=\"%d\" fill=\"%s\">Time, divided by that of a C program. Shorter is better; bars end at %d.</text>\n", left, height - 10, muted, most
            print "</svg>"
        }
    ' >"$file"
}
draw peers.svg "#1d1d1f" "#6e6e73" "#1d1d1f" "#2f6fb3 #8fc0f0 #b5651d #3a9d5d #8a6fb8 #c9b6e0"
draw peers~dark.svg "#f5f5f7" "#a1a1a6" "#f5f5f7" "#5aa1e8 #2f6fb3 #e0a060 #58c07f #a98fd8 #6f5a94"

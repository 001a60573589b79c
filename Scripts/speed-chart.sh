#!/bin/sh
# Draws the ratios of benchmarks as bars: FOLDER/speed.svg for light pages, FOLDER/speed~dark.svg for dark ones.
#
#     .build/…/bench | Scripts/speed-chart.sh FOLDER
#     Scripts/speed-chart.sh FOLDER <Tests/SPEED.md
#
# The standard input is the output of the benchmarks, or a Markdown table with the columns workload, what and ratio. Other lines are
# ignored.
set -eu
folder=$1
mkdir -p "$folder"
# awk runs in the C locale, where numbers have a decimal point.
LC_ALL=C
export LC_ALL
ratios=$(awk '
    # | fetch-by-index | 16,000 orders | 0.96 | 1.01 | 1.10 |
    /^\| [a-z][a-z-]* \|.*\| [0-9]+\.[0-9]+ \| [0-9]+\.[0-9]+ \|$/ { split($0, cells, / *\| */); print cells[2], cells[4]; next }
    # fetch-by-index  20.31 ms  19.50 ms  0.96  0.94–0.99  1.10  118.88 M  120.07 M  1.01  16,000 orders
    $3 == "ms" && $5 == "ms" && $6 ~ /^[0-9]+\.[0-9]+$/ { print $1, $6 }
')
[ -n "$ratios" ] || exit 0

draw() {
    echo "$ratios" | awk -v ink="$2" -v muted="$3" -v bar="$4" -v rule="$5" '
        { names[NR] = $1; ratios[NR] = $2; if ($2 > most) most = $2 }
        END {
            left = 190; scale = 220; row = 24; top = 40
            width = int(left + scale * (most < 2 ? 2 : most) + 60)
            height = top + row * NR + 34
            printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" ", width, height, width, height
            print "font-family=\"-apple-system, system-ui, Helvetica, Arial, sans-serif\" font-size=\"13\">"
            one = left + scale
            printf "  <text x=\"%d\" y=\"22\" text-anchor=\"middle\" fill=\"%s\">C API: 1</text>\n", one, muted
            for (i = 1; i <= NR; i++) {
                y = top + row * (i - 1)
                length_ = ratios[i] * scale
                printf "  <text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"%s\">%s</text>\n", left - 10, y + 13, ink, names[i]
                printf "  <rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"16\" rx=\"2\" fill=\"%s\"/>\n", left, y, length_, bar
                printf "  <text x=\"%.1f\" y=\"%d\" fill=\"%s\">%s</text>\n", left + (length_ < scale ? scale : length_) + 6, y + 13, muted, ratios[i]
            }
            printf "  <line x1=\"%d\" y1=\"30\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"4 3\"/>\n", one, one, top + row * NR, rule
            printf "  <text x=\"%d\" y=\"%d\" fill=\"%s\">Time of Strata, divided by that of hand-written code. Shorter is better.</text>\n", left, height - 10, muted
            print "</svg>"
        }
    ' >"$folder/$1"
}
draw speed.svg "#1d1d1f" "#6e6e73" "#5aa1e8" "#1d1d1f"
draw speed~dark.svg "#f5f5f7" "#a1a1a6" "#2f6fb3" "#f5f5f7"

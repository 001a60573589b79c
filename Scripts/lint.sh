#!/bin/sh
# Runs all checks that need no build. (The tests report warnings, as errors.) What the last check has type-checked, it remembers.
# All checks run, even after one has failed.
set -u
cd "$(dirname "$0")/.." || exit 1
status=0

# Checks the layout and the documentation comments. Build folders are skipped, because they contain generated sources.
find . -name .build -prune -o -name '*.swift' -print0 | xargs -0 swift format lint --strict --parallel || status=1
Scripts/check-manifests.sh || status=1
Scripts/write-packages.sh --check || status=1
Scripts/check-layers.sh || status=1
Scripts/check-readmes.sh || status=1
Scripts/check-unsafe.sh || status=1
Scripts/check-files.sh || status=1
Scripts/public-symbols.sh --check || status=1
Scripts/lines.sh --check || status=1
Scripts/check-availability.sh || status=1

[ $status -eq 0 ] && echo "lint: no problems found" || echo "lint: problems found, see above" >&2
exit $status

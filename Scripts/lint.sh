#!/bin/sh
# Everything that can be checked without building. (Warnings are the tests' business: they are errors there.)
# All checks run, even when an early one finds something.
set -u
cd "$(dirname "$0")/.." || exit 1
status=0

# Layout and documentation comments, by .swift-format. Build folders hold generated sources.
find . -name .build -prune -o -name '*.swift' -print0 | xargs -0 swift format lint --strict --parallel || status=1
Scripts/check-manifests.sh || status=1
Scripts/write-packages.sh --check || status=1
Scripts/check-layers.sh || status=1
Scripts/check-readmes.sh || status=1
Scripts/check-unsafe.sh || status=1
Scripts/check-requests.sh || status=1
Scripts/public-symbols.sh --check || status=1

[ $status -eq 0 ] && echo "lint: nothing to mend" || echo "lint: see above" >&2
exit $status

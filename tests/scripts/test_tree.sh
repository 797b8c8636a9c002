#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Checks the tree against docs/internals.md and the rules below. Usage: test_tree.sh SOURCE_FOLDER.
set -u
cd "$1" || exit 2
failed=0

report_problem() {
    echo "$*" >&2
    failed=1
}

mapfile -t code < <(find include kernels src tools tests ci cmake python docs/examples CMakeLists.txt -type f \
    ! -path 'tests/golden/results/*' ! -path 'tests/findings/kinds.txt' ! -name '*.ptx' ! -name '*.md' \
    ! -name '*.tsv' ! -name '*.xz' ! -name '*.zst' | sort)

# Each name in backquotes that looks like a path must exist.
while read -r name; do
    [ -e "$name" ] || report_problem "docs/internals.md names '$name', which is not there"
done < <(grep -o '`[^`]*`' docs/internals.md | tr -d '`' |
    grep -E '^((include|kernels|src|tools|tests|ci|cmake|docs)(/|$)|CMakeLists.txt$)' | sed 's:/$::' | sort -u)

# The page must name each folder of the layers.
while read -r folder; do
    grep -q "\`$folder/\`" docs/internals.md || report_problem "docs/internals.md leaves out $folder/"
done < <(find include kernels src tools -type f -printf '%h\n' | sort -u)

# A folder must not have too many source files.
while read -r count folder; do
    [ "$count" -le 30 ] || report_problem "$folder has $count source files, more than 30"
done < <(printf '%s\n' "${code[@]}" | grep -E '\.(c|h|cu|cuh|cpp|py|sh)$' | xargs -n1 dirname | sort | uniq -c)

# A word that occurs once in the tests is a kernel that no test runs.
while read -r kernel; do
    report_problem "no test runs the kernel $kernel of tests/seeded/: add it to seeded_verdicts.c"
done < <(comm -12 <(grep -hoE '^KERNEL\(\w+' tests/seeded/*.cu | sed 's/.*(//' | sort) \
    <(grep -rhoE --include='*.c' --include='*.cu' '\w+' tests | sort | uniq -u))

grep -nE '#include "\.\./|#include "[^"]*/\.\./' "${code[@]}" &&
    report_problem "an include that goes around the layers' include folders"

# JSON members are named only in the field tables, and in the code that writes the page or SARIF, which is the format of
# others.
grep -rnE 'json_(object_(get|set|set_new|del)|pack|unpack)\([^;]*"[a-z{]' src tools --include='*.c' |
    grep -vE '^src/(model|results/page)/|^tools/[a-z/]*/page_|^src/checks/session/findings_sarif.c:' |
    grep -v 'json_pack("\[O\]"' &&
    report_problem "a member of JSON that is named outside of its field table"

# Each verdict has one spelling.
for word in conforms conforms-in-domain race-free order-dependent 'same-value race'; do
    count=$(grep -rlE "\"$word\"" src --include='*.c' --include='*.h' | grep -vc '^src/cli/')
    [ "$count" -eq 1 ] || report_problem "the verdict '$word' is spelled in $count files of src/"
done

# Each kind of fault is raised in a test.
kinds=$(mktemp)
sed -nE 's/^ *FAULT\(([A-Z_]+), "([a-z-]+)",.*/\1 \2/p' src/model/faults/fault_kinds.h >"$kinds"
while read -r name word; do
    grep -rqE --exclude=test_fault.c "FAULT(_|\\()$name\\b|\\b$word\\b" tests ||
        report_problem "the fault '$word' has no test"
done <"$kinds"
rm -f "$kinds"

# A CTest preset without tests fails: a folder that is not configured has none.
presets=$(mktemp -d)
cp CMakePresets.json "$presets"
names=$(sed -n '/"testPresets"/,/"workflowPresets"/s/^      "name": "\(.*\)",$/\1/p' CMakePresets.json)
[ -n "$names" ] || report_problem "CMakePresets.json has no test presets"
for preset in $names; do
    (cd "$presets" && ctest --preset "$preset") >/dev/null 2>&1 &&
        report_problem "ctest --preset $preset passes without a test"
done
rm -rf "$presets"

for file in "${code[@]}"; do
    awk -v file="$file" 'length > 120 { print file ":" FNR ": " length " columns"; bad = 1 }
        END { exit bad }' "$file" || failed=1
done

exit "$failed"

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Checks src/model/defects.awk, which reads the markers of known defects: test_defects.sh SOURCE_FOLDER AWK.
set -u
reader=$1/src/model/defects.awk awk=$2
folder=$(mktemp -d /tmp/simtcheck-defects-XXXXXX) || exit 3
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 3
failed=0

fail() {
    echo "FAILED: $1" >&2
    cat said defects.h >&2 2>/dev/null
    failed=1
}

read_markers() {
    rm -f defects.h
    "$awk" -f "$reader" -v output=defects.h "$@" >said 2>&1
}

# accepts PATTERN FILE ...: the header has that line.
accepts() {
    local pattern=$1
    shift
    if ! read_markers "$@"; then
        fail "$* is rejected"
    elif ! grep -qxF -- "$pattern" defects.h; then
        fail "$*: there is no line '$pattern'"
    fi
}

# rejects PATTERN FILE ...: the message has that text, and there is no header.
rejects() {
    local pattern=$1
    shift
    if read_markers "$@"; then
        fail "$* is accepted"
    elif ! grep -qF -- "$pattern" said || [ -e defects.h ]; then
        fail "$*: the message is not '$pattern'"
    fi
}

printf '%s\n' one '/* defect: a_race */' three '' '    /* end of defect */' \
    'x; /* defect: b */ y; /* end of defect */' >k.cu
accepts '    {"k", 2, 5, DEFECT_BOTH_SIDES},' k.cu
accepts '    {"k", 6, 6, DEFECT_BOTH_SIDES},' k.cu
accepts 'static const struct defect_region defect_b[] = {' k.cu
sed -i '1i\\n' k.cu # two lines more
accepts '    {"k", 4, 7, DEFECT_BOTH_SIDES},' k.cu
mkdir deep
cp k.cu deep/l.cu
accepts '    {"l", 4, 7, DEFECT_BOTH_SIDES},' k.cu deep/l.cu
[ "$(grep -c 'defect_a_race\[\]' defects.h)" = 1 ] || fail "one array for both files"

printf '%s\n' '/* defect: a, one side */' '/* end of defect */' >one.cu
printf '%s\n' '/* defect: a, other side */' '/* end of defect */' >other.cu
accepts '    {"other", 1, 2, DEFECT_OTHER_SIDE},' one.cu other.cu
rejects "one.cu:1: defect 'a' has a region of one side only" one.cu
rejects "other.cu:1: defect 'a' has a region of the other side only" other.cu
: >none.cu
accepts '#include <simtcheck/catalogue.h>' none.cu

printf '%s\n' '' '/* defect: a */' 'x' >open.cu
rejects "open.cu:2: the region of defect 'a' has no end" open.cu
rejects "open.cu:2: the region of defect 'a' has no end" open.cu k.cu
printf '%s\n' '/* defect: a */' '/* defect: b */' '/* end of defect */' >nested.cu
rejects "nested.cu:2: the region of defect 'a' is still open here" nested.cu
printf '%s\n' '' '/* end of defect */' >closed.cu
rejects 'closed.cu:2: no region of a defect is open here' closed.cu
for name in 'a race' '1a' '' 'a, this side'; do
    printf '/* defect: %s */\n/* end of defect */\n' "$name" >name.cu
    rejects "name.cu:1: '$name' is not a defect" name.cu
done

exit "$failed"

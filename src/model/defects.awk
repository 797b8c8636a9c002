# SPDX-License-Identifier: MIT
#
# Writes a C header with the regions that kernels mark as known defects:
#
#     awk -f defects.awk -v output=defects.h file.cu ...
#
# A region starts at the comment "defect: NAME" and ends at the comment "end of defect", both lines included.
# "defect: NAME, one side" and "defect: NAME, other side" mark the two accesses of a pair apart.
# A file may mark a defect several times, for example once in each kernel that has it. For each NAME the header
# defines the array defect_NAME.

function fail(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text > "/dev/stderr"
    failed = 1
}

function unclosed() {
    if (open == "")
        return
    printf "%s:%d: the region of defect '%s' has no end: add the comment /* end of defect */\n", place, line, open \
        > "/dev/stderr"
    failed = 1
    open = ""
}

# Opens the region that a marker describes, such as "volatile_tail, one side".
function start(marker) {
    sides = "DEFECT_BOTH_SIDES"
    if (sub(/, one side$/, "", marker))
        sides = "DEFECT_ONE_SIDE"
    else if (sub(/, other side$/, "", marker))
        sides = "DEFECT_OTHER_SIDE"
    if (marker !~ /^[A-Za-z_][A-Za-z_0-9]*$/)
        fail("'" marker "' is not a defect: write /* defect: NAME */, where NAME is a C identifier")
    else if (open != "")
        fail("the region of defect '" open "' is still open here: close it with /* end of defect */ first")
    else {
        open = marker
        place = FILENAME
        line = FNR
    }
}

function finish() {
    if (open == "") {
        fail("no region of a defect is open here: remove the comment, or add /* defect: NAME */ above")
        return
    }
    family = FILENAME
    sub(/^.*\//, "", family)
    sub(/\.cu$/, "", family)
    if (!(open in regions))
        names[++count] = open
    regions[open] = regions[open] sprintf("    {\"%s\", %d, %d, %s},\n", family, line, FNR, sides)
    if (sides != "DEFECT_OTHER_SIDE")
        one[open] = FILENAME ":" line
    if (sides != "DEFECT_ONE_SIDE")
        other[open] = FILENAME ":" line
    open = ""
}

FNR == 1 {
    unclosed()
}

/\/\* *defect:.*\*\// {
    marker = $0
    sub(/^.*\/\* *defect: */, "", marker)
    sub(/ *\*\/.*$/, "", marker)
    start(marker)
}

/\/\* *end of defect *\*\// {
    finish()
}

END {
    unclosed()
    for (k = 1; k <= count; k++) {
        name = names[k]
        if ((name in one) && (name in other))
            continue
        printf "%s: defect '%s' has a region of %s side only: mark the other one as well\n", \
            (name in one) ? one[name] : other[name], name, (name in one) ? "one" : "the other" > "/dev/stderr"
        failed = 1
    }
    if (failed)
        exit 1
    print "/* Generated from the markers in the kernel files. */\n#include <simtcheck/catalogue.h>" > output
    for (k = 1; k <= count; k++)
        printf "\nstatic const struct defect_region defect_%s[] = {\n%s    {0},\n};\n", names[k], regions[names[k]] \
            > output
}

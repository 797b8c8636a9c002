#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# tests/coverage.sh start|report SOURCE BUILD [SIMTCHECK]: CTest runs this before and after the tests of a build
# for lcov. `start` deletes the counts of earlier runs. `report` runs all kernels on the simulator,
# writes BUILD/report/index.html, and fails if a folder is below its minimum. Each branch of a kernel
# must be taken in both directions. With SIMTCHECK, a program of another build, it reports only kernels, oracle and PTX
# parser; the last two by what unit tests reach.
set -euo pipefail

step=$1
source=$2
build=$3
simtcheck=${4:-$build/simtcheck}

if [ "$step" = start ]; then
    find "$build" -name '*.gcda' -delete
    exit 0
fi
command -v lcov >/dev/null || {
    echo "lcov is not installed: apt-get install lcov" >&2
    exit 1
}

# lcov 2 stops at small inconsistencies that lcov 1 ignores. These options make it ignore them, too.
case $(lcov --version) in
*" 1."*) lenient=(--rc lcov_branch_coverage=1) ;;
*) lenient=(--rc branch_coverage=1 --ignore-errors "mismatch,unused,inconsistent,negative") ;;
esac
# Kernels run on the simulator, which records their coverage itself. One order of threads and six sizes for each block
# take every branch.
"$simtcheck" run --engine sim --model independent --schedule sequential --sizes-per-block 6 \
    --coverage "$build/kernels.info" >"$build/kernels.log" || {
    cat "$build/kernels.log" >&2
    exit 1
}
lcov --quiet "${lenient[@]}" --capture --directory "$build" --base-directory "$source" \
    --no-external --output-file "$build/all.info"
if [ $# = 4 ]; then
    lcov --quiet "${lenient[@]}" --extract "$build/all.info" "$source/src/oracle/*" "$source/src/engine/ptx/*" \
        --output-file "$build/units.info"
    mv "$build/units.info" "$build/all.info"
fi
genhtml --quiet "${lenient[@]}" --branch-coverage --prefix "$source" --output-directory "$build/report" \
    "$build/all.info" "$build/kernels.info"

# percent DA|BRDA FOLDER: prints the percentage of the folder's lines that ran, or of branches taken.
percent() {
    awk -v folder="$source/$2/" -v record="$1" -F: '
        # This code needs PTX of the kernels, or programs, which a build without nvcc does not have.
        # The tests by nvcc cover it.
        /^SF:/ { file = $2 }
        file ~ /\/(kernels_trial|kernel_facts|gate|changed_launches|launch_maps|mutate_source|entry)\.c$/ { file = "" }
        file ~ /\/src\/exec\// { file = "" }
        # A line of a template appears once per instance.
        $1 == record && index(file, folder) == 1 {
            last = split($2, f, ",")
            place = file
            for (k = 1; k < last; k++) place = place ":" f[k]
            hits[place] += f[last] # a "-" is 0
        }
        END {
            for (place in hits) { total++; run += hits[place] > 0 }
            if (total == 0) print "none"; else printf "%.1f", 100 * run / total
        }
    ' "$build/all.info" "$build/kernels.info"
}

failed=0
while read -r folder what record bar; do
    figure=$(percent "$record" "$folder")
    verdict=ok
    if [ "$figure" = none ] || awk "BEGIN { exit !($figure < $bar) }"; then
        verdict="under the bar"
        failed=1
    fi
    printf '%-12s %-8s %6s %%  (bar %s %%)  %s\n' "$folder" "$what" "$figure" "$bar" "$verdict"
done < <(
    printf '%s\n' 'kernels lines DA 100' 'kernels branches BRDA 100' 'src/engine/ptx lines DA 95'
    if [ $# = 4 ]; then
        echo 'src/oracle lines DA 83'
    else
        printf '%s\n' 'src/oracle lines DA 100' 'src/engine/sim lines DA 90' 'src lines DA 90'
    fi
)
exit $failed

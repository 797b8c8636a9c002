#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# test_forms_race.sh SIMTCHECK FORMS.cu NVCC: `check` must find the race of a form that nvcc does not generate.
set -u
said=$("$1" check "$2" "race<<<1, 32>>>(zeros float sums[2])" --engine sim --only races --nvcc "$3" --compiler nvcc -- \
    -arch=compute_90a)
status=$?
race='forms.cu:65: error: data race on sums\[1\] 65 \| .* writes 0 over 0 62 \| .* atomically, scope device note: .* '
race+='race FAIL 1 data race'
[ $status = 1 ] && tr -s '\n ' ' ' <<<"$said" | grep -qE "$race" || {
    echo "status $status: $said"
    exit 1
}

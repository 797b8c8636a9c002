#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Tests the GPU scripts of ci/ without a GPU: distribution of GPUs by CTest, and ci/pace. Usage:
# test_gpus.sh SOURCE_FOLDER CTEST.
set -u
source=$1
ctest=$2
folder=$(mktemp -d /tmp/simtcheck-gpus-XXXXXX)
trap 'rm -rf "$folder"' EXIT
unset CUDA_VISIBLE_DEVICES
failed=0

report_problem() {
    echo "$*" >&2
    failed=1
}

# expect STATUS TEXT COMMAND...: the command must end with the status and print the text.
expect() {
    local wanted=$1 text=$2 said status
    shift 2
    said=$("$@" 2>&1)
    status=$?
    [ "$status" = "$wanted" ] || report_problem "$*: status $status, not $wanted: $said"
    case $said in *"$text"*) ;; *) report_problem "$*: without '$text': $said" ;; esac
}

# listing TEXT IDS: ci/gpus must list these IDs if nvidia-smi prints the text.
listing() {
    mkdir -p "$folder/bin"
    printf '#!/bin/sh\ncat <<"END"\n%s\nEND\n' "$1" >"$folder/bin/nvidia-smi"
    chmod +x "$folder/bin/nvidia-smi"
    PATH=$folder/bin:$PATH "$source/ci/gpus" "$folder/listed.json" || report_problem "ci/gpus failed"
    ids=$(python3 -c 'import json, sys
print(*[gpu["id"] for gpu in json.load(open(sys.argv[1]))["local"][0]["gpus"]])' "$folder/listed.json")
    [ "$ids" = "$2" ] || report_problem "'$ids', not '$2'"
}

listing 'GPU 0: NVIDIA H200 (UUID: GPU-0a1b-22)
GPU 1: NVIDIA H200 (UUID: GPU-ff00-33)' 'gpu_0a1b_22 gpu_ff00_33'
listing 'GPU 0: NVIDIA H200 (UUID: GPU-0a1b-22)
  MIG 1g.18gb     Device  0: (UUID: MIG-aa-1)
  MIG 1g.18gb     Device  1: (UUID: MIG-bb-2)
GPU 1: NVIDIA H200 (UUID: GPU-ff00-33)' 'mig_aa_1 mig_bb_2 gpu_ff00_33'
CUDA_VISIBLE_DEVICES=GPU-ff00-33 listing 'GPU 0: NVIDIA H200 (UUID: GPU-0a1b-22)' gpu_ff00_33

visible() {
    env CUDA_VISIBLE_DEVICES="$1" PATH="$folder/bin:$PATH" "$source/ci/gpus" "$folder/visible.json" &&
        cat "$folder/visible.json"
}
expect 3 "no GPU found" visible ''
expect 3 "no GPU found" visible -1
expect 3 "no GPU found" visible NoDevFiles
expect 0 '[{"id": "1", "slots": 1}]' visible 1,-1,0
expect 0 '[{"id": "1", "slots": 1}, {"id": "gpu_ff00_33", "slots": 1}]' visible 1,GPU-ff00-33

printf '#!/bin/sh\necho "No devices were found"\nexit 6\n' >"$folder/bin/nvidia-smi"
PATH=$folder/bin:$PATH expect 3 "no GPU found" "$source/ci/gpus" "$folder/none.json"
[ ! -e "$folder/none.json" ] || report_problem "a file without a GPU"
expect 2 "is not a number of GPUs" "$source/ci/gpus" --count 0 "$folder/none.json"
expect 2 "is not a number of tests" "$source/ci/gpus" --slots 0 "$folder/none.json"
expect 2 "name the file" "$source/ci/gpus"
expect 2 "is not an option" "$source/ci/gpus" --all x

# The program sees the GPU that CTest chose, under the name that CUDA uses.
given() {
    env CTEST_RESOURCE_GROUP_COUNT=1 CTEST_RESOURCE_GROUP_0_GPUS="$1" "$source/tests/on_gpu.sh" \
        printenv CUDA_VISIBLE_DEVICES
}
expect 0 GPU-0a1b-22 given id:gpu_0a1b_22,slots:1
expect 0 MIG-aa-1 given id:mig_aa_1,slots:1
expect 0 7 given id:7,slots:1
expect 3 "give ctest --resource-spec-file" env -u CTEST_RESOURCE_GROUP_COUNT "$source/tests/on_gpu.sh" true

expect 0 "" "$source/ci/gpus" --count 2 --slots 3 "$folder/three.json"
expect 0 '[{"id": "0", "slots": 3}, {"id": "1", "slots": 3}]' cat "$folder/three.json"

# Eight tests run on two GPUs. Both are used, and no two tests share one at the same time.
cat >"$folder/at_gpu" <<'END'
#!/bin/sh
mkdir "$1/at_$CUDA_VISIBLE_DEVICES" || exit 1
sleep 0.1
rmdir "$1/at_$CUDA_VISIBLE_DEVICES"
echo "$CUDA_VISIBLE_DEVICES" >>"$1/used"
END
chmod +x "$folder/at_gpu"
for k in 1 2 3 4 5 6 7 8; do
    echo "add_test(t$k \"$source/tests/on_gpu.sh\" \"$folder/at_gpu\" \"$folder\")"
    echo "set_tests_properties(t$k PROPERTIES RESOURCE_GROUPS \"gpus:1\")"
done >"$folder/CTestTestfile.cmake"
"$source/ci/gpus" --count 2 "$folder/two.json" || report_problem "ci/gpus --count 2"
expect 0 "100% tests passed" "$ctest" --test-dir "$folder" --parallel 8 --resource-spec-file "$folder/two.json"
[ "$(sort -u "$folder/used" | tr '\n' ' ')" = "0 1 " ] || report_problem "used: $(tr '\n' ' ' <"$folder/used")"
[ "$(wc -l <"$folder/used")" = 8 ] || report_problem "not all of them have run"
expect 8 "0% tests passed" "$ctest" --test-dir "$folder" --parallel 8

# ci/pace fails unless each row that ran alone is at least five times as fast as the naive program.
pace() {
    printf '{"results": [%s]}\n' "$1" >"$folder/run.json"
    printf 'fast\t2\nslow\t2.5\nnever\tnan\nnaught\t0\n' >"$folder/naive.tsv"
    python3 "$source/ci/pace" "$folder/run.json" "$folder/naive.tsv"
}
row() {
    printf '{"id": "%s", "cases": %s, "seconds": %s, "same_as": %s}' "$1" "$2" "$3" "${4:-null}"
}
expect 0 "1 row, 0 below 5 times the naive way; 0 more without a rate" pace "$(row fast 100 10), $(row slow 100 0 '{}')"
expect 1 "10          2   4.0 slow (!)" pace "$(row fast 100 10), $(row slow 100 10)"
expect 1 "has no rate in $folder/naive.tsv" pace "$(row fast 100 10), $(row none 100 1)"
expect 1 "has no rate in $folder/run.json" pace "$(row fast 100 10), $(row slow 100 0)"
expect 1 "1 row, 0 below 5 times the naive way; 1 more without a rate" pace "$(row fast 100 10), $(row slow 0 0)"
expect 1 "has no rate in $folder/naive.tsv" pace "$(row fast 100 10), $(row never 100 1)"
expect 1 "has no rate in $folder/naive.tsv" pace "$(row fast 100 10), $(row naught 100 1)"
expect 1 "0 rows, 0 below" pace ""
expect 2 "give the JSON file of a run" pace '{'
expect 2 "usage: ci/pace RUN.json NAIVE.tsv" python3 "$source/ci/pace"
exit $failed

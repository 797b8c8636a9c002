#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# What kernels that launch kernels need of a build, by the documents: relocatable device code, the
# device runtime library, compute capability 3.5. Without either a build fails, and says what it
# lacks. Arguments: nvcc, a compute capability that it knows, such as 90.
set -u
nvcc=$1 known=$2 failed=0
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

cat >"$folder/launch.cu" <<'SOURCE'
__global__ void child(int *word)
{
    *word = 1;
}
__global__ void parent(int *word)
{
    child<<<1, 1>>>(word);
}
int main()
{
    parent<<<1, 1>>>(nullptr);
    return 0;
}
SOURCE

# build FLAG ...: its output and exit status.
build() {
    output=$("$nvcc" "$@" "$folder/launch.cu" -o "$folder/launch" 2>&1)
    status=$?
}

# fails_by_name WHAT WORD FLAG ...
fails_by_name() {
    local what=$1 word=$2
    shift 2
    build "$@"
    if [ $status = 0 ] || ! grep -qi -- "$word" <<<"$output"; then
        echo "a build without $what gave $status and did not say '$word': $output"
        failed=1
    fi
}

build -arch="sm_$known" -rdc=true
[ $status = 0 ] || {
    echo "a build with all of them failed: $output"
    failed=1
}
fails_by_name "relocatable device code" "separate compilation mode" -arch="sm_$known"
fails_by_name "the device runtime library" "LaunchDevice" -arch="sm_$known" -rdc=true -cudadevrt=none
fails_by_name "compute capability 3.5" "sm_30" -arch=sm_30 -rdc=true
exit $failed

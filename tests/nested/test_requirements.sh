#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Build requirements of kernels that launch kernels, according to the textbooks: relocatable device
# code, the device runtime library, and compute capability 3.5. Without one of them the build fails
# and names it. A kernel cannot choose another device. Re-entrant functions do not need -rdc=true.
# Arguments: nvcc, a compute capability that it knows, such as 90.
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

# The same code, but the parent chooses a device for its child.
sed 's/child<<</cudaSetDevice(1); &/' "$folder/launch.cu" >"$folder/device.cu"

cat >"$folder/recursion.cu" <<'SOURCE'
__device__ __noinline__ unsigned int fibonacci(unsigned int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__global__ void kernel(unsigned int *word)
{
    *word = fibonacci(*word);
}
int main()
{
    kernel<<<1, 1>>>(nullptr);
    return 0;
}
SOURCE
cat >"$folder/elsewhere.cu" <<'SOURCE'
extern __device__ unsigned int elsewhere(unsigned int n);
__global__ void kernel(unsigned int *word)
{
    *word = elsewhere(*word);
}
int main()
{
    kernel<<<1, 1>>>(nullptr);
    return 0;
}
SOURCE

# build FLAG ...: compiles the source file. Sets the output and the exit status.
source=launch.cu
build() {
    output=$("$nvcc" "$@" "$folder/$source" -o "$folder/launch" 2>&1)
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

source=device.cu
build -arch="sm_$known" -rdc=true
if [ $status = 0 ] || ! grep -q cudaSetDevice <<<"$output"; then
    echo "a kernel that chooses a device gave $status: $output"
    failed=1
fi

# A recursive function needs no relocatable device code: the PTX contains its own call and the kernel's
# call. A function of another file needs it.
source=recursion.cu
build -arch="sm_$known" -rdc=false -keep -keep-dir "$folder"
if [ $status != 0 ] || [ "$(grep -c 'call.uni' "$folder/recursion.ptx")" -lt 2 ]; then
    echo "a function that calls itself, built without -rdc=true, gave $status: $output"
    failed=1
fi
source=elsewhere.cu
fails_by_name "relocatable device code" "unresolved extern function" -arch="sm_$known" -rdc=false
build -arch="sm_$known" -rdc=true -c
[ $status = 0 ] || {
    echo "a function of another file, built with -rdc=true, gave $status: $output"
    failed=1
}
exit $failed

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# tests/ptx/compiled.tar.xz contains compiled.ptx for machines without nvcc. nvcc made it from compiled.cu.
#
#     compiled_copy.sh check NVCC    fails if NVCC generates different PTX; exits with 77 for another version
#     compiled_copy.sh renew NVCC    writes the copy again
set -euo pipefail
cd "$(dirname "$0")/../.."
archive=$PWD/tests/ptx/compiled.tar.xz
folder=$(mktemp -d /tmp/simtcheck-compiled-XXXXXX)
trap 'rm -rf "$folder"' EXIT

if [ "$1" = check ]; then
    (cd "$folder" && cmake -E tar xf "$archive")
    version=$(grep -m1 -oE 'release [0-9.]+, V[0-9.]+' "$folder/compiled.ptx")
    "$2" --version | grep -qF "$version" || {
        echo "the copy was made by nvcc $version, and $2 has another version"
        exit 77
    }
fi

# The flags of simtcheck_ptx_kernels(). The path is relative, because __FILE__ is part of the PTX.
"$2" -std=c++17 --fmad=false -rdc=true -ptx -arch=compute_80 -DSIMT_SIMULATED -lineinfo -diag-suppress 550,20054 \
    -D__CDPRT_SUPPRESS_SYNC_DEPRECATION_WARNING -Itests/seeded -Iinclude tests/ptx/compiled.cu -o "$folder/made.ptx"
sed -i "s,$PWD/,," "$folder/made.ptx"

if [ "$1" = renew ]; then
    mv "$folder/made.ptx" "$folder/compiled.ptx"
    cd "$folder" && cmake -E tar cJf "$archive" --mtime=2000-01-01 compiled.ptx
    exit
fi

# Removes text that depends on folders: file names, the hash in internal names, and debug strings.
canonical() {
    sed -E -e '/^\t\.section/,$d' -e '/^\t\.file/d' -e 's/[0-9a-f]{8}_11_compiled_cu_[0-9a-f]{8}/HASH/g' "$1"
}

diff <(canonical "$folder/compiled.ptx") <(canonical "$folder/made.ptx") >"$folder/difference" || {
    head -n 20 "$folder/difference"
    echo "tests/ptx/compiled.tar.xz is out of date: run tests/ptx/compiled_copy.sh renew $2" >&2
    exit 1
}

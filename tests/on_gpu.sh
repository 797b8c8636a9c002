#!/bin/sh
# SPDX-License-Identifier: MIT
#
# on_gpu.sh PROGRAM ARGUMENT...: runs the program on the GPU that CTest has chosen for the test from the
# file of ci/gpus. Exits with 3 if CTest has chosen none, because two tests could then share a GPU.
if [ "${CTEST_RESOURCE_GROUP_COUNT:-0}" = 0 ] || [ -z "${CTEST_RESOURCE_GROUP_0_GPUS:-}" ]; then
    echo "this build shares GPUs out (SIMTCHECK_GPUS): give ctest --resource-spec-file that file" >&2
    exit 3
fi
id=${CTEST_RESOURCE_GROUP_0_GPUS#id:}
id=${id%%,*}
case $id in # as CUDA writes UUIDs
gpu_* | mig_*) id=$(printf '%s' "$id" | sed 's/^gpu/GPU/; s/^mig/MIG/; s/_/-/g') ;;
esac
export CUDA_VISIBLE_DEVICES="$id"
exec "$@"

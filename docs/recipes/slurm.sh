#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Slurm: runs a sweep on a cluster's GPUs in N shards, then merges them: docs/recipes/slurm.sh FOLDER N [COMMAND ...]
# Run it on a submit host, in the folder of simtcheck. It creates FOLDER, which must be visible on all nodes. Slurm
# requeues a task when its node goes down. If a task was killed or never began, merge names its shard, and ci/slurm
# describes how to run it again. COMMAND replaces the default command. SBATCH_OPTIONS replaces the options for a GPU.
set -eu
folder=$1
count=$2
shift 2
[ $# -gt 0 ] || set -- run --engine cuda --require cuda --level 2
export SIMTCHECK="${SIMTCHECK:-build/host/simtcheck}"
# FOLDER must be new, so that merge does not read the shards of an earlier sweep.
mkdir -p "$(dirname "$folder")"
mkdir "$folder"
# shellcheck disable=SC2086 # SBATCH_OPTIONS is split into words
job=$(sbatch --parsable --array="1-$count" ${SBATCH_OPTIONS---gres=gpu:1 --cpus-per-task=4} \
    --output="$folder/%a.log" ci/slurm "$folder" "$count" "$@") || {
    rmdir "$folder"
    exit 1
}
# Passes names in the environment, because they may contain special characters of the shell.
export FOLDER="$folder"
# shellcheck disable=SC2016 # the job's shell expands the variables
sbatch --dependency="afterany:$job" --output="$folder/merge.log" --export=ALL \
    --wrap 'exec "$SIMTCHECK" merge "$FOLDER"/shard-*.json --json "$FOLDER/run.json"'

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Slurm: the sweep of a cluster's GPUs in N shards, then the verdict: docs/recipes/slurm.sh FOLDER N, run
# where jobs are submitted, from the folder of simtcheck. The script makes FOLDER, and all nodes must see it. Tasks are
# requeued when their node goes down. merge names the shard of a task that was killed, or never began; ci/slurm says how
# to run it again. Another command than the one below may follow N. SBATCH_OPTIONS replaces the options for a GPU.
set -eu
folder=$1
count=$2
shift 2
[ $# -gt 0 ] || set -- run --engine cuda --require cuda --level 2
export SIMTCHECK="${SIMTCHECK:-build/host/simtcheck}"
# A folder of its own: shards that another sweep has left would be taken for this one's.
mkdir -p "$(dirname "$folder")"
mkdir "$folder"
# shellcheck disable=SC2086 # words
job=$(sbatch --parsable --array="1-$count" ${SBATCH_OPTIONS---gres=gpu:1 --cpus-per-task=4} \
    --output="$folder/%a.log" ci/slurm "$folder" "$count" "$@") || {
    rmdir "$folder"
    exit 1
}
# Names by the environment, for a word of the shell in them.
export FOLDER="$folder"
# shellcheck disable=SC2016 # for the job's shell
sbatch --dependency="afterany:$job" --output="$folder/merge.log" --export=ALL \
    --wrap 'exec "$SIMTCHECK" merge "$FOLDER"/shard-*.json --json "$FOLDER/run.json"'

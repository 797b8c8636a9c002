#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Slurm: the sweep of a cluster's GPUs in N shards, then the verdict. Run it where jobs are submitted:
# docs/recipes/slurm.sh FOLDER N. The folder is to be seen by all nodes. Tasks are requeued when their
# node goes down; the shard of a task that was killed is named by merge, and run again as ci/slurm says.
set -eu
folder=$1
count=$2
export SIMTCHECK="${SIMTCHECK:-build/host/simtcheck}"
job=$(sbatch --parsable --array="1-$count" --gres=gpu:1 --cpus-per-task=4 --output="$folder/%a.log" \
    ci/slurm "$folder" "$count" run --engine cuda --require cuda --level 2)
sbatch --dependency="afterany:$job" --output="$folder/merge.log" \
    --wrap "$SIMTCHECK merge $folder/shard-*.json --json $folder/run.json"

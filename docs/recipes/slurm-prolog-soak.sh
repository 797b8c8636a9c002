#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Slurm: a prolog (slurm.conf: Prolog=FILE) that checks each SM of the job's GPUs. When it fails, Slurm drains the node
# and requeues the job. Give the prolog enough time: slurm.conf: PrologEpilogTimeout=120.
[ -n "${SLURM_JOB_GPUS:-}" ] || exit 0
results="/var/log/simtcheck-soak-$SLURM_JOB_ID.json"
CUDA_VISIBLE_DEVICES="$SLURM_JOB_GPUS" simtcheck soak --quick --json "$results" >/dev/null
status=$?
# 1: a wrong result, or a GPU that failed or hangs. 3: some SM was not checked, for example without a driver.
[ $status -eq 0 ] || logger -t simtcheck "job $SLURM_JOB_ID: soak ended with $status: see $results"
exit $status

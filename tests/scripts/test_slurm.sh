#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Tests ci/slurm on a Slurm of one node, which this script starts and stops. Usage: test_slurm.sh
# SOURCE_FOLDER SIMTCHECK. One task is requeued while it runs, and one is killed. The merged shards must
# equal a single run. Exits with 77 (skipped) if Slurm is not installed or cannot be started.
set -u
source=$1
export SIMTCHECK=$2
PATH=$PATH:/usr/sbin
for program in munged slurmctld slurmd sbatch python3; do
    command -v $program >/dev/null || {
        echo "there is no $program here"
        exit 77
    }
done
[ "$(id -u)" = 0 ] || {
    echo "only root can start Slurm"
    exit 77
}
folder=$(mktemp -d /tmp/simtcheck-slurm-XXXXXX)
chmod 755 "$folder"
mkdir "$folder"/{munge,state,spool}
chmod 700 "$folder/munge"
daemons=()
end() {
    scancel --user=root --signal=KILL 2>/dev/null
    for ((k = ${#daemons[@]} - 1; k >= 0; k--)); do
        kill "${daemons[k]}" 2>/dev/null && wait "${daemons[k]}" 2>/dev/null
    done
    rm -rf "$folder"
}
trap end EXIT

# ---- Slurm ----

port=$((20000 + $$ % 20000))
host=$(hostname -s)
export SLURM_CONF=$folder/slurm.conf
cat >"$SLURM_CONF" <<END
ClusterName=simtcheck
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket,cred_expire=5
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
MpiDefault=none
ReturnToService=2
KillWait=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
END
head -c 64 /dev/urandom >"$folder/munge/key"
chmod 600 "$folder/munge/key"
munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
    --pid-file="$folder/munge/pid" --seed-file="$folder/munge/seed" --log-file="$folder/munge/log" \
    >/dev/null 2>&1 &
daemons+=($!)

# until_true SECONDS WHAT COMMAND...: waits until the command succeeds. Fails the test at the timeout.
until_true() {
    local seconds=$1 what=$2
    shift 2
    for ((k = 0; k < 10 * seconds; k++)); do
        "$@" && return
        sleep 0.1
    done
    echo "waited in vain until $what" >&2
    tail -n 5 "$folder"/*.log >&2
    squeue -a >&2
    exit 1
}

until_true 30 "munged listens" test -S "$folder/munge/socket"
slurmctld -D >/dev/null 2>&1 &
daemons+=($!)
slurmd -D >/dev/null 2>&1 &
daemons+=($!)
is_up() { sinfo -h -o %t 2>/dev/null | grep -qx idle; }
until_true 60 "the node is idle" is_up

# ---- The array ----

words=(run --engine sim --variant corrected --kernel 'reduce*' --level 2 --sizes-per-block 4 --jobs 1)
submit() {
    sbatch --parsable --array="$1" --output="$folder/out-%a" "$source/ci/slurm" "$folder/out" 3 "${words[@]}"
}
has_begun() { grep -qs '"status": null' "$folder/out/shard-$1.json"; }
state() { scontrol show job "${job}_$1" | grep -o 'JobState=[A-Z]*' | head -n 1; }
is_over() { [ "$(squeue -h -j "$job" | wc -l)" = 0 ]; }

job=$(submit 1-3) || exit 1
until_true 60 "shard 1 runs" has_begun 1
scontrol requeue "${job}_1" || exit 1
until_true 60 "shard 2 runs" has_begun 2
scancel --signal=KILL --full "${job}_2" || exit 1
until_true 600 "the array is over" is_over
[ "$(state 1)" = JobState=COMPLETED ] || { echo "shard 1: $(state 1)" >&2; exit 1; }
[ "$(state 2)" = JobState=CANCELLED ] || { echo "shard 2: $(state 2)" >&2; exit 1; }
scontrol show job "${job}_1" | grep -q 'Restarts=1' || { echo "shard 1 was not run again" >&2; exit 1; }

# ---- The file of the killed task is not a valid shard ----

said=$("$SIMTCHECK" merge "$folder"/out/shard-*.json --json "$folder/merged.json" 2>&1)
status=$?
case $status:$said in
2:*"shard-2.json: shard 2/3"*"run it again"*) ;; # killed, or asked to end just before
*) echo "merge: status $status: $said" >&2; exit 1 ;;
esac
job=$(submit 2) || exit 1
until_true 600 "shard 2 is run again" is_over
"$SIMTCHECK" merge "$folder"/out/shard-*.json --json "$folder/merged.json" >/dev/null || exit 1
"$SIMTCHECK" "${words[@]}" --json "$folder/whole.json" >/dev/null || exit 1
python3 - "$folder/whole.json" "$folder/merged.json" <<'END' || exit 1
import json, sys
def timeless(x):
    if isinstance(x, dict):
        return {k: timeless(v) for k, v in x.items() if k not in ("seconds", "workers_lost")}
    return [timeless(v) for v in x] if isinstance(x, list) else x
whole, merged = (timeless(json.load(open(path))) for path in sys.argv[1:])
sys.exit(0 if whole == merged else "the shards are not what one run is")
END

# ---- The recipe with a folder that does not exist yet and has shell metacharacters in its name ----

cd "$source" || exit 1
few=(run --engine sim --variant corrected --kernel reduceNeighbored --block 1-64)
sweep="$folder/it's \$(one)/sweep"
SBATCH_OPTIONS=--no-such-option docs/recipes/slurm.sh "$sweep" 3 "${few[@]}" 2>/dev/null && {
    echo "the recipe takes a job that is refused for one that runs" >&2
    exit 1
}
SBATCH_OPTIONS=--ntasks=1 docs/recipes/slurm.sh "$sweep" 3 "${few[@]}" || exit 1
until_true 300 "the recipe has its verdict" grep -qs ' 0 failed' "$sweep/merge.log"
[ -s "$sweep/run.json" ] || { echo "the recipe has written no result" >&2; exit 1; }
SBATCH_OPTIONS=--ntasks=1 docs/recipes/slurm.sh "$sweep" 3 "${few[@]}" 2>/dev/null && {
    echo "the recipe takes a folder with other shards" >&2
    exit 1
}
# Failing tasks also have a verdict.
few[2]=cuda
CUDA_VISIBLE_DEVICES='' SBATCH_OPTIONS=--ntasks=1 docs/recipes/slurm.sh "$folder/fails" 2 "${few[@]}" || exit 1
until_true 300 "the recipe has the verdict of tasks that fail" grep -qs unavailable "$folder/fails/merge.log"
exit 0

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# CTest runs this after all tests. Prints how many block sizes each sweep of this run has tested.
# Argument: the folder with the notes of test_kernel.
set -euo pipefail

# CTest is the parent of this script. Field 22 of its stat is its start time, in ticks of uptime.
read -r uptime _ </proc/uptime
read -r -a fields < <(sed 's/.*) //' "/proc/$PPID/stat")
start=$(awk -v now="$(date +%s.%N)" -v up="$uptime" -v started="${fields[19]}" \
    -v tick="$(getconf CLK_TCK)" 'BEGIN { printf "%.2f", now - up + started / tick }')

[ -d "$1" ] || exit 0
mapfile -d '' notes < <(find "$1" -type f -newermt "@$start" -print0 | sort -z)
[ ${#notes[@]} -gt 0 ] || exit 0
echo
echo "Block sizes tried:"
cat "${notes[@]}"

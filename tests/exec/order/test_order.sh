#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_order.sh SIMTCHECK PROGRAM: exec finds a race in a program of random_order.cu if vector clocks say so, and no
# other.
status=0
for seed in $(seq 30); do
  for size in "12 10" "25 20" "150 35"; do
    word=$("$1" exec --allow leaks --allow no-launch -- "$2" $seed $size 2> /dev/null)
    case "$? $word" in
      "1 RACE" | "0 NONE") ;;
      *) echo "random_order $seed $size: the program says $word"; status=1 ;;
    esac
  done
done
exit $status

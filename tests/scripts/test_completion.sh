#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Checks the completion for bash and the man page against the program: test_completion.sh BUILD_FOLDER.
set -u
program=$1/simtcheck
failed=0
. "$1/simtcheck.bash" || exit 1

report() {
    echo "$*" >&2
    failed=1
}

# Completes the last of the given words.
complete_words() {
    COMP_WORDS=(simtcheck "$@")
    COMP_CWORD=$#
    _simtcheck
    echo "${COMPREPLY[*]-}"
}

expect() {
    local expected=$1
    shift
    [ "$(complete_words "$@")" = "$expected" ] ||
        report "simtcheck $*: completes '$(complete_words "$@")', not '$expected'"
}

expect 'check' che
expect 'lockstep' run --model l
expect 'run races determinism' check --only ''
expect '--by-barrier' counters --by
expect 'sim' races --engine si
expect '' check file.cu ''

# Every command and option of the help is in both.
commands=$("$program" --help | sed -n 's/^  \([a-z-]*\)  .*/\1/p')
[ "$(wc -w <<< "$commands")" -ge 16 ] || report "the help has too few commands: $commands"
man=$(sed 's/\\-/-/g; s/\\f.//g' "$1/simtcheck.1")
for command in $commands; do
    grep -q "^\.SS simtcheck $command" <<< "$man" || report "simtcheck(1) lacks $command"
    section=$(sed -n "/^\.SS simtcheck $command\( \|$\)/,/^\.S[SH] /p" <<< "$man")
    for option in $("$program" "$command" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p'); do
        [ "$(complete_words "$command" "$option")" = "$option" ] ||
            [[ " $(complete_words "$command" "$option") " == *" $option "* ]] ||
            report "the completion of $command lacks $option"
        grep -q "^$option" <<< "$section" || report "simtcheck(1) lacks $option of $command"
    done
done
exit "$failed"

/* SPDX-License-Identifier: MIT */
#include "verdict_words.h"

struct kind {
    const char *word;
    int rank;
};

static const struct kind kinds[] = {
    [VERDICT_CONFORMS] = {"conforms", 0},
    [VERDICT_CONFORMS_IN_DOMAIN] = {"conforms-in-domain", 1},
    [VERDICT_KNOWN_DEFECT] = {"known-defect", 2},
    [VERDICT_MISMATCH] = {"mismatch", RANK_FAILS},
    [VERDICT_FAULT] = {"fault", RANK_FAILS},
    [VERDICT_SKIPPED] = {"skipped", RANK_UNAVAILABLE},
    [VERDICT_PARTIAL] = {"partial", RANK_FAILS},
};
_Static_assert(sizeof kinds / sizeof *kinds == VERDICTS, "a word for each");

static const struct kind race_kinds[] = {
    [RACE_FREE] = {"race-free", 0},
    [RACE] = {"race", 3},
    [ORDER_DEPENDENT] = {"order-dependent", 2},
    [RACE_OF_SAME] = {"same-value race", 1},
    [RACE_FAULT] = {"fault", RANK_FAILS},
    [RACE_SKIPPED] = {"skipped", RANK_UNAVAILABLE},
};
_Static_assert(sizeof race_kinds / sizeof *race_kinds == RACE_VERDICTS, "a word for each");

const struct words verdict_words = {&kinds[0].word, sizeof *kinds, VERDICTS},
                   race_verdict_words = {&race_kinds[0].word, sizeof *race_kinds, RACE_VERDICTS};

const char *verdict_name(enum verdict verdict)
{
    return kinds[verdict].word;
}

const char *race_verdict_name(enum race_verdict verdict)
{
    return race_kinds[verdict].word;
}

bool verdict_is_right(enum verdict verdict)
{
    return kinds[verdict].rank <= kinds[VERDICT_KNOWN_DEFECT].rank;
}

int verdict_rank(enum verdict verdict)
{
    return (int)verdict < VERDICTS ? kinds[verdict].rank : RANK_FAILS;
}

int race_verdict_rank(enum race_verdict verdict)
{
    return (int)verdict < RACE_VERDICTS ? race_kinds[verdict].rank : RANK_FAILS;
}

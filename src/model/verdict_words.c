/* SPDX-License-Identifier: MIT */
#include "verdict_words.h"

struct kind {
    const char *word;
    int rank;
    const char *meaning;
};

static const struct kind kinds[] = {
    [VERDICT_CONFORMS] = {"conforms", 0, "every case equals the reference"},
    [VERDICT_CONFORMS_IN_DOMAIN] =
        {"conforms-in-domain", 1,
         "every case inside the domain equals the reference, and cases just outside fail"},
    [VERDICT_KNOWN_DEFECT] = {"known-defect", 2,
                              "as conforms-in-domain, but cases inside are wrong because of the "
                              "race or order dependence that the catalogue declares; the row has "
                              "their number"},
    [VERDICT_MISMATCH] =
        {"wrong-result", RANK_FAILS,
         "a result differs from the reference, or the domain is too wide or too narrow"},
    [VERDICT_FAULT] = {"fault", RANK_FAILS, "a case ends with a fault"},
    [VERDICT_UNSUPPORTED] = {"unsupported", RANK_UNAVAILABLE,
                             "a case needs a feature that the engine does not have, so it was not "
                             "checked; the exit status is 3 unless another case fails"},
    [VERDICT_SKIPPED] = {"skipped", RANK_UNAVAILABLE,
                         "the engine is not available, or lacks what the kernel needs; the row has "
                         "the reason; never counts as a pass"},
    [VERDICT_PARTIAL] = {"partial", RANK_FAILS,
                         "nothing is wrong in this shard; merge gives the verdict of all shards"},
};
_Static_assert(sizeof kinds / sizeof *kinds == VERDICTS, "a word for each");

static const struct kind race_kinds[] = {
    [RACE_FREE] = {"race-free", 0,
                   "no case races, and no schedule that was tried changes a result"},
    [RACE] = {"race", 3, "accesses race"},
    [ORDER_DEPENDENT] = {"order-dependent", 2,
                         "no race, but the order of strong accesses changes a result"},
    [RACE_WRONG] = {"wrong-result", 3,
                    "no race, but a result is wrong in the order without delays, too"},
    [RACE_OF_SAME] = {"same-value race", 1,
                      "all races are between writes of equal values, which the options allow"},
    [RACE_UNSUPPORTED] =
        {"unsupported", RANK_UNAVAILABLE,
         "a case needs a feature that the engine does not have, and nothing races"},
    [RACE_FAULT] = {"fault", RANK_FAILS, "no race, but a case ends with a fault"},
    [RACE_SKIPPED] =
        {"skipped", RANK_UNAVAILABLE,
         "the model or the engine lacks what the kernel needs; the row has the reason"},
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

const char *verdict_meaning(enum verdict verdict)
{
    return kinds[verdict].meaning;
}

const char *race_verdict_meaning(enum race_verdict verdict)
{
    return race_kinds[verdict].meaning;
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

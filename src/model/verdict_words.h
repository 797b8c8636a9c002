/* SPDX-License-Identifier: MIT
 *
 * The verdicts of `run` and of `races`, with their words.
 */
#ifndef SIMTCHECK_MODEL_VERDICT_WORDS_H
#define SIMTCHECK_MODEL_VERDICT_WORDS_H

#include "field.h"

enum verdict {
    VERDICT_CONFORMS,
    VERDICT_CONFORMS_IN_DOMAIN, /* right inside the domain, wrong just outside it */
    VERDICT_KNOWN_DEFECT, /* also wrong inside, as the catalogue declares and the run verified */
    VERDICT_MISMATCH, /* a result differs from the oracle's, or a declaration of the catalogue does
                         not hold */
    VERDICT_FAULT,
    VERDICT_UNSUPPORTED, /* a case needs what the engine does not have, and no other case fails */
    VERDICT_SKIPPED,
    VERDICT_PARTIAL, /* a shard without failures: the verdict is that of all shards */
};

enum { VERDICTS = VERDICT_PARTIAL + 1 };

enum race_verdict {
    RACE_FREE,
    RACE,             /* a case raced */
    ORDER_DEPENDENT,  /* no races; strong accesses are unordered, and a result changes */
    RACE_WRONG,       /* no races; the result is wrong without a delay, too */
    RACE_OF_SAME,     /* all races are between writes of the same value, which is allowed */
    RACE_UNSUPPORTED, /* as VERDICT_UNSUPPORTED */
    RACE_FAULT,       /* no race, but a case ended in a fault */
    RACE_SKIPPED,
};

enum { RACE_VERDICTS = RACE_SKIPPED + 1 };

extern const struct words verdict_words, race_verdict_words;

const char *verdict_name(enum verdict verdict);
const char *race_verdict_name(enum race_verdict verdict);
/* A clause for documentation. */
const char *verdict_meaning(enum verdict verdict);
const char *race_verdict_meaning(enum race_verdict verdict);

/* Returns whether every result is right, or wrong only as the catalogue declares. */
bool verdict_is_right(enum verdict verdict);

/* The severity of a verdict. Rank RANK_UNAVAILABLE means no result, and higher ranks fail. */
enum { RANK_UNAVAILABLE = 9, RANK_FAILS };
int verdict_rank(enum verdict verdict);
int race_verdict_rank(enum race_verdict verdict);

#endif

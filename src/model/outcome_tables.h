/* SPDX-License-Identifier: MIT
 *
 * The field tables of outcomes and races, and their words.
 */
#ifndef SIMTCHECK_MODEL_OUTCOME_TABLES_H
#define SIMTCHECK_MODEL_OUTCOME_TABLES_H

#include "field.h"
#include "outcome.h"

extern const struct words variant_kind_words, model_words, engine_words, fault_words, outcome_words;

extern const struct table outcome_table, difference_table, fault_table, race_table;

#endif

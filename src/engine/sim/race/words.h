/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_RACE_WORDS_H
#define SIMTCHECK_RACE_WORDS_H

#include "cells.h"

/* A race in words: what each side did, and which order is missing between them. Takes more stack
 * than a fiber has. */
void words_describe(const struct found *found, struct race *described);

#endif

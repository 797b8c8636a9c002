/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_TESTS_RECORD_H
#define SIMTCHECK_TESTS_RECORD_H

#include <stdio.h>

extern FILE *trace; /* where to write; null: nowhere */

#endif

/* SPDX-License-Identifier: MIT
 *
 * Programs as kernels in PTX.
 */
#ifndef SIMTCHECK_COMPILERS_PROGRAM_PTX_H
#define SIMTCHECK_COMPILERS_PROGRAM_PTX_H

#include "program.h"

/* What a module of them begins with: ISA 7.8, for sm_80, which every toolkit from 11.8 on takes. */
void program_ptx_head(FILE *to);

/* A program that has PTX: program_has_ptx(). */
void program_ptx(FILE *to, const struct program *program);

#endif

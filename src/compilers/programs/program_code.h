/* SPDX-License-Identifier: MIT
 *
 * Programs as kernels: in PTX for assemblers, and in CUDA C++ for front ends.
 */
#ifndef SIMTCHECK_COMPILERS_PROGRAM_CODE_H
#define SIMTCHECK_COMPILERS_PROGRAM_CODE_H

#include "program.h"

/* What a module of them begins with: ISA 7.8, for sm_80, which every toolkit from 11.8 on takes. */
void program_ptx_head(FILE *to);

/* A program that has PTX: program_has_ptx(). */
void program_ptx(FILE *to, const struct program *program);

/* What a file of them begins with: functions that operations are made of. */
void program_cuda_head(FILE *to);

void program_cuda(FILE *to, const struct program *program);

#endif

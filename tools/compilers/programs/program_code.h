/* SPDX-License-Identifier: MIT
 *
 * Programs as kernels: in PTX for assemblers, in CUDA C++ for front ends.
 */
#ifndef SIMTCHECK_COMPILERS_PROGRAM_CODE_H
#define SIMTCHECK_COMPILERS_PROGRAM_CODE_H

#include "program.h"

/* Writes the head of a PTX module: ISA 7.8 and sm_80, which every toolkit from 11.8 on accepts. */
void program_ptx_head(FILE *to);

/* Writes a program that has PTX: program_has_ptx(). */
void program_ptx(FILE *to, const struct program *program);

/* Writes the head of a CUDA C++ file: the functions that operations call. */
void program_cuda_head(FILE *to);

void program_cuda(FILE *to, const struct program *program);

#endif

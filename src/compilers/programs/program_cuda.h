/* SPDX-License-Identifier: MIT
 *
 * Programs as kernels in CUDA C++, for front ends.
 */
#ifndef SIMTCHECK_COMPILERS_PROGRAM_CUDA_H
#define SIMTCHECK_COMPILERS_PROGRAM_CUDA_H

#include "program.h"

/* What a file of them begins with: functions that operations are made of. */
void program_cuda_head(FILE *to);

void program_cuda(FILE *to, const struct program *program);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_TESTS_MACHINE_CODE_H
#define SIMTCHECK_TESTS_MACHINE_CODE_H

/* The header of a file in ELF without sections, in place of machine code. */
static const unsigned char machine_code[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};

#endif

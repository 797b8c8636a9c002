/* SPDX-License-Identifier: MIT */
#include "code.h"

const struct op_kind_row op_kinds[] = {
#define OP_KIND(kind, memory, weak, synchronizes)                                                  \
    [kind] = {#kind, MEMORY_##memory, WEAK_##weak, synchronizes},
    OP_KINDS(OP_KIND)
#undef OP_KIND
};

#define ONE(...) +1
enum { OP_KIND_COUNT = OP_KINDS(ONE) };
#undef ONE

_Static_assert(sizeof op_kinds / sizeof *op_kinds == OP_KIND_COUNT, "a row for each kind");
_Static_assert(OP_KIND_COUNT <= UINT8_MAX + 1, "struct op has one byte for the kind");

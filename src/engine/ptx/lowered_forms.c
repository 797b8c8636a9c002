/* SPDX-License-Identifier: MIT
 *
 * Instructions that the decoder converts to several arithmetic instructions: PTX ISA 9.0, chapter
 * 9.7.8.6.
 */
#include "forms.h"

const struct form lowered_forms[] = {
    {"lop3(.or|.and).b32", "b32|p,b32,b32,b32,u32,p", "@lop3", "9.7.8.6"},
    {0},
};

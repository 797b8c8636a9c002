/* SPDX-License-Identifier: MIT */
#include "matrix_registers.h"

#include "faults.h"
#include "undefined.h"

#include <string.h>

_Noreturn void leave_partial_warp(const struct warp *warp, const struct op *op)
{
    uint32_t missing = (uint32_t)__builtin_ctz(~warp->alive);

    record_fault_of(FAULT_DIVERGENT_BARRIER, warp->block,
                    warp->number * LANES + (uint32_t)__builtin_ctz(warp->alive), op->place,
                    SAYS_WARP_INCOMPLETE, .object = op->matrix->opcode, .numbers = {missing},
                    .reason = warp->lanes >> missing & 1 ? "has exited" : "does not exist");
    leave_faulty();
}

void read_operand(struct operand_values *values, char *const frames[LANES], const uint32_t *slots,
                  uint32_t count, uint32_t bytes)
{
    values->any_undefined = values->origin = 0;
    for (uint32_t r = 0; r < count; r++) {
        values->registers[r] = values->words[r];
        values->undefined[r] = 0;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            const struct head *head = head_of(frames[lane], slots[r]);
            memcpy((char *)values->words[r] + lane * bytes, frames[lane] + slots[r] + lane * bytes,
                   bytes);
            if (!(head->undefined >> lane & 1))
                continue;
            values->undefined[r] |= UINT32_C(1) << lane;
            values->origin = head->origin;
        }
        values->any_undefined |= values->undefined[r];
    }
}

void write_operand(const struct operand_values *values, char *const frames[LANES],
                   const uint32_t *slots, uint32_t count, uint32_t bytes)
{
    for (uint32_t r = 0; r < count; r++)
        for (uint32_t lane = 0; lane < LANES; lane++) {
            const struct head head = {
                .undefined = values->undefined[r], .origin = values->origin, .bytes = ALL_BYTES};
            memcpy(frames[lane] + slots[r] + lane * bytes,
                   (const char *)values->words[r] + lane * bytes, bytes);
            note_undefined(frames[lane], slots[r], UINT32_C(1) << lane, &head);
        }
}

static bool is_undefined(const struct operand_values *values,
                         const struct matrix_fragment *fragment, uint32_t lane, uint32_t element)
{
    uint32_t each = fragment->bits >= 32 ? 1 : 32u / fragment->bits;

    return values->undefined[element / each] >> lane & 1;
}

void find_undefined_lines(struct undefined_lines *lines, const struct operand_values *values,
                          const struct matrix_fragment *fragment, bool is_a)
{
    uint32_t elements = values->any_undefined != 0 ? matrix_elements(fragment) : 0;

    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t element = 0; element < elements; element++) {
            struct matrix_place place = matrix_place(fragment, lane, element);
            if (!is_undefined(values, fragment, lane, element))
                continue;
            if (is_a)
                lines->rows[place.product] |= UINT32_C(1) << place.row;
            else
                lines->columns[place.product][place.column / 32] |= UINT32_C(1)
                                                                    << place.column % 32;
        }
}

void find_undefined_results(const struct matrix_shape *shape, struct operand_values *d,
                            const struct undefined_lines *lines, const struct operand_values *c)
{
    uint32_t elements = matrix_elements(&shape->d);
    uint32_t each = shape->d.bits >= 32 ? 1 : 32u / shape->d.bits;

    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t element = 0; element < elements; element++) {
            struct matrix_place place = matrix_place(&shape->d, lane, element);
            if ((lines->rows[place.product] >> place.row & 1) ||
                (lines->columns[place.product][place.column / 32] >> place.column % 32 & 1) ||
                is_undefined(c, &shape->c, lane, element))
                d->undefined[element / each] |= UINT32_C(1) << lane;
        }
}

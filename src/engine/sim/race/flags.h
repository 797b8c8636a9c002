/* SPDX-License-Identifier: MIT
 *
 * Flags that were to order a race: what one thread wrote by a strong access after its side of the
 * race, and the other read by a strong access before its own. Only the message of a race depends on
 * what is kept here.
 */
#ifndef SIMTCHECK_RACE_FLAGS_H
#define SIMTCHECK_RACE_FLAGS_H

#include "order.h"

/* Why the flag orders nothing. WRITE_SCOPE, READ_SCOPE, FENCE_SCOPE: the scope of the write or of
 * the fence before it, of the read, or of the fence after it does not include the other thread. */
enum flag_lack {
    FLAG_LACKS_NOTHING, /* there is no such flag */
    FLAG_LACKS_BOTH,
    FLAG_LACKS_RELEASE,
    FLAG_LACKS_ACQUIRE,
    FLAG_LACKS_WRITE_SCOPE,
    FLAG_LACKS_READ_SCOPE,
    FLAG_LACKS_FENCE_SCOPE
};

struct flag {
    enum flag_lack lacks;
    struct access write, read;
    struct array_element element;
};

/* Call after a strong access. `kind`: a read, ACCESS_WRITE, or ACCESS_ATOMIC for one that does
 * both. */
void flags_note(const struct race_block *block, uint32_t thread, uintptr_t address,
                unsigned int kind, enum simt_order order, const void *place);
/* Call for a fence that acquires. */
void flags_fence(const struct race_block *block);

/* Returns the flag that was read last before `now`. The race is at that address. */
struct flag flags_find(const struct access *was, const struct access *now, uintptr_t address);

void flags_forget(void);

#endif

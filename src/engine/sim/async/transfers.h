/* SPDX-License-Identifier: MIT
 *
 * The mbarrier objects of a block, and its bulk copies that complete on them or by a wait.
 */
#ifndef SIMTCHECK_SIM_TRANSFERS_H
#define SIMTCHECK_SIM_TRANSFERS_H

#include "machine.h"
#include "tensor.h"

/* An initialized mbarrier object. */
struct mbarrier_object {
    const char *at;                 /* on the host */
    uint64_t state;                 /* its contents, as the last operation left them */
    uint64_t phase;                 /* number of complete phases */
    bool is_waited_for;             /* a thread found the current phase incomplete */
    const struct simt_place *place; /* of mbarrier.init */
    char name[64];
};

/* A bulk copy that is not known to be complete. */
struct transfer {
    const struct op *op;
    struct warp *warp;
    uint32_t lane;
    uint64_t to, from;    /* addresses; of a tensor, one of them is the box in shared memory */
    uint32_t size;        /* bytes in shared memory */
    struct block *target; /* of a load: the block in whose window `to` and `barrier` are */
    uint64_t barrier;
    const char *object; /* of a load: its mbarrier on the host */
    struct race_operation operation;
    struct race_completion completion; /* of a load */
    struct tensor_box box;
    uint32_t group; /* groups that the thread had committed before */
    char *bytes;    /* contents of the source, followed by a flag for each byte: it was written */
    bool has_read, has_written;
    bool is_waited_for; /* its thread has waited for the reads */
    uint32_t origin;    /* of source bytes that nothing had written */
    uint64_t phase;     /* of a load that is complete: the phase that it belongs to */
};

struct block_async {
    struct mbarrier_object *objects;
    struct transfer *transfers;
    uint32_t object_count, object_capacity, transfer_count, transfer_capacity;
    uint32_t groups[SIMT_BLOCK_THREADS]; /* bulk groups that each thread has committed */
};

/* Returns the block's state. Raises a fault if memory runs out. */
struct block_async *async_of_block(struct block *block, uint32_t lane);

#endif

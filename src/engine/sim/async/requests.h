/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_SIM_REQUESTS_H
#define SIMTCHECK_SIM_REQUESTS_H

#include "transfers.h"

enum { BULK_UNIT = 16 }; /* bytes: of addresses and sizes of bulk copies */

/* Reads a register of a lane; an address of a bulk copy, which is 0 if the copy has none. */
uint64_t value_of(const struct frame *frame, uint32_t slot, uint32_t lane, size_t bytes);
uint64_t bulk_address(const struct frame *frame, const struct bulk_address *address, uint32_t lane);

/* Returns the copy that an instruction requests: of cp.async.bulk; of st.async or red.async
 * (stores.c). Raises a fault if there cannot be one. */
struct transfer copy_request(struct warp *warp, const struct frame *frame, const struct op *op,
                             uint32_t lane);
struct transfer store_request(struct warp *warp, const struct frame *frame, const struct op *op,
                              uint32_t lane);
/* Raise a fault if a GPU would stop. */
void check_size(const struct transfer *transfer);
void check_coordinate(const struct transfer *transfer);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The memory of the GPU that a launch may access: which allocations there are, and their contents
 * before and after.
 */
#ifndef SIMTCHECK_CAPTURE_MEMORY_H
#define SIMTCHECK_CAPTURE_MEMORY_H

#include "capture_file.h"
#include "map.h"

/* The program allocated, registered or mapped memory. Values in captured memory are pointers if
 * they point to it. */
void memory_allocated(uint64_t address, uint64_t bytes);

/* The allocations of one launch. */
struct snapshot {
    const char *folder;
    struct snapshot_part {
        struct capture_allocation allocation;
        unsigned char *before; /* the contents; pages of zeros are not in memory */
    } * parts;
    size_t count;
    uint64_t bytes, most_bytes; /* of all allocations, and the limit */
    char why[CAPTURE_ERROR];    /* after an error: what is wrong */
};

/* These functions return false on an error. */

/* Adds a variable of a module. */
bool snapshot_add_variable(struct snapshot *snapshot, const char *name, uint64_t address,
                           uint64_t bytes);

/* Adds the allocations that the 8-byte aligned words of the parameters point to. */
bool snapshot_add_parameters(struct snapshot *snapshot, const unsigned char *parameters,
                             size_t bytes);

/* Copies the contents, and adds the allocations that they point to. */
bool snapshot_before(struct snapshot *snapshot);

/* Finds what changed. */
bool snapshot_after(struct snapshot *snapshot);

/* Fills in the allocations of the launch, sorted. They belong to the snapshot. */
bool snapshot_list(const struct snapshot *snapshot, struct captured_launch *launch);

void snapshot_free(struct snapshot *snapshot);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Contents that cases bring or find on the device: what files fill buffers with, and the variables
 * of the code.
 */
#ifndef SIMTCHECK_CUDA_CONTENTS_H
#define SIMTCHECK_CUDA_CONTENTS_H

#include "regions.h"

/* Copies of what buffers are filled with, by where it is on the host. */
struct data_copies {
    struct {
        const void *host;
        void *device;
    } copy[MAX_BUFFERS];
    size_t count;
};

/* Makes copies of what buffers of the invocation are filled with, where they are of FILL_DATA: all
 * of it, once. There are MAX_BUFFERS at the most. */
cudaError_t data_copy(data_copies *copies, const invocation &invocation);

/* The copy of that buffer's; null: there is none. */
const void *data_on_device(const data_copies *copies, const buffer &buffer);
void data_free(data_copies *copies);

/* Has it something that the process has once? */
bool runs_alone(const invocation &invocation);

/* Between the variables of the code that are buffers of the case and the regions that stand for
 * them. Others get back what the code says. */
enum direction { TO_VARIABLES, FROM_VARIABLES };
cudaError_t copy_variables(const invocation &invocation, const region *regions, direction direction,
                           cudaStream_t stream);

#endif

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
        size_t bytes;
    } copy[MAX_BUFFERS];
    size_t next;
};

/* A copy of what that buffer, of FILL_DATA, is filled with; null: there is no memory for it, which
 * the first access of it tells. The last ones are kept. */
const void *data_on_device(data_copies *copies, const buffer &buffer);
void data_free(data_copies *copies);

/* Has it something that the process has once? */
bool runs_alone(const invocation &invocation);

/* Between the variables of the code that are buffers of the case and the regions that stand for
 * them. Others get back what the code says. */
enum direction { TO_VARIABLES, FROM_VARIABLES };
cudaError_t copy_variables(const invocation &invocation, const region *regions, direction direction,
                           cudaStream_t stream);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Contents that cases provide or find on the device: the file data that fills buffers, and the
 * variables of the code.
 */
#ifndef SIMTCHECK_CUDA_CONTENTS_H
#define SIMTCHECK_CUDA_CONTENTS_H

#include "regions.h"

/* Copies of the data that fills buffers, indexed by its address on the host. */
struct data_copies {
    struct {
        const void *host;
        void *device;
    } copy[MAX_BUFFERS];
    size_t count;
};

/* Copies the data that fills the invocation's FILL_DATA buffers to the device. Each piece of data
 * is copied whole, and once. There are at most MAX_BUFFERS. */
cudaError_t data_copy(data_copies *copies, const invocation &invocation);

/* Returns the copy of that buffer's data, or null if none exists. */
const void *data_on_device(const data_copies *copies, const buffer &buffer);
void data_free(data_copies *copies);

/* Returns true if the invocation uses something that all jobs of the process share, such as a
 * variable, or has textures. */
bool runs_alone(const invocation &invocation);

/* Copies between the variables of the code that are buffers of the case and the regions that stand
 * for them. Variables of ROLE_INITIAL get back their initial values. */
enum direction { TO_VARIABLES, FROM_VARIABLES };
cudaError_t copy_variables(const invocation &invocation, const region *regions, direction direction,
                           cudaStream_t stream);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Texture and surface objects of a job, with the arrays that they see.
 */
#ifndef SIMTCHECK_CUDA_VIEWS_H
#define SIMTCHECK_CUDA_VIEWS_H

#include "regions.h"

struct view_objects {
    unsigned long long handles[MAX_VIEWS]; /* of the invocation's views; 0: it has no texels */
    bool is_surface[MAX_VIEWS];
    cudaArray_t arrays[MAX_VIEWS]; /* null: an earlier view sees the same one, or it has none */
};

/* Makes the objects of a job, for the regions of its buffers. */
cudaError_t views_make(view_objects *objects, const invocation &invocation, const region *regions);

/* Fills their arrays from the regions, and the variables of the code that hold handles. */
cudaError_t views_fill(const view_objects *objects, const invocation &invocation,
                       const region *regions, cudaStream_t stream);

/* Copies the contents of surfaces back to the regions. */
cudaError_t views_read(const view_objects *objects, const invocation &invocation,
                       const region *regions, cudaStream_t stream);

/* Destroys what views_make() made, after all work with it is complete. */
void views_free(view_objects *objects);

#endif

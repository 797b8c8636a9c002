/* SPDX-License-Identifier: MIT
 *
 * Parts of every program of the CUDA engine, whether or not its kernels launch: the count of
 * launches, and the features that the toolkit supports in kernels.
 */
#include <simtcheck/dialect.h>
#include "module.h"

#ifdef __CUDACC_RDC__
__device__ simt_launch_count simt_launches;
#endif

bool module_has_device_wait()
{
#ifdef HAVE_DEVICE_WAIT
    return true;
#else
    return false;
#endif
}

bool module_has_tail_launch()
{
#ifdef HAVE_TAIL_LAUNCH
    return true;
#else
    return false;
#endif
}

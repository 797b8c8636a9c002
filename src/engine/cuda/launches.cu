/* SPDX-License-Identifier: MIT
 *
 * What every program of the CUDA engine has, with kernels that launch or without: the count of
 * launches, and what the toolkit lets kernels do.
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

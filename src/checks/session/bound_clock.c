/* SPDX-License-Identifier: MIT */
#include "bound.h"
#include "clock.h"

double bound_seconds(void)
{
    return clock_seconds();
}

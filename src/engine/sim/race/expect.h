/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_SIM_EXPECT_H
#define SIMTCHECK_SIM_EXPECT_H

#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

#endif

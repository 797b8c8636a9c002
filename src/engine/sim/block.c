/* SPDX-License-Identifier: MIT */
#include "block.h"

struct current current;

/* SPDX-License-Identifier: MIT
 *
 * Linked into a test of functions of the core that also look at what wings have: gives it all of
 * simtcheck's wings before main().
 */
#include "tools.h"
#include "wing.h"

__attribute__((constructor)) static void use_wings(void)
{
    wings_use(all_wings);
}

/* SPDX-License-Identifier: MIT
 *
 * simtcheck with the first two rows of its catalogue, so that a test can run everything.
 */
#include "main.h"
#include "tools.h"

int main(int argc, char **argv)
{
    struct catalogue few = simtcheck_catalogue;

    few.count = 2;
    few.calculation_count = 0;
    return suite_main(argc, argv, &few, all_wings);
}

/* SPDX-License-Identifier: MIT */
#include "main.h"
#include "tools.h"

int main(int argc, char **argv)
{
    return suite_main(argc, argv, &simtcheck_catalogue, all_wings);
}

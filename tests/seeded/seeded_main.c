/* SPDX-License-Identifier: MIT */
#include "main.h"
#include "seeded_catalogue.h"

int main(int argc, char **argv)
{
    return suite_main(argc, argv, &seeded_catalogue);
}

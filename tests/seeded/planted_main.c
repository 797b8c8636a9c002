/* SPDX-License-Identifier: MIT */
#include "main.h"
#include "planted_catalogue.h"

int main(int argc, char **argv)
{
    return suite_main(argc, argv, &planted_catalogue);
}

/* SPDX-License-Identifier: MIT */
#include "seeded_catalogue.h"
#include "worker.h"

int main(int argc, char **argv)
{
    return worker_main(argc, argv, &seeded_catalogue);
}

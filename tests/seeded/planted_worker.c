/* SPDX-License-Identifier: MIT */
#include "planted_catalogue.h"
#include "worker.h"

int main(int argc, char **argv)
{
    return worker_main(argc, argv, &planted_catalogue);
}

/* SPDX-License-Identifier: MIT */
#include "bound.h"
#include "main.h"
#include "tools.h"
#include "seeded_catalogue.h"

#include <stdlib.h>

/* The clock of --minutes. Each look at it takes SEEDED_LOOK seconds, so that tests do not depend on
 * time. */
double bound_seconds(void)
{
    const char *look = getenv("SEEDED_LOOK");
    static double now;

    return now += look != NULL ? strtod(look, NULL) : 0;
}

int main(int argc, char **argv)
{
    return suite_main(argc, argv, &seeded_catalogue, all_wings);
}

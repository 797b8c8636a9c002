/* SPDX-License-Identifier: MIT
 *
 * Linked into a program that is compiled with -finstrument-functions: writes the addresses of the
 * functions that the program enters to the file that SIMTCHECK_ROAD names, in order. A program that
 * starts others is the only one that does so.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CALLS = 1 << 24 };

extern char __executable_start;

static uint32_t calls[MAX_CALLS]; /* relative to the start of the program */
static size_t count;

__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *function, void *site)
{
    (void)site;
    if (count < MAX_CALLS)
        calls[count++] = (uint32_t)((char *)function - &__executable_start);
}

__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *function, void *site)
{
    (void)function;
    (void)site;
}

__attribute__((destructor, no_instrument_function)) static void write_calls(void)
{
    const char *path = getenv("SIMTCHECK_ROAD");
    FILE *to = NULL;

    if (path != NULL && strcmp(program_invocation_short_name, "simtcheck") == 0)
        to = fopen(path, "we");
    for (size_t k = 0; to != NULL && k < count; k++)
        fprintf(to, "0x%x\n", calls[k]);
    if (to != NULL && (count == MAX_CALLS || fclose(to) != 0))
        abort();
}

/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static int kept = -1;

bool output_keep(void)
{
    fflush(stdout);
    if (kept < 0)
        kept = memfd_create("output", MFD_CLOEXEC);
    return kept >= 0 && dup2(kept, STDOUT_FILENO) >= 0;
}

size_t output_take(char *text, size_t size)
{
    off_t length;
    ssize_t got;

    text[0] = '\0';
    fflush(stdout);
    if (kept < 0 || (length = lseek(kept, 0, SEEK_END)) <= 0)
        return 0;
    got = pread(kept, text, size - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    if (ftruncate(kept, 0) == 0)
        lseek(kept, 0, SEEK_SET);
    return (size_t)length;
}

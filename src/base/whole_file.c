/* SPDX-License-Identifier: MIT */
#include "whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

char *read_whole_file(const char *path, size_t *size)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* waits for no pipe */
    FILE *from = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    char *text = NULL;
    struct stat status;

    if (from == NULL)
        return NULL;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : ENOTSUP;
    } else {
        *size = (size_t)status.st_size;
        text = calloc(*size + 1, 1);
        if (text != NULL && fread(text, 1, *size, from) != *size) {
            free(text);
            text = NULL;
        }
    }
    fclose(from);
    return text;
}

/* SPDX-License-Identifier: MIT
 *
 * The build step that makes the kernels of the engine cuda-stress: ptx_delays IN OUT.
 */
#include "ptx_delays.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Returns the whole file, which the caller frees, or null if it cannot be read. */
static char *read_file(const char *path)
{
    FILE *stream = fopen(path, "rb");
    char *text = NULL;
    size_t used = 0, size = 0;

    while (stream != NULL) {
        char *larger = realloc(text, size + 65536 + 1);
        if (larger == NULL)
            break;
        text = larger;
        size += 65536;
        used += fread(text + used, 1, size - used, stream);
        if (used < size) {
            text[used] = '\0';
            if (ferror(stream) == 0 && strlen(text) == used) {
                fclose(stream);
                return text;
            }
            if (ferror(stream) == 0)
                errno = EILSEQ; /* not text: the string would end at the null character */
            break;
        }
    }
    if (stream != NULL)
        fclose(stream);
    free(text);
    return NULL;
}

/* Returns the number of the module's first point, a hash of its file name. Modules thus get
 * different points. */
static unsigned int first_point(const char *path)
{
    const char *slash = strrchr(path, '/');
    unsigned int hash = 0;
    for (const char *c = slash != NULL ? slash + 1 : path; *c != '\0'; c++)
        hash = hash * 31 + (unsigned char)*c;
    return hash % 65536 * 65536;
}

int main(int argc, char **argv)
{
    char reason[256] = "";
    unsigned int points;
    char *ptx;
    FILE *out;
    bool good;

    if (argc != 3) {
        fprintf(stderr, "usage: %s IN.ptx OUT.ptx\n", argv[0]);
        return 2;
    }
    ptx = read_file(argv[1]);
    out = ptx != NULL ? fopen(argv[2], "w") : NULL;
    if (out == NULL) {
        fprintf(stderr, "%s: cannot %s '%s': %s\n", argv[0], ptx == NULL ? "read" : "write",
                argv[ptx == NULL ? 1 : 2], strerror(errno));
        free(ptx);
        return 2;
    }
    good = ptx_add_delays(ptx, first_point(argv[1]), out, &points, reason, sizeof reason);
    if (fclose(out) != 0 && good) {
        snprintf(reason, sizeof reason, "cannot write '%s': %s", argv[2], strerror(errno));
        good = false;
    }
    if (!good) {
        fprintf(stderr, "%s: %s: %s\n", argv[0], argv[1], reason);
        remove(argv[2]);
    }
    free(ptx);
    return good ? 0 : 1;
}

/* SPDX-License-Identifier: MIT
 *
 * translate_ptx IN.ptx OUT.c: PTX as C on the engine's interface. Exit status 0; 2 with a sentence
 * where the PTX is wrong, or has what is not supported.
 */
#include "module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *path, size_t *size)
{
    FILE *from = fopen(path, "rb");
    char *text = NULL;
    FILE *to = from != NULL ? open_memstream(&text, size) : NULL;
    char piece[65536];
    size_t got;

    while (to != NULL && (got = fread(piece, 1, sizeof piece, from)) > 0)
        fwrite(piece, 1, got, to);
    if (to != NULL && fclose(to) != 0) {
        free(text);
        text = NULL;
    }
    if (from != NULL && (ferror(from) || text == NULL)) {
        free(text);
        text = NULL;
    }
    if (from != NULL)
        fclose(from);
    return text;
}

int main(int argc, char **argv)
{
    char error[512] = "", *text;
    struct module module;
    size_t size = 0;
    FILE *to;
    bool good;

    if (argc != 3) {
        fprintf(stderr, "usage: translate_ptx IN.ptx OUT.c\n");
        return 2;
    }
    text = read_file(argv[1], &size);
    if (text == NULL) {
        fprintf(stderr, "translate_ptx: cannot read %s: %s\n", argv[1], strerror(errno));
        return 2;
    }
    to = fopen(argv[2], "w");
    if (to == NULL) {
        fprintf(stderr, "translate_ptx: cannot write %s: %s\n", argv[2], strerror(errno));
        free(text);
        return 2;
    }
    good = module_parse(&module, argv[1], text, size, error, sizeof error) &&
           module_emit(&module, to, error, sizeof error);
    good = good && !ferror(to);
    if (fclose(to) != 0 && good) {
        snprintf(error, sizeof error, "cannot write %s: %s", argv[2], strerror(errno));
        good = false;
    }
    if (!good) {
        fprintf(stderr, "translate_ptx: %s\n", error);
        remove(argv[2]);
    }
    module_free(&module);
    free(text);
    return good ? 0 : 2;
}

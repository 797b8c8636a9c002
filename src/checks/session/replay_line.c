/* SPDX-License-Identifier: MIT */
#include "replay_line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct replay_command *replayed; /* null: cases of the catalogue */
static const char *compiler;                  /* null: not given */
static bool strict_barriers, warp_barriers;
static bool has_printed; /* a case since the last replay_line_end() */

void replay_line_use(const struct replay_command *command)
{
    replayed = command;
}

void replay_line_compiler(const char *name)
{
    compiler = name;
}

void replay_line_barriers(bool strict, bool of_warps)
{
    strict_barriers = strict;
    warp_barriers = of_warps;
}

static void print_barriers(void)
{
    printf("%s%s", strict_barriers ? " --strict-barriers" : "",
           warp_barriers ? " --allow warp-barriers" : "");
}

/* Prints a word quoted for a shell. */
static void print_word(const char *word)
{
    putchar('\'');
    for (; *word != '\0'; word++)
        if (*word == '\'')
            printf("'\\''");
        else
            putchar(*word);
    putchar('\'');
}

static void print_option(const char *name, const char *word)
{
    if (word == NULL)
        return;
    printf(" --%s ", name);
    print_word(word);
}

const char *shape_text(const struct variant *variant, const struct shape *shape,
                       char text[SHAPE_TEXT])
{
    char block[WORD_SIZE], size[WORD_SIZE];

    block_format(&shape->block, block);
    size_format(shape, size);
    if (variant->launch != NULL && variant->block_dimensions == 0)
        snprintf(text, SHAPE_TEXT, "size %s", size);
    else
        snprintf(text, SHAPE_TEXT, "block %s, size %s", block, size);
    return text;
}

void replay_line_print(const struct test_case *test, const struct engine_kind *engine)
{
    char case_id[CASE_ID_SIZE];

    case_id_format(test, engine, case_id);
    if (replayed != NULL) {
        printf("        --case %s\n", case_id);
        has_printed = true;
        return;
    }
    printf("        %s replay %s", program_invocation_short_name, case_id);
    print_barriers();
    putchar('\n');
}

void replay_line_end(void)
{
    if (!has_printed)
        return;
    has_printed = false;
    printf("\nTo run one of these cases again:\n    %s %s", program_invocation_short_name,
           replayed->name);
    for (size_t f = 0; f < replayed->file_count; f++) {
        putchar(' ');
        print_word(replayed->files[f]);
    }
    if (compiler != NULL)
        printf(" --compiler %s", compiler);
    for (size_t k = 0; k < replayed->nvcc_count; k++)
        if (compiler == NULL || strcmp(compiler, "nvcc") == 0)
            print_option("nvcc", replayed->nvcc[k]);
    print_barriers();
    print_option("oracle", replayed->oracle);
    print_option("against", replayed->against);
    if (replayed->ulps > 0)
        printf(" --tolerance ulp:%" PRIu64, replayed->ulps);
    if (replayed->exact_floats)
        printf(" --floats exact");
    fputs(" --case CASE", stdout);
    for (size_t f = 0; f < replayed->flag_count; f++) {
        printf("%s ", f == 0 ? " --" : "");
        print_word(replayed->flags[f]);
    }
    putchar('\n');
}

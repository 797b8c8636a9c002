/* SPDX-License-Identifier: MIT */
#include "replay_line.h"

#include "launch_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct replay_command *replayed; /* null: cases of the catalogue */
static const char *compiler;                  /* null: not given */
static uint64_t launch;                       /* 0: not given */
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

void replay_line_launch(uint64_t number)
{
    launch = number;
}

void replay_line_barriers(bool strict, bool of_warps)
{
    strict_barriers = strict;
    warp_barriers = of_warps;
}

static void print_barriers(FILE *to)
{
    fprintf(to, "%s%s", strict_barriers ? " --strict-barriers" : "",
            warp_barriers ? " --allow warp-barriers" : "");
}

/* Prints a word quoted for a shell. */
static void print_word(FILE *to, const char *word)
{
    fputc('\'', to);
    for (; *word != '\0'; word++)
        if (*word == '\'')
            fputs("'\\''", to);
        else
            fputc(*word, to);
    fputc('\'', to);
}

static void print_option(FILE *to, const char *name, const char *word)
{
    if (word == NULL)
        return;
    fprintf(to, " --%s ", name);
    print_word(to, word);
}

const char *shape_text(const struct variant *variant, const struct shape *shape,
                       char text[SHAPE_TEXT])
{
    char block[WORD_SIZE], size[WORD_SIZE];

    block_format(&shape->block, block);
    size_format(shape, size);
    if (launch_is_captured(variant)) {
        snprintf(text, SHAPE_TEXT, "as captured");
        return text;
    }
    if (variant->launch != NULL && !launch_has_size(variant->launch)) {
        bool has_block = variant->block_dimensions > 0;
        snprintf(text, SHAPE_TEXT, "%s%s%sany size", has_block ? "block " : "",
                 has_block ? block : "", has_block ? ", " : "");
        return text;
    }
    if (variant->launch != NULL && variant->block_dimensions == 0)
        snprintf(text, SHAPE_TEXT, "size %s", size);
    else
        snprintf(text, SHAPE_TEXT, "block %s, size %s", block, size);
    return text;
}

const char *input_text(const struct test_case *test, char text[INPUT_TEXT])
{
    char shape[SHAPE_TEXT], values[WORD_SIZE];

    values_format(test->values, values);
    shape_text(test->variant, &test->shape, shape);
    if (launch_is_captured(test->variant))
        snprintf(text, INPUT_TEXT, "%s", shape);
    else
        snprintf(text, INPUT_TEXT, "%s, values %s", shape, values);
    return text;
}

static void print_catalogue_command(FILE *to, const char *case_id)
{
    fprintf(to, "%s replay %s", program_invocation_short_name, case_id);
    print_barriers(to);
}

void replay_line_print(const struct test_case *test, const struct engine_kind *engine)
{
    char case_id[CASE_ID_SIZE];

    case_id_format(test, engine, case_id);
    fputs("        ", stdout);
    if (replayed != NULL) {
        printf("--case %s", case_id);
        has_printed = true;
    } else {
        print_catalogue_command(stdout, case_id);
    }
    putchar('\n');
}

void replay_line_print_two(const struct test_case *one, const struct test_case *other,
                           const struct engine_kind *engine)
{
    char case_id[CASE_ID_SIZE];

    case_id_format(one, engine, case_id);
    printf("        --case %s,", case_id);
    case_id_format(other, engine, case_id);
    puts(case_id);
    has_printed = true;
}

/* Prints the user's command with that case. */
static void print_command(FILE *to, const char *case_id)
{
    fprintf(to, "%s %s", program_invocation_short_name, replayed->name);
    for (size_t f = 0; f < replayed->file_count; f++) {
        fputc(' ', to);
        print_word(to, replayed->files[f]);
    }
    if (launch > 0)
        fprintf(to, " --launch %" PRIu64, launch);
    if (compiler != NULL)
        fprintf(to, " --compiler %s", compiler);
    for (size_t k = 0; k < replayed->nvcc_count; k++)
        if (compiler == NULL || strcmp(compiler, "nvcc") == 0)
            print_option(to, "nvcc", replayed->nvcc[k]);
    print_barriers(to);
    print_option(to, "oracle", replayed->oracle);
    print_option(to, "against", replayed->against);
    for (uint32_t k = 0; replayed->allowed != NULL && k < replayed->allowed->count; k++) {
        char text[ALLOWANCE_TEXT];
        allowance_text(&replayed->allowed->all[k], text);
        print_option(to, "allow", text);
    }
    if (replayed->ulps > 0)
        fprintf(to, " --tolerance ulp:%" PRIu64, replayed->ulps);
    if (replayed->exact_floats)
        fprintf(to, " --floats exact");
    if (replayed->reference_double)
        fprintf(to, " --reference double");
    fprintf(to, " --case %s", case_id);
    for (size_t f = 0; f < replayed->flag_count; f++) {
        fprintf(to, "%s ", f == 0 ? " --" : "");
        print_word(to, replayed->flags[f]);
    }
}

char *replay_line_command(const char *case_id)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    if (to == NULL)
        return NULL;
    if (replayed != NULL)
        print_command(to, case_id);
    else
        print_catalogue_command(to, case_id);
    fclose(to);
    return text;
}

void replay_line_end(void)
{
    if (!has_printed)
        return;
    has_printed = false;
    fputs("\nTo run one of these cases again:\n    ", stdout);
    print_command(stdout, "CASE");
    putchar('\n');
}

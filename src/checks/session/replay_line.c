/* SPDX-License-Identifier: MIT */
#include "replay_line.h"

#include "launch_text.h"
#include "session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_barriers(FILE *to, const struct session *session)
{
    fprintf(to, "%s%s", session->limits.strict_barriers ? " --strict-barriers" : "",
            session->limits.warp_barriers ? " --allow warp-barriers" : "");
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

const char *sizes_text(const struct variant *variant, const uint64_t least[MAX_SIZES],
                       const uint64_t most[MAX_SIZES], char text[SIZES_TEXT])
{
    static const char *const names[][2] = {{"n", ""}, {"nx", "ny"}};
    const struct launch_text *launch = variant->launch;
    uint32_t count = launch != NULL && launch_has_size(launch) ? launch_size_dimensions(launch) : 0;
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t k = 0; k < count; k++) {
        used += (size_t)snprintf(
            text + used, SIZES_TEXT - used, "%s%s = %" PRIu64, k > 0 ? ", " : "",
            launch->sizes.count > 0 ? launch->sizes.name[k] : names[count - 1][k], least[k]);
        if (most[k] > least[k])
            used += (size_t)snprintf(text + used, SIZES_TEXT - used, "..%" PRIu64, most[k]);
    }
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

static void print_catalogue_command(FILE *to, const struct session *session, const char *case_id)
{
    fprintf(to, "%s replay %s", program_invocation_short_name, case_id);
    print_barriers(to, session);
}

/* Prints the user's command with that case. */
static void print_command(FILE *to, const struct session *session, const char *case_id)
{
    const struct replay_command *replay = &session->replay;

    fprintf(to, "%s %s", program_invocation_short_name, replay->name);
    for (size_t f = 0; f < replay->file_count; f++) {
        fputc(' ', to);
        print_word(to, replay->files[f]);
    }
    if (replay->launch > 0)
        fprintf(to, " --launch %" PRIu64, replay->launch);
    if (replay->compiler != NULL)
        fprintf(to, " --compiler %s", replay->compiler);
    for (size_t k = 0; k < replay->nvcc_count; k++)
        if (replay->compiler == NULL || strcmp(replay->compiler, "nvcc") == 0)
            print_option(to, "nvcc", replay->nvcc[k]);
    print_barriers(to, session);
    for (uint32_t k = 0; replay->sizes != NULL && k < replay->sizes->count; k++)
        fprintf(to, "%s%s=1", k == 0 ? " --size " : ",", replay->sizes->name[k]);
    print_option(to, "oracle", replay->oracle);
    print_option(to, "against", replay->against);
    for (uint32_t k = 0; replay->allowed != NULL && k < replay->allowed->count; k++) {
        char text[ALLOWANCE_TEXT];
        allowance_text(&replay->allowed->all[k], text);
        print_option(to, "allow", text);
    }
    if (replay->ulps > 0)
        fprintf(to, " --tolerance ulp:%" PRIu64, replay->ulps);
    if (replay->exact_floats)
        fprintf(to, " --floats exact");
    if (replay->reference_double)
        fprintf(to, " --reference double");
    fprintf(to, " --case %s", case_id);
    for (size_t f = 0; f < replay->flag_count; f++) {
        fprintf(to, "%s ", f == 0 ? " --" : "");
        print_word(to, replay->flags[f]);
    }
}

char *replay_line_command(const struct session *session, const char *case_id)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    if (to == NULL)
        return NULL;
    if (session->replay.name != NULL)
        print_command(to, session, case_id);
    else
        print_catalogue_command(to, session, case_id);
    fclose(to);
    return text;
}

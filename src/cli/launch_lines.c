/* SPDX-License-Identifier: MIT */
#include "launch_lines.h"

#include "command.h"
#include "error_report.h"
#include "interrupt.h"

#include <string.h>

/* Returns whether the path ends with that file name. */
static bool is_path_of(const char *path, const char *file)
{
    size_t length = strlen(path), tail = strlen(file);

    return length >= tail && strcmp(path + length - tail, file) == 0 &&
           (length == tail || path[length - tail - 1] == '/');
}

/* Sets the words of a line: of the files of the whole check those that it names. Returns false
 * after an error message. */
static bool set_words(const struct command_line *whole, size_t first,
                      const struct launch_line *from, struct command_line *line,
                      struct memory *memory)
{
    const char **words = memory_take(memory, (whole->word_count + 1) * sizeof *words);
    size_t count = 0;

    for (size_t w = 0; w + 1 < whole->word_count; w++)
        if (w < first || from->file == NULL || is_path_of(whole->words[w], from->file))
            words[count++] = whole->words[w];
    if (count == first && from->file == NULL)
        return error_report("the kernel's file is missing: write FILE.cu: before the launch, or "
                            "FILE.cu before '%s' on the command line",
                            whole->words[whole->word_count - 1]);
    if (count == first)
        words[count++] = from->file;
    words[count++] = from->launch;
    line->words = words;
    line->word_count = count;
    return true;
}

/* Returns whether the options of a line of the file set what belongs to all launches: the time, or
 * what is written. */
static bool has_own_output(const struct command_line *whole, const struct command_line *line)
{
    const struct common_options *own = line->common, *all = whole->common;
    bool has = (own->minutes > 0 && !(all->minutes > 0)) || own->verbose != all->verbose ||
               own->quiet != all->quiet || own->colour != all->colour || own->output != all->output;

    for (int f = 0; f < FINDINGS_FORMATS; f++)
        has = has || own->findings[f] != all->findings[f];
    return has;
}

/* Reads the options of a line of the file. It has those of the whole check as well, and the
 * compiler's flags unless it has its own. Returns false after an error message. */
static bool read_options(const struct command_line *whole, const struct launch_line *from,
                         struct command_line *line, struct memory *memory)
{
    char **options = memory_take(memory, (from->option_count + 1) * sizeof *options);
    size_t count = 1;
    bool has_flags = false;

    options[0] = memory_copy(memory, whole->command->name);
    for (size_t w = 0; w < from->option_count; w++) {
        options[count++] = from->options[w];
        has_flags = has_flags || strcmp(from->options[w], "--") == 0;
    }
    if (!command_line_extend(whole, count, options, line) || line->help)
        return false;
    for (size_t f = 0; !has_flags && f < whole->flag_count; f++)
        line->flags[line->flag_count++] = whole->flags[f];
    line->all = whole->all;
    line->all_count = whole->all_count;
    return !has_own_output(whole, line) ||
           error_report("--minutes and the options of the output are for all launches together: "
                        "give them on the command line");
}

/* Makes messages begin with the place of the line. */
static void name_line(struct launch_lines *lines, size_t line, const char *path,
                      struct findings *findings)
{
    findings->from = memory_text(&lines->memory, "%s:%d", path, lines->file.lines[line].number);
    error_report_from(findings->from);
}

static int run_lines(struct launch_lines *lines, const char *path, const struct session *session)
{
    struct findings *findings = &session->sinks->findings;
    struct progress *progress = &session->sinks->progress;
    int status = EXIT_CONFORMS;

    for (size_t k = 0; k < lines->file.count; k++)
        progress->launches += lines->all[k].is_read;
    for (size_t k = 0; k < lines->file.count && !interrupt_came(); k++) {
        const char *launch = lines->file.lines[k].launch;
        struct command_line *line = &lines->all[k].line;
        size_t before = findings->results.launches.count;
        name_line(lines, k, path, findings);
        if (lines->all[k].is_read) {
            session->sinks->bound.launches = progress->launches - progress->launch++;
            session_say(session, "%s%s: %s\n", k > 0 ? "\n" : "", findings->from, launch);
            line->of = lines;
            line->line = k;
        }
        status = session_worse(status,
                               line->of != NULL ? line->command->run(line, session) : EXIT_USAGE);
        if (findings->results.launches.count > before)
            continue;
        findings_add_launch(findings, &(const struct launch_record){.launch = launch});
        findings_end_launch(findings, EXIT_USAGE);
    }
    return session_interrupted(status);
}

int launch_lines_run(const struct command_line *whole, size_t first, size_t selection,
                     const struct session *session)
{
    const char *path = whole->words[whole->word_count - 1];
    struct launch_lines lines = {.all = NULL};
    int status = EXIT_USAGE;

    if (launch_file_read(path, &lines.file))
        lines.all = memory_take(&lines.memory, lines.file.count * sizeof *lines.all);
    for (size_t k = 0; lines.all != NULL && k < lines.file.count; k++) {
        const struct launch_line *from = &lines.file.lines[k];
        struct line_check *one = &lines.all[k];
        name_line(&lines, k, path, &session->sinks->findings);
        one->is_read = read_options(whole, from, &one->line, &lines.memory) &&
                       set_words(whole, first, from, &one->line, &lines.memory);
        if (one->is_read) {
            const struct selection *chosen =
                (const void *)((const char *)one->line.common + selection);
            one->is_read = user_launch_read(from->launch, &chosen->cases.size_names, &one->launch);
        }
    }
    if (lines.all != NULL && lines.file.count > 1 && whole->common->output != NULL) {
        error_report_from(NULL);
        error_report("--out holds the results of one launch, but '%s' has %zu", path,
                     lines.file.count);
    } else if (lines.all != NULL) {
        status = run_lines(&lines, path, session);
    }
    error_report_from(NULL);
    session->sinks->findings.from = NULL;
    for (size_t k = 0; lines.all != NULL && k < lines.file.count; k++)
        command_line_free(&lines.all[k].line);
    memory_free(&lines.memory);
    launch_file_free(&lines.file);
    return status;
}

/* SPDX-License-Identifier: MIT */
#include "package.h"

#include "command.h"
#include "error_report.h"

struct package_options {
    struct common_options common;
    struct selection all; /* defaults */
    struct engine_list engines;
    const char *file;
    bool verifies;
};

static int package(const struct command_line *line, const struct session *session)
{
    const struct package_options *options = line->options;
    const struct package_request request = {.paths = line->words,
                                            .count = line->word_count,
                                            .output = options->file,
                                            .engines = options->engines,
                                            .all = &options->all.cases};

    if (options->verifies && options->file == NULL && line->word_count == 1)
        return package_verify(&request, session);
    if (!options->verifies && options->file != NULL && options->common.output == NULL)
        return package_make(&request, session);
    error_report(options->verifies       ? "package --verify needs one FILE, and no --out"
                 : options->file == NULL ? "package needs --out FILE, or --verify"
                                         : "package writes --json only with --verify");
    return EXIT_USAGE;
}

static const struct option_row rows[] = {
    {"out", "FILE", &option_text, OPTION_AT(struct package_options, file, const char *),
     .help = "the package to write"},
    {"verify", NULL, &option_flag, OPTION_AT(struct package_options, verifies, bool),
     .help = "verify a package instead", .usual = "off"},
    {"engine", "E", &option_engines, OPTION_AT(struct package_options, engines, struct engine_list),
     .help = "an engine that must be tested: sim or cuda; repeatable",
     .usual = "the engines of the snapshot"},
    {.name = NULL},
};

static const struct option_part parts[] = {
    {rows, 0, NULL, NULL},
    {selection_rows, offsetof(struct package_options, all), "", NULL},
    {common_rows, 0, "json", NULL},
    {NULL, 0, NULL, NULL},
};

const struct command package_command = {
    .name = "package",
    .summary = "seal the results of a run in one file, or verify such a file",
    .arguments = "FILE... --out FILE, or --verify FILE",
    .help = "A package has a snapshot, other files of results, the list of all tests and the "
            "checksums. With --verify, exits with 0 if every test conforms, with 1 if not, or if a "
            "test has no result, and with 2 if the file is damaged or no package.",
    .example = "simtcheck package snapshot.json soak.json --out run.tar",
    .parts = parts,
    .size = sizeof(struct package_options),
    .words = "a snapshot and other files of its run, or a package",
    .least_words = 1,
    .most_words = 500,
    .run = package,
};

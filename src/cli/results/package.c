/* SPDX-License-Identifier: MIT */
#include "package.h"

#include "command.h"
#include "error_report.h"

static int package(const struct command_line *line, const struct session *session)
{
    struct package_request *request = line->request;

    request->paths = line->words;
    request->count = line->word_count;
    if (request->verifies && request->output == NULL && line->word_count == 1)
        return package_verify(request, session);
    if (!request->verifies && request->output != NULL && line->common->output == NULL)
        return package_make(request, session);
    error_report(request->verifies         ? "package --verify needs one FILE, and no --out"
                 : request->output == NULL ? "package needs --out FILE, or --verify"
                                           : "package writes --json only with --verify");
    return EXIT_USAGE;
}

static const struct option_row rows[] = {
    {"out", "FILE", &option_text, REQUEST_AT(struct package_request, output, const char *),
     .help = "the package to write"},
    {"verify", NULL, &option_flag, REQUEST_AT(struct package_request, verifies, bool),
     .help = "verify a package instead", .usual = "off"},
    {"engine", "E", &option_engines,
     REQUEST_AT(struct package_request, engines, struct engine_list),
     .help = "an engine that must be tested: sim or cuda; repeatable",
     .usual = "the engines of the snapshot"},
    {.name = NULL},
};

static const struct option_part parts[] = {
    {rows, 0, NULL, NULL},
    {selection_rows, REQUEST_PART(struct package_request, all), "", NULL},
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
    .size = sizeof(struct package_request),
    .words = "a snapshot and other files of its run, or a package",
    .least_words = 1,
    .most_words = 500,
    .run = package,
};

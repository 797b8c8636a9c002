/* SPDX-License-Identifier: MIT */
#include "session.h"

#include "complain.h"
#include "interrupt.h"
#include "token.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int session_worse(int a, int b)
{
    static const int order[] = {EXIT_ENVIRONMENT, EXIT_DIFFERS, EXIT_UNAVAILABLE, EXIT_CONFORMS};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return a;
}

/* ---- What is selected ---- */

/* Every --kernel has to match something, or a misspelt gate would be green. */
static bool selects_something(const struct selection *selection, const struct catalogue *catalogue)
{
    const char *unmatched = selection_unmatched(selection, catalogue);

    if (unmatched != NULL)
        return complain("no kernel matches --kernel '%s': see '%s list'", unmatched,
                        program_invocation_short_name);
    return selection_has_any(selection, catalogue) ||
           complain("no kernel matches both --kernel and --form: see '%s list'",
                    program_invocation_short_name);
}

/* A block or size of more dimensions than any selected kernel takes is a mistake; each kernel
 * leaves out those that are not for it. */
static bool shapes_fit(const struct selection *selection, const struct catalogue *catalogue)
{
    const struct plan_request *cases = &selection->cases;
    char word[WORD_SIZE];

    for (size_t b = 0; b < cases->block_count; b++) {
        struct shape shape = {cases->blocks[b], {1, 1}};
        if (selection_takes(selection, catalogue, &shape))
            continue;
        block_format(&shape.block, word);
        return complain("none of the kernels takes blocks such as %s: give fewer dimensions, such "
                        "as 256",
                        word);
    }
    for (size_t z = 0; z < cases->size_count; z++) {
        struct shape shape = {{1, 1, 1}, {cases->sizes[z][0], cases->sizes[z][1]}};
        if (selection_takes(selection, catalogue, &shape))
            continue;
        size_format(shape.size, word);
        return complain("none of the kernels takes sizes such as %s: give one dimension, such as "
                        "1000",
                        word);
    }
    return true;
}

bool session_fits(const struct options *options, const struct catalogue *catalogue)
{
    const struct selection *selection = &options->selection;

    if (!selects_something(selection, catalogue) || !shapes_fit(selection, catalogue))
        return false;
    return selection_has_cases(selection, catalogue) ||
           complain("every shape of --block and --size breaks several conditions of the kernels' "
                    "domains, or has dimensions that are not theirs: give others, or "
                    "--assume-total");
}

const char *session_lacks(const struct options *options, const struct variant *variant,
                          const struct supervisor *supervisor)
{
    const char *lacks = selection_lacks(&options->selection, variant);
    return lacks != NULL ? lacks : supervisor_lacks(supervisor, variant->need);
}

/* ---- Engines ---- */

bool session_requires(const struct options *options, enum engine_id engine)
{
    return options->require != NULL && options->require->id == engine;
}

struct supervisor_options session_supervised(const struct options *options, enum engine_id engine)
{
    return (struct supervisor_options){
        .engine = &engine_kinds[engine],
        .jobs = (unsigned int)options->jobs,
        .limits = options_limits(options),
        .stopped = interrupt_came,
    };
}

int session_failed(const struct options *options, enum engine_id engine, enum engine_status status,
                   const char *reason)
{
    complain("engine %s%s: %s", engine_kinds[engine].name,
             status == ENGINE_UNAVAILABLE ? " is not available" : "", reason);
    return status == ENGINE_UNAVAILABLE && !session_requires(options, engine) ? EXIT_UNAVAILABLE
                                                                              : EXIT_ENVIRONMENT;
}

int session_open(const struct options *options, enum engine_id engine, enum request request,
                 struct supervisor **supervisor)
{
    struct supervisor_options supervised = session_supervised(options, engine);
    char reason[512];
    enum engine_status status;

    supervised.request = request;
    status = supervisor_open(&supervised, supervisor, reason, sizeof reason);
    return status == ENGINE_OK ? EXIT_CONFORMS : session_failed(options, engine, status, reason);
}

int session_require(const struct options *options, const struct engine_kind *const used[],
                    size_t count)
{
    struct supervisor_options supervised;
    struct supervisor *supervisor;
    char reason[512];

    if (!options->require_always)
        return EXIT_CONFORMS;
    for (size_t e = 0; e < count; e++)
        if (used[e] == options->require)
            return EXIT_CONFORMS;
    supervised = session_supervised(options, options->require->id);
    supervised.jobs = 1;
    if (supervisor_open(&supervised, &supervisor, reason, sizeof reason) != ENGINE_OK)
        return session_failed(options, options->require->id, ENGINE_UNAVAILABLE, reason);
    supervisor_close(supervisor);
    return EXIT_CONFORMS;
}

/* ---- Reports on disk ---- */

bool session_dump(const json_t *value, FILE *stream)
{
    return json_dumpf(value, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) == 0 &&
           fputc('\n', stream) != EOF && fflush(stream) == 0;
}

/* Writes beside the file, then renames; what is no regular file is written in place. */
static bool write_file(const json_t *value, const char *path)
{
    char partial[4096];
    struct stat status;
    bool in_place = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    FILE *stream;
    bool good;

    if (snprintf(partial, sizeof partial, in_place ? "%s" : "%s.partial", path) >=
        (int)sizeof partial) {
        errno = ENAMETOOLONG;
        return false;
    }
    stream = fopen(partial, "w");
    good = stream != NULL && session_dump(value, stream);
    if (stream != NULL && fclose(stream) != 0)
        good = false;
    good = good && (in_place || rename(partial, path) == 0);
    if (!good && !in_place && stream != NULL) {
        int why = errno;
        unlink(partial);
        errno = why;
    }
    return good;
}

bool session_save(const struct options *options, json_t *value)
{
    bool good = options->json == NULL || write_file(value, options->json);

    if (!good)
        complain("cannot write '%s': %s: %s", options->json, strerror(errno),
                 errno == ENOSPC || errno == EFBIG || errno == EDQUOT
                     ? "make room, or name a file elsewhere"
                     : "name a file in a folder that can be written");
    json_decref(value);
    return good;
}

/* SPDX-License-Identifier: MIT */
#include "session.h"

#include "complain.h"
#include "interrupt.h"
#include "shards.h"
#include "token.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int session_worse(int a, int b)
{
    static const int order[] = {EXIT_ENVIRONMENT, EXIT_USAGE, EXIT_DIFFERS, EXIT_UNAVAILABLE,
                                EXIT_CONFORMS};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return a;
}

int session_interrupted(int status)
{
    if (!interrupt_came())
        return status;
    complain("interrupted: what was left to do is not done");
    return session_worse(status, EXIT_ENVIRONMENT);
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
        struct shape shape = {cases->blocks[b], {1, 1}, 0, 0};
        if (selection_takes(selection, catalogue, &shape))
            continue;
        block_format(&shape.block, word);
        return complain("none of the kernels takes blocks such as %s: give fewer dimensions, such "
                        "as 256",
                        word);
    }
    for (size_t z = 0; z < cases->size_count; z++) {
        struct shape shape = cases->sizes[z];
        if (selection_takes(selection, catalogue, &shape))
            continue;
        size_format(&shape, word);
        return complain("none of the kernels takes sizes such as %s: give one dimension, such as "
                        "1000, and a maxDepth only to a kernel that is given one",
                        word);
    }
    return true;
}

/* Blocks that a kernel of so many dimensions is tried with. */
static uint64_t blocks_of(const struct plan_request *cases, uint32_t dimensions)
{
    static const uint64_t all[] = {1, 1024, 7262, 25670};
    enum { SOME = 128 };

    return cases->blocks != NULL                         ? cases->block_count
           : cases->level == 1 && all[dimensions] > SOME ? SOME
                                                         : all[dimensions];
}

/* A plan that no memory holds, and nobody waits for, is a mistake too. */
static bool plans_fit(const struct selection *selection, const struct catalogue *catalogue)
{
    enum { MOST_SHAPES = 1 << 22 };
    const struct plan_request *cases = &selection->cases;
    uint64_t most = 0;

    for (size_t i = 0; i < catalogue->count; i++) {
        const struct variant *variant = &catalogue->variants[i];
        uint64_t shapes = cases->size_count * blocks_of(cases, variant->block_dimensions);
        if (selection_has(selection, variant) && shapes > most)
            most = shapes;
    }
    return most <= MOST_SHAPES || complain("--block and --size make up to %" PRIu64
                                           " shapes for a kernel, more than %d: give fewer",
                                           most, MOST_SHAPES);
}

bool session_fits(const struct options *options, const struct catalogue *catalogue)
{
    const struct selection *selection = &options->selection;

    if (!selects_something(selection, catalogue) || !shapes_fit(selection, catalogue) ||
        !plans_fit(selection, catalogue))
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
        .limits = {.deadline_seconds = options->deadline_seconds,
                   .delays = {.seed = (uint32_t)options->delay_seed,
                              .per_cent = (uint32_t)options->delay_per_cent,
                              .longest_ns = (uint32_t)options->delay_longest_ns}},
        .stopped = interrupt_came,
    };
}

const struct engine_kind *session_simulator(const struct options *options)
{
    if (options->engine_count == 0)
        return &engine_kinds[ENGINE_HOST];
    if (options->engine_count == 1 && options->engines[0]->simulates)
        return options->engines[0];
    complain("this command takes one --engine, host or ptx");
    return NULL;
}

int session_failed(const struct options *options, enum engine_id engine, enum engine_status status,
                   const char *reason)
{
    complain("engine %s%s: %s", engine_kinds[engine].name,
             status == ENGINE_UNAVAILABLE ? " is not available" : "", reason);
    return status == ENGINE_UNAVAILABLE && !session_requires(options, engine) ? EXIT_UNAVAILABLE
                                                                              : EXIT_ENVIRONMENT;
}

/* The workers of an engine that session_keep() names. */
static struct kept {
    bool is_wanted, has_code; /* kernels of a file, from which they cannot go back to their own */
    struct supervisor *supervisor; /* null: none yet */
    bool is_open;
    struct supervisor_options options;
    uint64_t lost; /* which have been told */
} kept_engines[ENGINES];

void session_keep(enum engine_id engine)
{
    kept_engines[engine].is_wanted = true;
}

static bool is_same(const struct supervisor_options *one, const struct supervisor_options *other)
{
    const struct engine_limits *a = &one->limits, *b = &other->limits;

    return one->jobs == other->jobs && a->deadline_seconds == b->deadline_seconds &&
           a->steps == b->steps && a->delays.seed == b->delays.seed &&
           a->delays.per_cent == b->delays.per_cent && a->delays.longest_ns == b->delays.longest_ns;
}

static void end_kept(struct kept *kept)
{
    supervisor_close(kept->supervisor);
    *kept = (struct kept){.is_wanted = kept->is_wanted};
}

/* As supervisor_open(), or those that were kept. */
static enum engine_status open_or_take(const struct supervisor_options *options, bool has_code,
                                       struct supervisor **supervisor, char *reason, size_t size)
{
    struct kept *kept = &kept_engines[options->engine->id];
    enum engine_status status = ENGINE_OK;

    if (!kept->is_wanted || kept->is_open)
        return supervisor_open(options, supervisor, reason, size);
    if (kept->supervisor != NULL &&
        (!is_same(&kept->options, options) || (kept->has_code && !has_code)))
        end_kept(kept);
    if (kept->supervisor == NULL)
        status = supervisor_open(options, &kept->supervisor, reason, size);
    else
        supervisor_ask(kept->supervisor, options->request);
    kept->options = *options;
    kept->has_code = has_code;
    kept->is_open = status == ENGINE_OK;
    *supervisor = kept->supervisor;
    return status;
}

enum engine_status session_start(const struct options *options, enum engine_id engine,
                                 enum request request, struct supervisor **supervisor, char *reason,
                                 size_t reason_size)
{
    struct supervisor_options supervised = session_supervised(options, engine);
    const struct code_files *files = &options->code[engine];
    enum engine_status status;

    supervised.request = request;
    status = open_or_take(&supervised, files->code != NULL, supervisor, reason, reason_size);
    if (status == ENGINE_OK || status == ENGINE_UNAVAILABLE)
        shards_note_engine(engine_kinds[engine].name,
                           status == ENGINE_OK ? supervisor_description(*supervisor) : NULL);
    if (status == ENGINE_OK && files->code != NULL)
        supervisor_use(*supervisor, files->code, files->launches);
    return status;
}

int session_open(const struct options *options, enum engine_id engine, enum request request,
                 struct supervisor **supervisor)
{
    char reason[512];
    enum engine_status status =
        session_start(options, engine, request, supervisor, reason, sizeof reason);

    return status == ENGINE_OK ? EXIT_CONFORMS : session_failed(options, engine, status, reason);
}

void session_close(struct supervisor *supervisor)
{
    uint64_t lost = supervisor != NULL ? supervisor_lost(supervisor) : 0;
    struct kept *kept = NULL;

    for (int e = 0; e < ENGINES && supervisor != NULL; e++)
        if (kept_engines[e].supervisor == supervisor)
            kept = &kept_engines[e];
    if (kept != NULL) {
        lost -= kept->lost;
        kept->lost += lost;
        kept->is_open = false;
    }
    if (lost > 0)
        complain("%" PRIu64 " worker%s lost; what it was to run has been run again", lost,
                 lost == 1 ? " was" : "s were");
    if (kept == NULL)
        supervisor_close(supervisor);
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

/* What a pipe or the like is to get. */
static json_t *last;

/* Standard output or error, where the path leads to what goes there; else -1. */
static int own_stream(const char *path)
{
    struct stat status, own;

    for (int stream = STDOUT_FILENO; stream <= STDERR_FILENO; stream++)
        if (stat(path, &status) == 0 && fstat(stream, &own) == 0 && own.st_dev == status.st_dev &&
            own.st_ino == status.st_ino)
            return stream;
    return -1;
}

/* A pipe or the like, or what goes by standard output or error as well. */
static bool stays_in_place(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && (own_stream(path) >= 0 || !S_ISREG(status.st_mode));
}

static bool dump(const void *value, FILE *stream)
{
    return session_dump(value, stream);
}

/* Writes that to a stream of that descriptor, and closes it. */
static bool write_all(session_writer *write, const void *what, int descriptor)
{
    FILE *stream = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    bool good = stream != NULL && write(what, stream);

    if (stream == NULL && descriptor >= 0)
        close(descriptor);
    else if (stream != NULL && fclose(stream) != 0)
        good = false;
    return good;
}

/* Gives the file that `held` stands for a name, and then the path's. */
static bool name_twice(const char *held, const char *name, const char *path)
{
    if (linkat(AT_FDCWD, held, AT_FDCWD, name, AT_SYMLINK_FOLLOW) != 0)
        return false;
    if (rename(name, path) == 0)
        return true;
    unlink(name);
    return false;
}

/* At once where nothing has that name yet, else by a process of its own: it goes on where this one
 * is killed between the two. */
static bool name_file(int descriptor, const char *path)
{
    char held[32], name[PATH_MAX + 16];
    volatile bool good = false;
    pid_t child;

    snprintf(held, sizeof held, "/proc/self/fd/%d", descriptor);
    if (linkat(AT_FDCWD, held, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0)
        return true;
    if (snprintf(name, sizeof name, "%s.%d", path, (int)getpid()) >= PATH_MAX)
        return false;
    child = vfork();
    if (child < 0)
        return name_twice(held, name, path);
    if (child == 0) {
        good = name_twice(held, name, path);
        _exit(0);
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    return good;
}

/* Into a file that has no name until it is whole: a program that is killed leaves no part of one.
 * Not every file system has such. */
static bool write_nameless(session_writer *write, const void *what, const char *path)
{
    const char *slash = strrchr(path, '/');
    int length = slash == NULL || slash == path ? 1 : (int)(slash - path), descriptor, held;
    char folder[PATH_MAX];
    bool good;

    snprintf(folder, sizeof folder, "%.*s", length, slash != NULL ? path : ".");
    descriptor = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    held = descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0) : -1;
    good = write_all(write, what, descriptor) && held >= 0 && name_file(held, path);
    if (held >= 0)
        close(held);
    return good;
}

/* Elsewhere: beside the path, under a name of its own, then renames. */
static bool write_named(session_writer *write, const void *what, const char *path)
{
    char partial[PATH_MAX + 8];
    mode_t mask = umask(0);
    int descriptor;
    bool good;

    umask(mask);
    if (snprintf(partial, sizeof partial, "%s.XXXXXX", path) >= (int)sizeof partial) {
        errno = ENAMETOOLONG;
        return false;
    }
    descriptor = mkstemp(partial);
    if (descriptor >= 0)
        fchmod(descriptor, 0666 & ~mask);
    good = write_all(write, what, descriptor) && rename(partial, path) == 0;
    if (!good && descriptor >= 0) {
        int why = errno;
        unlink(partial);
        errno = why;
    }
    return good;
}

/* The file is whole at each moment, and no interrupt leaves another; it may be linked to. */
static bool write_file(session_writer *write, const void *what, const char *link)
{
    char target[PATH_MAX];
    const char *path = realpath(link, target) != NULL ? target : link;
    sigset_t before;
    bool good;

    interrupt_hold(&before);
    good = write_nameless(write, what, path) || write_named(write, what, path);
    interrupt_release(&before); /* which leaves errno as it is */
    return good;
}

/* A pipe that nobody reads is an error, and not to be waited for. What has been closed cannot be
 * opened again by the name of another file that took its place. */
static bool write_in_place(session_writer *write, const void *what, const char *path)
{
    int own = own_stream(path), descriptor;

    fflush(stdout); /* before it, if it goes there too */
    descriptor = own >= 0 ? fcntl(own, F_DUPFD_CLOEXEC, 0)
                          : open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC);
    if (own < 0 && descriptor >= 0)
        fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
    return write_all(write, what, descriptor);
}

static bool complain_of_file(const char *path)
{
    const char *advice = "name a file in a folder that can be written";

    if (errno == ENOSPC || errno == EFBIG || errno == EDQUOT)
        advice = "make room, or name a file elsewhere";
    else if (errno == ENXIO)
        advice = "nobody reads that pipe";
    return complain("cannot write '%s': %s: %s", path, strerror(errno), advice);
}

static bool can_be_written(const char *path)
{
    struct stat status;

    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    return access(path, W_OK) == 0;
}

/* Likewise, as it is. */
static bool save(const struct options *options, json_t *value)
{
    bool good = true;

    if (options->json != NULL && stays_in_place(options->json)) {
        json_decref(last);
        last = value;
        if (can_be_written(options->json))
            return true;
        complain_of_file(options->json);
        json_decref(last);
        last = NULL;
        return false;
    }
    if (options->json != NULL && !write_file(dump, value, options->json))
        good = complain_of_file(options->json);
    json_decref(value);
    return good;
}

bool session_save(const struct options *options, json_t *value)
{
    if (options->save != NULL)
        return options->save(options->save_context, value);
    return save(options, options->shard.count > 0 ? shards_wrap(options, value) : value);
}

bool session_end_shard(const struct options *options, int status)
{
    json_t *value = shards_end(status);

    return value == NULL || save(options, value);
}

bool session_end(const struct options *options)
{
    bool good = last == NULL || write_in_place(dump, last, options->json) ||
                complain_of_file(options->json);

    for (int e = 0; e < ENGINES; e++)
        end_kept(&kept_engines[e]);
    json_decref(last);
    last = NULL;
    return good;
}

bool session_write(const char *path, session_writer *write, const void *what)
{
    return (stays_in_place(path) ? write_in_place(write, what, path)
                                 : write_file(write, what, path)) ||
           complain_of_file(path);
}

static const struct options *replayed; /* null: the kernel is of the catalogue */

void session_replay_by(const struct options *options)
{
    replayed = options;
}

/* As a shell takes it. */
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

void session_print_replay(const char *token)
{
    if (replayed == NULL) {
        printf("        %s replay %s\n", program_invocation_short_name, token);
        return;
    }
    printf("        %s %s", program_invocation_short_name, replayed->command->name);
    for (size_t f = 0; f < replayed->file_count; f++) {
        putchar(' ');
        print_word(replayed->files[f]);
    }
    printf(" --token %s", token);
    for (size_t k = 0; k < replayed->nvcc_count; k++)
        print_option("nvcc", replayed->nvcc[k]);
    print_option("oracle", replayed->oracle);
    print_option("against", replayed->against);
    if (replayed->ulps > 0)
        printf(" --tolerance ulp:%" PRIu64, replayed->ulps);
    for (size_t f = 0; f < replayed->flag_count; f++) {
        printf("%s ", f == 0 ? " --" : "");
        print_word(replayed->flags[f]);
    }
    putchar('\n');
}

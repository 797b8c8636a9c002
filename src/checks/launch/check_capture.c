/* SPDX-License-Identifier: MIT */
#include "check_capture.h"

#include "accept.h"
#include "capture_code.h"
#include "check_built.h"
#include "check_launch.h"
#include "entry.h"
#include "error_report.h"
#include "interrupt.h"
#include "launch_catalogue.h"
#include "reader.h"
#include "replay_line.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct replay {
    const struct check_request *request;
    struct session session; /* replays the launch that is checked */
    struct capture capture;
    const char **names; /* of the launches with the requested number */
    size_t count;
    size_t selected, checked; /* how many have the requested kernel; how many of them ran */
    size_t partial;           /* how many of these have attributes that are not modelled */
};

/* A launch in preparation. */
struct replayed {
    const char *file; /* its path */
    struct captured_launch captured;
    const char *kernel; /* its name in C++, without parameters; kept (reader.h) */
    struct capture_code code;
    struct inexact_floats inexact;
    struct launch_image *image;
    const struct capture_allocation *memory[MAX_BUFFERS]; /* of the image's buffers */
    bool is_too_wide;                                     /* there are more */
};

/* ---- Names ---- */

/* Returns the name of a kernel without its result and its parameters: "ns::scale<float>". */
static const char *name_kernel(const char *symbol)
{
    const char *start = entry_name_in_cxx(symbol);
    size_t length;

    if (strncmp(start, "void ", 5) == 0)
        start += 5;
    length = strlen(start);
    if (length > 0 && start[length - 1] == ')') { /* the parameters may have parentheses, too */
        size_t depth = 0;
        do {
            length--;
            depth += start[length] == ')';
            depth -= start[length] == '(';
        } while (length > 0 && depth > 0);
    }
    return kept_text(start, length);
}

/* Writes an extent as in a launch: "4", or "(4, 2, 1)". */
static void write_extent(FILE *to, const uint32_t extent[3])
{
    if (extent[1] == 1 && extent[2] == 1)
        fprintf(to, "%" PRIu32, extent[0]);
    else
        fprintf(to, "(%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")", extent[0], extent[1], extent[2]);
}

/* Returns the launch as text, such as "saxpy<<<4, 256>>>". */
static const char *text_of(const struct replayed *replayed, struct memory *memory)
{
    const struct captured_launch *captured = &replayed->captured;
    const char *kept;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    if (to == NULL)
        return replayed->kernel;
    fprintf(to, "%s%s<<<", captured->cooperative ? "cooperative " : "", replayed->kernel);
    write_extent(to, captured->grid);
    fputs(", ", to);
    write_extent(to, captured->block);
    if (captured->shared_bytes > 0)
        fprintf(to, ", %" PRIu32, captured->shared_bytes);
    fputs(">>>", to);
    fclose(to);
    kept = memory_copy(memory, text);
    free(text);
    return kept;
}

/* Names memory by the parameter that points to its beginning, such as "arg0", or "arg2+8" for a
 * pointer in a struct. Else the name is the address. */
static void name_memory(const struct captured_launch *captured,
                        const struct capture_allocation *memory, char name[IMAGE_NAME])
{
    snprintf(name, IMAGE_NAME, "0x%" PRIx64, memory->address);
    if (memory->variable != NULL)
        snprintf(name, IMAGE_NAME, "%s", memory->variable);
    for (size_t p = captured->parameter_count; p-- > 0 && memory->variable == NULL;) {
        const struct capture_parameter *parameter = &captured->layout[p];
        for (uint32_t at = 0; at + 8 <= parameter->bytes; at += 8) {
            uint64_t value;
            memcpy(&value, captured->parameters + parameter->offset + at, sizeof value);
            if (value == memory->address && parameter->bytes == 8)
                snprintf(name, IMAGE_NAME, "arg%zu", p);
            else if (value == memory->address)
                snprintf(name, IMAGE_NAME, "arg%zu+%" PRIu32, p, at);
        }
    }
}

/* ---- The image ---- */

/* Memory that a launch may have. The simulator needs several times as much in each worker. */
static const uint64_t MOST_MEMORY = UINT64_C(1) << 30;

/* Returns why the launch cannot be replayed, or null. */
static const char *obstacle(const struct captured_launch *captured, struct memory *memory)
{
    uint64_t bytes = 0;

    for (size_t a = 0; a < captured->allocation_count; a++)
        bytes += captured->allocations[a].bytes;
    if (captured->parameter_bytes > MAX_ARGUMENT_BYTES)
        return memory_text(memory,
                           "it has %" PRIu32 " bytes of parameters, and at most %d are "
                           "supported",
                           captured->parameter_bytes, MAX_ARGUMENT_BYTES);
    if (captured->parameter_count > MAX_ARGUMENTS)
        return memory_text(memory, "it has %zu parameters, and at most %d are supported",
                           captured->parameter_count, MAX_ARGUMENTS);
    if (bytes > MOST_MEMORY)
        return memory_text(
            memory, "it reaches %" PRIu64 " MiB of memory, and at most %" PRIu64 " are supported",
            bytes >> 20, MOST_MEMORY >> 20);
    if (strlen(captured->kernel) >= IMAGE_SYMBOL)
        return "its kernel has too long a name";
    return NULL;
}

static struct extent extent_of(const uint32_t extent[3])
{
    return (struct extent){extent[0], extent[1], extent[2]};
}

/* Adds an allocation as a buffer. Memory of a launch with inexact floats has elements of their
 * type.
 */
static void add_buffer(struct replayed *replayed, const struct capture_allocation *memory)
{
    struct launch_image *image = replayed->image;
    uint32_t k = image->invocation.buffer_count++;
    size_t bytes = element_size(replayed->inexact.element);
    enum element element = memory->bytes % bytes == 0 ? replayed->inexact.element : ELEMENT_I8;

    image->invocation.buffers[k] = (struct buffer){.role = ROLE_INOUT,
                                                   .element = element,
                                                   .count = memory->bytes / element_size(element),
                                                   .fill = FILL_DATA,
                                                   .address = memory->address,
                                                   .is_raw = true};
    replayed->memory[k] = memory;
    image->buffers[k].is_changed = memory->after.count > 0;
    name_memory(&replayed->captured, memory, image->buffers[k].name);
    if (memory->variable != NULL)
        snprintf(image->buffers[k].variable, sizeof image->buffers[k].variable, "%s",
                 memory->variable);
}

/* Finds the size of a variable in the modules. Returns false if the kernel does not use it. */
static bool find_size(const struct replayed *replayed, const struct entries *entries,
                      const char *variable, uint64_t *bytes)
{
    for (size_t k = 0; k < replayed->code.count; k++)
        if (entries_size(&entries[k], variable, bytes))
            return true;
    return false;
}

/* Adds all allocations, except variables that the kernel does not use. Returns false after an error
 * message. */
static bool add_buffers(struct replayed *replayed, const struct entries *entries)
{
    const struct captured_launch *captured = &replayed->captured;
    uint64_t bytes;
    bool good = true;

    for (size_t a = 0; good && a < captured->allocation_count; a++) {
        const struct capture_allocation *memory = &captured->allocations[a];
        if (memory->variable != NULL && !find_size(replayed, entries, memory->variable, &bytes))
            continue;
        if (replayed->image->invocation.buffer_count == MAX_BUFFERS) {
            replayed->is_too_wide = true;
            break;
        }
        if (memory->variable != NULL && bytes != memory->bytes)
            good = error_report("%s: the variable %s has %" PRIu64
                                " bytes, and in the module it has %" PRIu64,
                                replayed->file, memory->variable, memory->bytes, bytes);
        add_buffer(replayed, memory);
    }
    return good;
}

/* Checks that the parameters are those of the kernel. Returns false after an error message. */
static bool add_parameters(struct replayed *replayed, const struct entries *entries)
{
    struct entry entry;
    const struct captured_launch *captured = &replayed->captured;
    struct invocation *invocation = &replayed->image->invocation;
    char error[1024];

    if (!entries_kernel_of_ptx(entries, captured->kernel, &entry, error, sizeof error))
        return error_report("%s", error);
    if (entry.parameter_count != captured->parameter_count)
        return error_report("%s: %zu parameters, and the kernel has %zu", replayed->file,
                            captured->parameter_count, entry.parameter_count);
    memcpy(invocation->bytes, captured->parameters, captured->parameter_bytes);
    invocation->argument_count = (uint32_t)captured->parameter_count;
    for (size_t p = 0; p < captured->parameter_count; p++) {
        if (entry.parameters[p].bytes != captured->layout[p].bytes)
            return error_report(
                "%s: parameter %zu has %" PRIu32 " bytes, and in the kernel it has %" PRIu64,
                replayed->file, p, captured->layout[p].bytes, entry.parameters[p].bytes);
        invocation->arguments[p] = (struct argument){ARGUMENT_BYTES, captured->layout[p].offset};
    }
    return true;
}

/* Makes the image of a launch, whose code is written. Returns false after an error message. */
static bool fill_image(struct replayed *replayed)
{
    const struct captured_launch *captured = &replayed->captured;
    struct launch_image *image = replayed->image;
    struct entries *entries = calloc(replayed->code.count, sizeof *entries);
    char error[512];
    bool good = true;

    if (entries == NULL)
        abort();
    image->has_result = captured->gpu_error == NULL;
    snprintf(image->kernel, sizeof image->kernel, "%s", captured->kernel);
    image->invocation = (struct invocation){.grid = extent_of(captured->grid),
                                            .block = extent_of(captured->block),
                                            .shared_bytes = captured->shared_bytes,
                                            .opts_in = true,
                                            .is_cooperative = captured->cooperative,
                                            .cluster = extent_of(captured->cluster),
                                            .is_nonportable = true,
                                            .prints = true};
    for (size_t k = 0; good && k < replayed->code.count; k++)
        good = entries_open(replayed->code.paths[k], &entries[k], error, sizeof error) ||
               error_report("%s", error);
    good = good && add_parameters(replayed, entries) && add_buffers(replayed, entries);
    for (size_t k = 0; k < replayed->code.count; k++)
        entries_free(&entries[k]);
    free(entries);
    launch_image_lay_out(image);
    return good;
}

static bool write_pieces(int file, const struct capture_pieces *pieces, uint64_t at)
{
    bool good = true;

    for (size_t p = 0; good && p < pieces->count; p++)
        good = pwrite(file, pieces->items[p].content, pieces->items[p].bytes,
                      (off_t)(at + pieces->items[p].offset)) == (ssize_t)pieces->items[p].bytes;
    return good;
}

/* Writes the image to a file. Returns false after an error message. */
static bool write_image(struct replayed *replayed, const char *path)
{
    struct launch_image *image = replayed->image;
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    bool good;

    good = file >= 0 && pwrite(file, image, sizeof *image, 0) == sizeof *image &&
           ftruncate(file, (off_t)image->bytes) == 0;
    for (uint32_t k = 0; good && k < image->invocation.buffer_count; k++) {
        const struct capture_allocation *memory = replayed->memory[k];
        good = write_pieces(file, &memory->before, image->buffers[k].before) &&
               write_pieces(file, &memory->before, image->buffers[k].after) &&
               write_pieces(file, &memory->after, image->buffers[k].after);
    }
    good = (file < 0 || close(file) == 0) && good;
    return good || error_report("cannot write '%s': %s", path, strerror(errno));
}

/* ---- A launch ---- */

static int skip_launch(const struct replay *replay, const struct replayed *replayed,
                       const char *reason)
{
    struct findings *findings = &replay->session.sinks->findings;

    findings_add_check(findings,
                       &(const struct check_record){.kind = CHECKED_RUN,
                                                    .kernel = replayed->kernel,
                                                    .engine = ENGINE_SIM,
                                                    .result = RESULT_SKIPPED,
                                                    .verdict = verdict_name(VERDICT_SKIPPED),
                                                    .note = reason});
    return EXIT_CONFORMS;
}

/* Runs the launch, whose code is built. Returns the exit status. */
static int run_launch(struct replay *replay, struct replayed *replayed, struct user_code *code)
{
    struct launch_text *launch = &code->launch;
    struct check_request request = *replay->request;
    char image[USER_PATH];
    int status;

    request.rows.selection.glob_count = 0; /* this kernel is selected */
    if (snprintf(image, sizeof image, "%s/image", code->folder) >= (int)sizeof image ||
        !write_image(replayed, image))
        return EXIT_ENVIRONMENT;
    *launch = (struct launch_text){.call_count = 1, .allowed = request.rows.allow.places};
    launch->calls[0].kernel = replayed->kernel;
    launch->calls[0].symbol = "";
    snprintf(launch->captured, sizeof launch->captured, "%s", image);
    if (replayed->inexact.element != ELEMENT_I32)
        request.ulps = request.ulps > 0 ? request.ulps : CAPTURE_ULPS;
    else
        request.ulps = 0;
    launch->reference.ulps = request.ulps;
    if (replayed->captured.unmodelled != NULL) {
        error_report("not fully checked: %s", replayed->captured.unmodelled);
        replay->partial++;
    }
    status = user_code_write_list(code) ? check_built(&request, code, &replay->session)
                                        : EXIT_ENVIRONMENT;
    replay->checked += status == EXIT_CONFORMS || status == EXIT_DIFFERS;
    if (status != EXIT_UNAVAILABLE)
        return status;
    return skip_launch(replay, replayed,
                       memory_text(&replay->session.sinks->findings.memory,
                                   "it executes more than %" PRIu64
                                   " million instructions, the limit with --deadline %g: capture "
                                   "it at a smaller size, or give a longer deadline",
                                   check_steps(&replay->session) / 1000000,
                                   replay->session.limits.deadline_seconds));
}

/* Remarks how the memory is compared, if not bit for bit. */
static void remark_comparison(const struct replay *replay, const struct replayed *replayed)
{
    struct findings *findings = &replay->session.sinks->findings;
    uint64_t ulps = replay->request->ulps > 0 ? replay->request->ulps : CAPTURE_ULPS;
    struct memory memory = {NULL};

    if (replayed->captured.gpu_error != NULL)
        findings_add_remark(
            findings,
            memory_text(&memory, "the GPU stopped this launch, so memory is not compared: %s",
                        replayed->captured.gpu_error));
    else if (replayed->inexact.element != ELEMENT_I32)
        findings_add_remark(
            findings, memory_text(&memory,
                                  "%s, at %s: memory may differ from the GPU's by %" PRIu64
                                  " units in the last place, because PTX does not define %s",
                                  replayed->inexact.are_added ? "floats are added atomically"
                                                              : "an instruction is approximate",
                                  replayed->inexact.place, ulps,
                                  replayed->inexact.are_added ? "the order of these additions"
                                                              : "its rounding"));
    memory_free(&memory);
}

/* Replays a launch that was read. Returns the exit status. */
static int replay_launch(struct replay *replay, struct replayed *replayed)
{
    struct memory large = {NULL};
    struct user_code *code = memory_take(&large, sizeof *code);
    struct memory *memory = &replay->session.sinks->findings.memory;
    const char *reason = obstacle(&replayed->captured, memory);
    struct decoded *decoded = NULL;
    char error[1024];
    int status;

    if (reason != NULL) {
        memory_free(&large);
        return skip_launch(replay, replayed, reason);
    }
    code->is_ptx = true;
    status = user_code_start(code) ? capture_code_write(&replay->capture, &replayed->captured,
                                                        replayed->file, code, &replayed->code)
                                   : EXIT_ENVIRONMENT;
    if (status == EXIT_CONFORMS)
        decoded = decode_open(replayed->code.paths, replayed->code.count, error, sizeof error);
    if (status == EXIT_CONFORMS &&
        (decoded == NULL || !decode_accepts(decoded, error, sizeof error))) {
        status = skip_launch(replay, replayed, memory_copy(memory, error));
    } else if (status == EXIT_CONFORMS) {
        replayed->inexact = decode_inexact_floats(decoded);
        replayed->image = calloc(1, sizeof *replayed->image);
        if (replayed->image == NULL)
            abort();
        if (!fill_image(replayed))
            status = EXIT_USAGE;
        else if (replayed->is_too_wide)
            status = skip_launch(
                replay, replayed,
                memory_text(memory, "it reaches more than %d allocations", MAX_BUFFERS));
        else
            status = run_launch(replay, replayed, code);
        remark_comparison(replay, replayed);
    }
    decode_close(decoded);
    user_code_remove(code);
    memory_free(&large);
    free(replayed->image);
    capture_code_free(&replayed->code);
    return status;
}

/* Returns whether the kernel matches a glob of --kernel, by its name in PTX or in C++. */
static bool is_selected(const struct selection *selection, const struct replayed *replayed)
{
    bool found = selection->glob_count == 0;

    for (size_t g = 0; g < selection->glob_count; g++)
        found = found || fnmatch(selection->globs[g], replayed->kernel, 0) == 0 ||
                fnmatch(selection->globs[g], replayed->captured.kernel, 0) == 0;
    return found;
}

static uint64_t number_of(const char *file)
{
    return strtoull(file, NULL, 10);
}

/* Begins the launch of the findings. Those without a line are at the file of the launch. */
static void start_findings(const struct replay *replay, const char *file, const char *text)
{
    struct check_request request = *replay->request;

    request.launch = text;
    check_take_launch(&request, &file, 1, &replay->session);
}

static int check_file(struct replay *replay, const char *name)
{
    const struct session *session = &replay->session;
    struct replayed replayed = {.file = memory_text(&session->sinks->findings.memory,
                                                    "%s/launches/%s", replay->capture.folder, name),
                                .inexact = {.element = ELEMENT_I32}};
    size_t partial = replay->partial;
    char error[CAPTURE_ERROR];
    const char *text;
    int status = EXIT_USAGE;

    session->sinks->bound.launches =
        session->sinks->progress.launches - session->sinks->progress.launch++;
    progress_say(&session->sinks->progress, "reading %s", name);
    if (!capture_read_launch(&replay->capture, name, &replayed.captured, error, sizeof error)) {
        progress_end(&session->sinks->progress);
        error_report("%s", error);
        replay->selected++;
        start_findings(replay, replayed.file, name);
    } else {
        replayed.kernel = name_kernel(replayed.captured.kernel);
        progress_end(&session->sinks->progress);
        if (!is_selected(&replay->request->rows.selection, &replayed)) {
            captured_launch_free(&replayed.captured);
            return EXIT_CONFORMS;
        }
        text = text_of(&replayed, &session->sinks->findings.memory);
        replay->selected++;
        session_say(session, "%s: %s\n", replayed.file, text);
        session->sinks->findings.from = memory_text(
            &session->sinks->findings.memory, "launch %" PRIu64 " of the capture", number_of(name));
        start_findings(replay, replayed.file, text);
        replay->session.replay.launch = number_of(name);
        status = bound_end(&session->sinks->bound, replay_launch(replay, &replayed));
    }
    findings_end_launch(&session->sinks->findings,
                        replay->partial > partial && status == EXIT_CONFORMS ? EXIT_ENVIRONMENT
                                                                             : status);
    captured_launch_free(&replayed.captured);
    return status;
}

/* ---- All launches ---- */

/* Lists the launches of that number, or all. Returns false after an error message. */
static bool list_launches(struct replay *replay)
{
    const uint64_t launch = replay->request->captured;
    const struct capture *capture = &replay->capture;

    replay->names = calloc(capture->launch_count + 1, sizeof *replay->names);
    for (size_t k = 0; replay->names != NULL && k < capture->launch_count; k++)
        if (launch == 0 || number_of(capture->launches[k]) == launch)
            replay->names[replay->count++] = capture->launches[k];
    if (replay->names == NULL)
        return error_report("out of memory");
    if (replay->count > 0)
        return true;
    return launch != 0 ? error_report("'%s' has no launch %" PRIu64, capture->folder, launch)
                       : error_report("'%s' has no launches", capture->folder);
}

/* Prints the launches that the capture does not have. */
static void print_left_out(const struct capture_index *index)
{
    const struct left_out_record *all = index->left_out.items;

    for (size_t k = 0; k < index->left_out.count; k++)
        printf("not captured: %s (%" PRIu64 " launch%s): %s\n", all[k].kernel, all[k].launches,
               all[k].launches == 1 ? "" : "es", all[k].reason);
}

static int check_launches(struct replay *replay)
{
    const struct session *session = &replay->session;
    int status = EXIT_CONFORMS;

    session->sinks->progress.launches = replay->count;
    session_keep(session, ENGINE_SIM);
    session->sinks->excused = 0;
    interrupt_catch();
    for (size_t k = 0; k < replay->count && status != EXIT_ENVIRONMENT && !interrupt_came(); k++)
        status = session_worse(status, check_file(replay, replay->names[k]));
    if (replay->selected == 0 && !interrupt_came()) {
        error_report("no launch of '%s' is of a kernel that --kernel selects",
                     replay->capture.folder);
        return EXIT_USAGE;
    }
    if (replay->count == replay->capture.launch_count)
        print_left_out(&replay->capture.index);
    if (replay->checked == 0 && status == EXIT_CONFORMS && !interrupt_came()) {
        error_report("no launch could be replayed, so nothing was checked");
        status = EXIT_USAGE;
    }
    status = check_allowances(replay->request, NULL, session, replay->checked < replay->selected,
                              status);
    if (replay->partial > 0 && status == EXIT_CONFORMS)
        status = EXIT_ENVIRONMENT;
    return session_interrupted(status);
}

int check_capture(const struct check_request *request, const struct session *session)
{
    struct replay replay = {.request = request, .session = *session};
    char error[CAPTURE_ERROR];
    int status = EXIT_USAGE;
    bool good = capture_open(request->files.path[0], &replay.capture, error, sizeof error);

    if (!good)
        error_report("%s", error);
    else
        good = capture_verify(&replay.capture);
    if (replay.capture.index.complete && list_launches(&replay))
        status = check_launches(&replay);
    if (!good)
        status = session_worse(status, EXIT_USAGE);
    free(replay.names);
    capture_close(&replay.capture);
    return status;
}

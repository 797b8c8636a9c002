/* SPDX-License-Identifier: MIT
 *
 * The command `capture`: runs a program on a GPU, and captures its launches.
 */
#include "capture_file.h"
#include "children.h"
#include "command.h"
#include "driver_functions.h"
#include "error_report.h"
#include "foreground.h"
#include "installation.h"
#include "tool.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GIB_SHIFT = 30 };

struct capture_request {
    const char *kernel, *out, *ptx;
    uint64_t launches, memory, disk;
};

/* ---- What a capture needs ---- */

/* Asks the driver for a GPU. Returns 0, or an exit status of try_driver(). */
enum { NO_DRIVER = 1, NO_GPU };

static void try_driver(void *context, size_t k)
{
    (void)context;
    (void)k;
    if (driver_load("cuInit") != NULL)
        _exit(NO_DRIVER);
    _exit(driver.cuInit(0) == 0 ? 0 : NO_GPU);
}

/* Returns false after an error message if there is no GPU. A child asks, so that this process has
 * no driver. */
static bool has_gpu(void)
{
    struct child child;
    int status = -1;

    children_run(&(struct children){1, try_driver, NULL, NULL, INFINITY, INFINITY}, &child);
    if (child.id == 0 && WIFEXITED(child.status))
        status = WEXITSTATUS(child.status);
    if (status == 0)
        return true;
    if (status == NO_DRIVER)
        return error_report("capture needs a GPU, and this machine has no CUDA driver "
                            "(libcuda.so.1): run it where the program runs");
    return error_report("capture needs a GPU, and the CUDA driver finds none: run it where the "
                        "program runs");
}

/* Finds a file that matches the pattern. */
static bool find_file(const char *pattern, char path[PATH_MAX])
{
    glob_t found;
    bool good = glob(pattern, 0, NULL, &found) == 0;

    if (good) {
        snprintf(path, PATH_MAX, "%s", found.gl_pathv[0]);
        globfree(&found);
    }
    return good;
}

/* Finds libcupti in the toolkit of nvcc, or where toolkits usually are. */
static bool find_cupti(char path[PATH_MAX])
{
    static const char *const usual[] = {
        "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so*", "/usr/local/cuda/lib64/libcupti.so*",
        "/usr/local/cuda-1[2-9]*/extras/CUPTI/lib64/libcupti.so*",
        "/usr/lib/x86_64-linux-gnu/libcupti.so*", "/usr/lib/aarch64-linux-gnu/libcupti.so*"};
    static const char *const in_toolkit[] = {"extras/CUPTI/lib64", "lib64"};
    const char *given = getenv("SIMTCHECK_CUPTI");
    char nvcc[PATH_MAX], whole[PATH_MAX], pattern[PATH_MAX + 64];

    if (given != NULL && given[0] != '\0')
        return snprintf(path, PATH_MAX, "%s", given) > 0 && access(path, R_OK) == 0;
    if (tool_find("nvcc", nvcc) && realpath(nvcc, whole) != NULL)
        for (int k = 0; k < 2; k++) {
            snprintf(pattern, sizeof pattern, "%.*s/../%s/libcupti.so*",
                     (int)(strrchr(whole, '/') - whole), whole, in_toolkit[k]);
            if (find_file(pattern, path))
                return true;
        }
    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
        if (find_file(usual[k], path))
            return true;
    return false;
}

/* ---- The environment of the program ---- */

static bool set(const char *name, const char *value)
{
    return setenv(name, value, 1) == 0 || error_report("out of memory");
}

static bool set_number(const char *name, uint64_t value)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRIu64, value);
    return set(name, text);
}

/* Sets what the driver and the library need. Returns the exit status. */
static int prepare(const struct capture_request *request)
{
    char library[PATH_MAX], cupti[PATH_MAX], folder[PATH_MAX], ptx[PATH_MAX], error[CAPTURE_ERROR];
    bool good;

    /* Only a folder has an entry "." */
    snprintf(folder, sizeof folder, "%s/.", request->ptx != NULL ? request->ptx : ".");
    if (realpath(folder, ptx) == NULL) {
        error_report("--ptx '%s' is no folder: give one with files *.ptx", request->ptx);
        return EXIT_USAGE;
    }

    if (!installation_capture(library, sizeof library, error, sizeof error)) {
        error_report("%s", error);
        return EXIT_ENVIRONMENT;
    }
    if (!find_cupti(cupti)) {
        error_report("libcupti.so is not found: install CUPTI of the CUDA Toolkit, or set "
                     "SIMTCHECK_CUPTI to its path");
        return EXIT_ENVIRONMENT;
    }
    if (!has_gpu())
        return EXIT_ENVIRONMENT;
    if (!capture_create(request->out, error, sizeof error)) {
        error_report("%s", error);
        return EXIT_USAGE;
    }
    if (realpath(request->out, folder) == NULL) {
        error_report("cannot read '%s': %s", request->out, strerror(errno));
        return EXIT_ENVIRONMENT;
    }
    unsetenv("SIMTCHECK_CAPTURE_KERNEL");
    unsetenv("SIMTCHECK_CAPTURE_PTX");
    setenv("CUPY_COMPILE_WITH_PTX", "1", 0); /* otherwise, CuPy compiles to machine code alone */
    good = set("CUDA_INJECTION64_PATH", library) && set("SIMTCHECK_CAPTURE_FOLDER", folder) &&
           set("SIMTCHECK_CAPTURE_CUPTI", cupti) &&
           (request->kernel == NULL || set("SIMTCHECK_CAPTURE_KERNEL", request->kernel)) &&
           (request->ptx == NULL || set("SIMTCHECK_CAPTURE_PTX", ptx)) &&
           set_number("SIMTCHECK_CAPTURE_LAUNCHES", request->launches) &&
           set_number("SIMTCHECK_CAPTURE_MEMORY", request->memory << GIB_SHIFT) &&
           set_number("SIMTCHECK_CAPTURE_DISK", request->disk << GIB_SHIFT);
    return good ? EXIT_CONFORMS : EXIT_ENVIRONMENT;
}

/* ---- The summary. The program owns standard output. ---- */

/* Returns the part of a launch's file name that is the kernel. */
static const char *kernel_of(const char *name)
{
    const char *dash = strchr(name, '-');

    return dash != NULL ? dash + 1 : name;
}

static bool is_among(const char *name, const char *const *before, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(before[k], name) == 0)
            return true;
    return false;
}

/* Counts the launches that are new, and their kernels. */
static void count_new(const struct capture *before, const struct capture *after, size_t *launches,
                      size_t *kernels)
{
    const char **names = calloc(after->launch_count + 1, sizeof *names);

    *launches = *kernels = 0;
    for (size_t k = 0; names != NULL && k < after->launch_count; k++) {
        const char *kernel = kernel_of(after->launches[k]);
        bool seen = false;
        if (is_among(after->launches[k], before->launches, before->launch_count))
            continue;
        ++*launches;
        for (size_t n = 0; n < *kernels; n++)
            seen = seen || strcmp(names[n], kernel) == 0;
        if (!seen)
            names[(*kernels)++] = kernel;
    }
    free(names);
}

/* Returns how often that kernel was left out for that reason. */
static uint64_t times_left_out(const struct list *list, const struct left_out_record *record)
{
    const struct left_out_record *records = list->items;

    for (size_t k = 0; k < list->count; k++)
        if (strcmp(records[k].kernel, record->kernel) == 0 &&
            strcmp(records[k].reason, record->reason) == 0)
            return records[k].launches;
    return 0;
}

/* Returns how many launches of the record were left out since `before`. */
static uint64_t newly_left_out(const struct capture *before, const struct left_out_record *record)
{
    return record->launches - times_left_out(&before->index.left_out, record);
}

/* Prints a line for each reason why launches were left out since `before`: its first kernel, and
 * the number of others. Returns the number of lines. */
static size_t print_left_out(const struct capture *before, const struct capture *after)
{
    const struct left_out_record *records = after->index.left_out.items;
    size_t count = after->index.left_out.count, lines = 0;

    for (size_t k = 0; k < count; k++) {
        uint64_t launches = newly_left_out(before, &records[k]);
        size_t earlier = 0, others = 0;

        for (size_t n = 0; n < count; n++)
            if (n != k && strcmp(records[n].reason, records[k].reason) == 0 &&
                newly_left_out(before, &records[n]) > 0)
                *(n < k ? &earlier : &others) += 1;
        if (launches == 0 || earlier > 0)
            continue;
        lines++;
        fprintf(stderr, "simtcheck: not captured: %s, %" PRIu64 " launch%s: %s\n",
                records[k].kernel, launches, launches == 1 ? "" : "es", records[k].reason);
        if (others > 0)
            fprintf(stderr,
                    "simtcheck: not captured for the same reason: %zu other kernel%s; see "
                    "%s/capture.json\n",
                    others, others == 1 ? "" : "s", after->folder);
    }
    return lines;
}

static void print_summary(const struct capture *before, const struct capture *after)
{
    size_t launches, kernels;

    count_new(before, after, &launches, &kernels);
    fprintf(stderr, "simtcheck: captured %zu launch%s of %zu kernel%s: %s has %.1f MiB\n", launches,
            launches == 1 ? "" : "es", kernels, kernels == 1 ? "" : "s", after->folder,
            (double)capture_size(after->folder) / (1 << 20));
    if (print_left_out(before, after) == 0 && launches == 0)
        fputs("simtcheck: the program launched no kernel, or none that --kernel selects\n", stderr);
}

/* ---- The command ---- */

static int capture(const struct command_line *line, const struct session *session)
{
    const struct capture_request *request = line->request;
    struct capture before, after;
    char error[CAPTURE_ERROR];
    int status;

    (void)session;
    if (request->out == NULL) {
        error_report("capture needs a folder to write: give --out DIR");
        return EXIT_USAGE;
    }
    status = prepare(request);
    if (status != EXIT_CONFORMS)
        return status;
    if (!capture_open(request->out, &before, error, sizeof error)) {
        error_report("%s", error);
        return EXIT_ENVIRONMENT;
    }
    /* getopt_long() ended the words of the program with the null of argv. */
    status = foreground_run((char *const *)(uintptr_t)line->words, NULL);
    if (capture_finish(request->out, error, sizeof error) &&
        capture_open(request->out, &after, error, sizeof error)) {
        print_summary(&before, &after);
        capture_close(&after);
    } else {
        error_report("%s", error);
        status = EXIT_ENVIRONMENT;
    }
    capture_close(&before);
    return status;
}

static const struct option_row rows[] = {
    {"out", "DIR", &option_text, REQUEST_AT(struct capture_request, out, const char *),
     .help = "the folder to write, or to add to", .usual = "none: required"},
    {"kernel", "GLOB", &option_text, REQUEST_AT(struct capture_request, kernel, const char *),
     .help = "capture kernels whose mangled name matches, such as '*saxpy*'",
     .usual = "all kernels"},
    {"ptx", "DIR", &option_text, REQUEST_AT(struct capture_request, ptx, const char *),
     .help = "a folder with files *.ptx, for kernels whose code has no PTX", .usual = "none"},
    {"launches", "N", &option_number, REQUEST_AT(struct capture_request, launches, uint64_t),
     .initial = "1", .help = "capture the first N launches of each kernel and shape", .least = 1,
     .most = 1000000},
    {"memory", "GIB", &option_number, REQUEST_AT(struct capture_request, memory, uint64_t),
     .initial = "4", .help = "leave out launches that can access more GiB of memory", .least = 1,
     .most = 1024},
    {"disk", "GIB", &option_number, REQUEST_AT(struct capture_request, disk, uint64_t),
     .initial = "4", .help = "capture no more when the folder has so many GiB", .least = 1,
     .most = 65536},
    {.name = NULL},
};

static const struct option_part parts[] = {{rows, 0, NULL, NULL}, {NULL, 0, NULL, NULL}};

const struct command capture_command = {
    .name = "capture",
    .summary = "run a program on a GPU and keep its launches, for check",
    .arguments = "PROGRAM [ARGUMENTS]",
    .help = "Keeps the PTX of each kernel, the launch, and the memory before and after. "
            "'simtcheck check DIR' then checks these launches without a GPU. The output and the "
            "exit status are those of the program; a summary is on standard error.",
    .example = "simtcheck capture --out captured -- ./my_program --size 1000",
    .parts = parts,
    .size = sizeof(struct capture_request),
    .words = "a program after '--'",
    .least_words = 1,
    .most_words = 100000,
    .takes_program = true,
    .run = capture,
};

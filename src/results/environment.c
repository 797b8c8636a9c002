/* SPDX-License-Identifier: MIT */
#include "environment.h"

#include "build_files.h"
#include "interrupt.h"
#include "json_model.h"
#include "record_snapshot.h"
#include "tool.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { SAID = 8192 };

static void add_reason(struct environment_record *facts, struct memory *memory, const char *name,
                       const char *reason)
{
    LIST_ADD(memory, &facts->reasons, struct named_value) = (struct named_value){
        .name = memory_copy(memory, name), .text = memory_copy(memory, reason)};
}

/* Sets a fact, or null with the reason. */
static void set_text(struct environment_record *facts, struct memory *memory, const char **fact,
                     const char *text, const char *reason)
{
    size_t offset = (size_t)((const char *)fact - (const char *)facts);

    if (text != NULL && text[0] != '\0')
        *fact = memory_copy(memory, text);
    else
        add_reason(facts, memory, table_field(&environment_table, offset)->name, reason);
}

/* Removes white space at both ends, in place. */
static char *trim(char *text)
{
    char *end = text + strlen(text);

    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text + strspn(text, " \t\n");
}

/* ---- Engines ---- */

/* Copies the word that follows `name` in an engine's description, such as the one after "runtime ".
 */
static const char *word_after(const char *description, const char *name, char *word, size_t size)
{
    const char *found = strstr(description, name);

    word[0] = '\0';
    if (found != NULL)
        snprintf(word, size, "%.*s", (int)strcspn(found + strlen(name), ", "),
                 found + strlen(name));
    return word;
}

static void take_driver(struct environment_record *facts, struct memory *memory,
                        const char *description)
{
    static const char unknown[] = "the engine's description does not contain it";
    char word[64];

    set_text(facts, memory, &facts->driver, word_after(description, "driver ", word, sizeof word),
             unknown);
    set_text(facts, memory, &facts->runtime, word_after(description, "runtime ", word, sizeof word),
             unknown);
}

/* Fills in the entry of an engine, and returns whether the engine is available. The first engine
 * that uses a GPU also supplies driver and runtime. */
static bool read_engine(struct environment_record *facts, struct memory *memory,
                        const struct session *session, enum engine_id engine, bool *has_driver)
{
    struct supervisor_options supervised = session_supervised(session, engine);
    struct named_value *entry = list_add(memory, &facts->engines, sizeof *entry);
    struct supervisor *supervisor;
    char reason[512];

    entry->name = engine_kinds[engine].name;
    supervised.jobs = 1;
    if (supervisor_open(&supervised, &supervisor, reason, sizeof reason) != ENGINE_OK) {
        entry->reason = memory_copy(memory, reason);
        return false;
    }
    if (engine_kinds[engine].uses_a_gpu && !*has_driver) {
        take_driver(facts, memory, supervisor_description(supervisor));
        *has_driver = true;
    }
    entry->text = memory_copy(memory, supervisor_description(supervisor));
    supervisor_close(supervisor);
    return true;
}

static void read_engines(struct environment_record *facts, struct memory *memory,
                         const struct session *session, const struct engine_list *wanted,
                         bool has[NAMED_ENGINES])
{
    static const char none[] = "no engine that uses a GPU is available and selected";
    bool has_driver = false;

    facts->engines = list_take(memory, 0, sizeof(struct named_value));
    for (int e = 0; e < NAMED_ENGINES; e++) {
        bool selected = wanted->count == 0 || engine_list_has(wanted, (enum engine_id)e);
        has[e] = selected && read_engine(facts, memory, session, (enum engine_id)e, &has_driver);
    }
    if (has_driver)
        return;
    set_text(facts, memory, &facts->driver, NULL, none);
    set_text(facts, memory, &facts->runtime, NULL, none);
}

/* ---- GPUs ---- */

/* Returns the next value of a line, in place, or null if the GPU does not report it. */
static const char *next_value(struct environment_record *facts, struct memory *memory,
                              const char *name, char **line)
{
    char *value = trim(*line != NULL ? strsep(line, ",") : (char[]){""}), reason[128];

    if (value[0] != '\0' && value[0] != '[')
        return memory_copy(memory, value);
    snprintf(reason, sizeof reason, "gpus.%s", name);
    add_reason(facts, memory, reason, value[0] != '\0' ? value : "nvidia-smi printed no value");
    return NULL;
}

/* Fills a record whose members are all texts from nvidia-smi. */
static void take_values(struct environment_record *facts, struct memory *memory,
                        const struct table *table, void *record, char **line)
{
    for (size_t k = 0; k < table->count; k++) {
        const char *value = next_value(facts, memory, table->fields[k].name, line);
        memcpy((char *)record + table->fields[k].offset, &value, sizeof value);
    }
}

static void add_questions(char *query, size_t size, const struct table *table)
{
    for (size_t k = 0; k < table->count; k++) {
        size_t used = strlen(query);
        snprintf(query + used, size - used, "%s%s", query[used - 1] != '=' ? "," : "",
                 table->fields[k].name);
    }
}

/* Reads the GPUs. Lasting values become facts, and varying ones readings. */
static void read_gpus(struct environment_record *facts, struct memory *memory)
{
    char query[512] = "--query-gpu=", said[SAID], *rest = said, *line;
    const char *const arguments[] = {"nvidia-smi", query, "--format=csv,noheader", NULL};

    add_questions(query, sizeof query, &gpu_table);
    add_questions(query, sizeof query, &gpu_reading_table);
    if (tool_run(arguments, said, sizeof said) != 0) {
        said[strcspn(said, "\n")] = '\0';
        add_reason(facts, memory, "gpus",
                   said[0] != '\0' ? said : "nvidia-smi failed and printed nothing");
        return;
    }
    facts->gpus = list_take(memory, 0, sizeof(struct gpu_record));
    while ((line = strsep(&rest, "\n")) != NULL) {
        struct gpu_record *gpu;
        if (*trim(line) == '\0')
            continue;
        gpu = list_add(memory, &facts->gpus, sizeof *gpu);
        take_values(facts, memory, &gpu_table, gpu, &line);
        take_values(facts, memory, &gpu_reading_table, gpu, &line);
    }
    facts->gpu_readings = facts->gpus;
}

/* ---- Tools ---- */

/* Lists the versions of the compilers that the user names, or of the one on the PATH. */
static void read_compilers(struct environment_record *facts, struct memory *memory,
                           struct list *versions, const char *fact, const char *name,
                           const struct compiler_list *given)
{
    char error[512] = "";

    for (size_t k = 0; k < compiler_list_count(given); k++) {
        struct compiler compiler;
        if (compiler_list_open(given, name, k, &compiler, error, sizeof error))
            LIST_ADD(memory, versions, const char *) = memory_copy(memory, compiler.version);
    }
    if (versions->count == 0)
        add_reason(facts, memory, fact, interrupt_came() ? "interrupted" : error);
}

/* ---- The machine ---- */

/* Returns the value of the first line "name : value" of a file, or "name=value". */
static const char *file_value(const char *path, const char *name, char *line, size_t size)
{
    FILE *from = fopen(path, "r");
    const char *value = NULL;

    while (from != NULL && value == NULL && fgets(line, (int)size, from) != NULL) {
        char *end = strpbrk(line, ":=");
        if (strncmp(line, name, strlen(name)) == 0 && end != NULL)
            value = trim(end + 1);
    }
    if (from != NULL)
        fclose(from);
    return value;
}

/* Returns the name of the operating system without its quotes. */
static const char *system_name(char *line, size_t size)
{
    const char *name = file_value("/etc/os-release", "PRETTY_NAME", line, size);

    if (name == NULL || name[0] != '"')
        return name;
    line[name - line + 1 + (ptrdiff_t)strcspn(name + 1, "\"")] = '\0';
    return name + 1;
}

static void read_machine(struct environment_record *facts, struct memory *memory)
{
    char line[512], kernel[512] = "";
    struct utsname names;

    if (uname(&names) == 0)
        snprintf(kernel, sizeof kernel, "%.100s %.100s %.100s %.100s", names.sysname, names.release,
                 names.version, names.machine);
    set_text(facts, memory, &facts->kernel, kernel, "uname() failed");
    set_text(facts, memory, &facts->processor,
             file_value("/proc/cpuinfo", "model name", line, sizeof line),
             "/proc/cpuinfo has no model name");
    set_text(facts, memory, &facts->system, system_name(line, sizeof line),
             "/etc/os-release has no PRETTY_NAME");
    facts->cores = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    set_text(facts, memory, &facts->memory,
             file_value("/proc/meminfo", "MemTotal", line, sizeof line),
             "/proc/meminfo has no MemTotal");
}

/* Reads the variables that choose GPUs or change how CUDA or simtcheck run kernels. None of them
 * holds a secret. */
static void read_variables(struct environment_record *facts, struct memory *memory)
{
    static const char *const names[] = {"CUDA_CACHE_DISABLE",   "CUDA_DEVICE_MAX_CONNECTIONS",
                                        "CUDA_DEVICE_ORDER",    "CUDA_DISABLE_PTX_JIT",
                                        "CUDA_FORCE_PTX_JIT",   "CUDA_LAUNCH_BLOCKING",
                                        "CUDA_MODULE_LOADING",  "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
                                        "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH",
                                        "LD_PRELOAD",           "NVIDIA_VISIBLE_DEVICES",
                                        "SIMTCHECK_REQUIRE",    "SIMTCHECK_TODAY"};

    facts->variables = list_take(memory, 0, sizeof(struct named_value));
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (getenv(names[k]) != NULL)
            LIST_ADD(memory, &facts->variables, struct named_value) = (struct named_value){
                .name = names[k], .text = memory_copy(memory, getenv(names[k]))};
}

void environment_time(char text[TIME_TEXT])
{
    time_t now = time(NULL);
    struct tm parts;

    gmtime_r(&now, &parts);
    strftime(text, TIME_TEXT, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

static void read_moment(struct environment_record *facts, struct memory *memory)
{
    char text[TIME_TEXT];

    environment_time(text);
    facts->time = memory_copy(memory, text);
    facts->has_load = getloadavg(&facts->load, 1) == 1;
}

struct environment_record environment_read(const struct session *session,
                                           const struct engine_list *engines,
                                           const struct compiler_paths *compilers,
                                           bool has[NAMED_ENGINES], struct memory *memory)
{
    struct environment_record facts = {.compiler = SIMTCHECK_COMPILER,
                                       .flags = SIMTCHECK_FLAGS,
                                       .simtcheck = SIMTCHECK_VERSION,
                                       .build = build_identity,
                                       .build_hash = build_read(memory).hash};

    read_gpus(&facts, memory);
    read_engines(&facts, memory, session, engines, has);
    read_compilers(&facts, memory, &facts.toolkit, "toolkit", "nvcc", &compilers->nvcc);
    read_compilers(&facts, memory, &facts.ptxas, "ptxas", "ptxas", &compilers->ptxas);
    set_text(&facts, memory, &facts.ptx_compiler, SIMTCHECK_PTX_VERSION,
             "built without the simulator");
    read_machine(&facts, memory);
    read_variables(&facts, memory);
    read_moment(&facts, memory);
    return facts;
}

/* SPDX-License-Identifier: MIT */
#include "environment.h"

#include "interrupt.h"
#include "tool.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { SAID = 8192 };

/* The environment while it is read. */
struct reading {
    json_t *facts, *reasons, *readings;
};

static void set_unknown(struct reading *reading, const char *name, const char *reason)
{
    json_object_set_new(reading->facts, name, json_null());
    json_object_set_new(reading->reasons, name, json_string(reason));
}

/* A text, of which there may be none for that reason. */
static void set_text(struct reading *reading, const char *name, const char *text,
                     const char *reason)
{
    if (text == NULL || text[0] == '\0')
        set_unknown(reading, name, reason);
    else
        json_object_set_new(reading->facts, name, json_string(text));
}

/* Without white space at both ends; in place. */
static char *trim(char *text)
{
    char *end = text + strlen(text);

    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text + strspn(text, " \t\n");
}

/* ---- Engines ---- */

/* The word behind `name` in an engine's description, such as that behind "runtime ". */
static const char *word_behind(const char *description, const char *name, char *word, size_t size)
{
    const char *found = strstr(description, name);

    word[0] = '\0';
    if (found != NULL)
        snprintf(word, size, "%.*s", (int)strcspn(found + strlen(name), ", "),
                 found + strlen(name));
    return word;
}

static void take_driver(struct reading *reading, const char *description)
{
    char word[64];

    set_text(reading, "driver", word_behind(description, "driver ", word, sizeof word),
             "the engine's description does not tell it");
    set_text(reading, "runtime", word_behind(description, "runtime ", word, sizeof word),
             "the engine's description does not tell it");
}

/* Returns its entry. */
static json_t *read_engine(struct reading *reading, const struct session *session,
                           enum engine_id engine, bool *has)
{
    struct supervisor_options supervised = session_supervised(session, engine);
    struct supervisor *supervisor;
    char reason[512];
    json_t *entry;

    supervised.jobs = 1;
    *has = supervisor_open(&supervised, &supervisor, reason, sizeof reason) == ENGINE_OK;
    if (!*has)
        return json_pack("{s:n, s:s}", "description", "reason", reason);
    if (engine_kinds[engine].uses_a_gpu)
        take_driver(reading, supervisor_description(supervisor));
    entry = json_pack("{s:s, s:n}", "description", supervisor_description(supervisor), "reason");
    supervisor_close(supervisor);
    return entry;
}

static void read_engines(struct reading *reading, const struct session *session,
                         const struct engine_list *wanted, bool has[ENGINES])
{
    json_t *engines = json_object();

    set_unknown(reading, "driver", "no engine that uses a GPU is here, or was asked for");
    set_unknown(reading, "runtime", "no engine that uses a GPU is here, or was asked for");
    for (int e = 0; e < ENGINES; e++) {
        has[e] = false;
        if (wanted->count == 0 || engine_list_has(wanted, (enum engine_id)e))
            json_object_set_new(engines, engine_kinds[e].name,
                                read_engine(reading, session, (enum engine_id)e, &has[e]));
    }
    for (size_t k = 0; k < 2; k++) /* known after all: there is no reason */
        if (!json_is_null(json_object_get(reading->facts, k == 0 ? "driver" : "runtime")))
            json_object_del(reading->reasons, k == 0 ? "driver" : "runtime");
    json_object_set_new(reading->facts, "engines", engines);
}

/* ---- GPUs ---- */

/* What nvidia-smi is asked for. */
static const struct {
    const char *name;
    bool varies; /* from one moment to the next */
} questions[] = {
    {"name", false},           {"driver_version", false},   {"vbios_version", false},
    {"memory.total", false},   {"ecc.mode.current", false}, {"clocks.max.sm", false},
    {"clocks.max.mem", false}, {"power.limit", false},      {"persistence_mode", false},
    {"clocks.sm", true},       {"clocks.mem", true},        {"temperature.gpu", true},
    {"pstate", true},
};

enum { QUESTIONS = sizeof questions / sizeof *questions };

/* A line of values separated by ", ": what lasts becomes an entry of `gpus`, what varies of
 * `readings`. A value that the GPU does not tell is null. */
static void take_gpu(struct reading *reading, char *line, json_t *gpus, json_t *readings)
{
    json_t *lasts = json_object(), *varies = json_object();

    for (size_t q = 0; q < QUESTIONS; q++) {
        char *value = trim(line != NULL ? strsep(&line, ",") : (char[]){""}), reason[128];
        bool known = value[0] != '\0' && value[0] != '[';
        json_object_set_new(questions[q].varies ? varies : lasts, questions[q].name,
                            known ? json_string(value) : json_null());
        if (known)
            continue;
        snprintf(reason, sizeof reason, "gpus.%s", questions[q].name);
        json_object_set_new(reading->reasons, reason,
                            json_string(value[0] != '\0' ? value : "nvidia-smi told nothing"));
    }
    json_array_append_new(gpus, lasts);
    json_array_append_new(readings, varies);
}

static void read_gpus(struct reading *reading)
{
    char query[512] = "--query-gpu=", said[SAID], *rest = said, *line;
    const char *const arguments[] = {"nvidia-smi", query, "--format=csv,noheader", NULL};
    json_t *gpus, *readings;

    for (size_t q = 0; q < QUESTIONS; q++) {
        strcat(query, q > 0 ? "," : "");
        strcat(query, questions[q].name);
    }
    if (tool_run(arguments, said, sizeof said) != 0) {
        said[strcspn(said, "\n")] = '\0';
        set_unknown(reading, "gpus", said[0] != '\0' ? said : "nvidia-smi failed and said nothing");
        json_object_set_new(reading->readings, "gpus", json_null());
        return;
    }
    gpus = json_array();
    readings = json_array();
    while ((line = strsep(&rest, "\n")) != NULL)
        if (*trim(line) != '\0')
            take_gpu(reading, line, gpus, readings);
    json_object_set_new(reading->facts, "gpus", gpus);
    json_object_set_new(reading->readings, "gpus", readings);
}

/* ---- Tools ---- */

/* The versions of the compilers that the user names, or that on the PATH. */
static void read_compilers(struct reading *reading, const char *fact, const char *name,
                           const struct compiler_list *given)
{
    json_t *versions = json_array();
    char error[512] = "";

    for (size_t k = 0; k < compiler_list_count(given); k++) {
        struct compiler compiler;
        if (compiler_list_open(given, name, k, &compiler, error, sizeof error))
            json_array_append_new(versions, json_string(compiler.version));
    }
    if (json_array_size(versions) > 0) {
        json_object_set_new(reading->facts, fact, versions);
        return;
    }
    json_decref(versions);
    set_unknown(reading, fact, interrupt_came() ? "interrupted" : error);
}

/* ---- The machine ---- */

/* The value of the first line "name : value" of a file of /proc. */
static const char *proc_value(const char *path, const char *name, char *line, size_t size)
{
    FILE *from = fopen(path, "r");
    const char *value = NULL;

    while (from != NULL && value == NULL && fgets(line, (int)size, from) != NULL) {
        char *colon = strchr(line, ':');
        if (strncmp(line, name, strlen(name)) == 0 && colon != NULL)
            value = trim(colon + 1);
    }
    if (from != NULL)
        fclose(from);
    return value;
}

static void read_machine(struct reading *reading)
{
    char line[512], kernel[512] = "";
    struct utsname names;

    if (uname(&names) == 0)
        snprintf(kernel, sizeof kernel, "%.100s %.100s %.100s %.100s", names.sysname, names.release,
                 names.version, names.machine);
    set_text(reading, "kernel", kernel, "uname() failed");
    set_text(reading, "processor", proc_value("/proc/cpuinfo", "model name", line, sizeof line),
             "/proc/cpuinfo has no model name");
    json_object_set_new(reading->facts, "cores", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
    set_text(reading, "memory", proc_value("/proc/meminfo", "MemTotal", line, sizeof line),
             "/proc/meminfo has no MemTotal");
}

static void read_moment(struct reading *reading)
{
    time_t now = time(NULL);
    struct tm parts;
    double loads[1];
    char text[64];

    gmtime_r(&now, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    json_object_set_new(reading->readings, "time", json_string(text));
    json_object_set_new(reading->readings, "load",
                        getloadavg(loads, 1) == 1 ? json_real(loads[0]) : json_null());
}

json_t *environment_read(const struct session *session, const struct engine_list *engines,
                         const struct compiler_paths *compilers, bool has[ENGINES])
{
    struct reading reading = {json_object(), json_object(), json_object()};

    read_gpus(&reading);
    read_engines(&reading, session, engines, has);
    read_compilers(&reading, "toolkit", "nvcc", &compilers->nvcc);
    read_compilers(&reading, "ptxas", "ptxas", &compilers->ptxas);
    set_text(&reading, "ptx_compiler", SIMTCHECK_PTX_VERSION, "built without the engine ptx");
    json_object_set_new(reading.facts, "compiler", json_string(SIMTCHECK_COMPILER));
    json_object_set_new(reading.facts, "flags", json_string(SIMTCHECK_FLAGS));
    json_object_set_new(reading.facts, "simtcheck", json_string(SIMTCHECK_VERSION));
    json_object_set_new(reading.facts, "build", json_string(build_identity));
    read_machine(&reading);
    read_moment(&reading);
    json_object_set_new(reading.facts, "reasons", reading.reasons);
    json_object_set_new(reading.facts, "readings", reading.readings);
    return reading.facts;
}

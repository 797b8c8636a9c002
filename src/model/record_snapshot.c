/* SPDX-License-Identifier: MIT */
#include "record_snapshot.h"

/* ---- The environment ---- */

#define SAID(name, structure, member)                                                              \
    FIELD(name, STRING, structure, member, .flags = FIELD_NULLABLE)

static const struct field gpu_fields[] = {
    SAID("name", struct gpu_record, name),
    SAID("driver_version", struct gpu_record, driver_version),
    SAID("vbios_version", struct gpu_record, vbios_version),
    SAID("memory.total", struct gpu_record, memory_total),
    SAID("ecc.mode.current", struct gpu_record, ecc_mode),
    SAID("clocks.max.sm", struct gpu_record, clocks_max_sm),
    SAID("clocks.max.mem", struct gpu_record, clocks_max_mem),
    SAID("power.limit", struct gpu_record, power_limit),
    SAID("persistence_mode", struct gpu_record, persistence_mode),
};
const struct table gpu_table = TABLE("gpu", gpu_fields, struct gpu_record);

static const struct field gpu_reading_fields[] = {
    SAID("clocks.sm", struct gpu_reading, clocks_sm),
    SAID("clocks.mem", struct gpu_reading, clocks_mem),
    SAID("temperature.gpu", struct gpu_reading, temperature),
    SAID("pstate", struct gpu_reading, pstate),
};
const struct table gpu_reading_table = TABLE("gpu_reading", gpu_reading_fields, struct gpu_reading);

static const struct field readings_fields[] = {
    FIELD("gpus", LIST, struct readings_record, gpus, .table = &gpu_reading_table,
          .flags = FIELD_NULLABLE),
    FIELD("time", STRING, struct readings_record, time),
    FIELD("load", NUMBER, struct readings_record, load, .flags = FIELD_NULLABLE | FIELD_KNOWN,
          .known = offsetof(struct readings_record, has_load)),
};
static const struct table readings_table =
    TABLE("readings", readings_fields, struct readings_record);

static const struct field engine_fields[] = {
    SAID("description", struct engine_record, description),
    SAID("reason", struct engine_record, reason),
};
static const struct table engine_table = TABLE("engine", engine_fields, struct engine_record);

/* The entries of a map of engines are the records themselves, behind their names. */
static const struct field engine_item = {.type = FIELD_OBJECT, .table = &engine_table},
                          named_item = FIELD(NULL, STRING, struct named_text, text),
                          nullable_item =
                              FIELD(NULL, STRING, struct named_text, text, .flags = FIELD_NULLABLE);

static const struct field environment_fields[] = {
    FIELD("gpus", LIST, struct environment_record, gpus, .table = &gpu_table,
          .flags = FIELD_NULLABLE),
    SAID("driver", struct environment_record, driver),
    SAID("runtime", struct environment_record, runtime),
    FIELD("engines", MAP, struct environment_record, engines, .words = &engine_words,
          .item = &engine_item, .item_size = sizeof(struct engine_record)),
    FIELD("toolkit", LIST, struct environment_record, toolkit, .item = &string_item, .least = 1,
          .flags = FIELD_NULLABLE),
    FIELD("ptxas", LIST, struct environment_record, ptxas, .item = &string_item, .least = 1,
          .flags = FIELD_NULLABLE),
    SAID("ptx_compiler", struct environment_record, ptx_compiler),
    FIELD("compiler", STRING, struct environment_record, compiler),
    FIELD("flags", STRING, struct environment_record, flags),
    FIELD("simtcheck", STRING, struct environment_record, simtcheck),
    FIELD("build", STRING, struct environment_record, build),
    SAID("kernel", struct environment_record, kernel),
    SAID("processor", struct environment_record, processor),
    FIELD("cores", COUNT, struct environment_record, cores, .least = 1),
    SAID("memory", struct environment_record, memory),
    FIELD("reasons", MAP, struct environment_record, reasons, .item = &named_item,
          .item_size = sizeof(struct named_text)),
    FIELD("readings", OBJECT, struct environment_record, readings, .table = &readings_table),
};
const struct table environment_table =
    TABLE("environment", environment_fields, struct environment_record);

/* ---- Limits ---- */

static const struct field limit_fields[] = {
    FIELD("id", STRING, struct limit_record, id, .compare = COMPARE_KEY),
    FIELD("variant", WORD, struct limit_record, kind, .words = &variant_kind_words,
          .compare = COMPARE_KEY),
    FIELD("engine", WORD, struct limit_record, engine, .words = &engine_words,
          .compare = COMPARE_KEY),
    FIELD("largest_block", COUNT, struct limit_record, largest_block,
          .compare = COMPARE_LESS_IS_WORSE, .shown = "largest block"),
    FIELD("largest_grid", COUNT, struct limit_record, largest_grid,
          .compare = COMPARE_LESS_IS_WORSE, .shown = "largest grid"),
    FIELD("largest_size", COUNT, struct limit_record, largest_size,
          .compare = COMPARE_LESS_IS_WORSE, .shown = "largest size"),
    FIELD("blocks", COUNT, struct limit_record, blocks, .compare = COMPARE_LESS_IS_WORSE,
          .shown = "blocks tried"),
    FIELD("all_blocks", COUNT, struct limit_record, all_blocks, .compare = COMPARE_CHANGED,
          .shown = "blocks that there are"),
};
const struct table limit_table = TABLE("limit", limit_fields, struct limit_record);

static const struct field limits_fields[] = {
    FIELD("deadline_seconds", NUMBER, struct limits_record, deadline_seconds,
          .compare = COMPARE_LESS_IS_WORSE, .shown = "deadline in seconds"),
    FIELD("rows", LIST, struct limits_record, rows, .table = &limit_table),
};
const struct table limits_table = TABLE("limits", limits_fields, struct limits_record);

/* ---- Snapshots ---- */

#define ROWS_OF_ENGINES(name, rows_table)                                                          \
    static const struct field name =                                                               \
        FIELD(NULL, LIST, struct engine_rows, rows, .table = &(rows_table))
ROWS_OF_ENGINES(races_item, race_record_table);
ROWS_OF_ENGINES(counters_item, counter_table);
ROWS_OF_ENGINES(throughput_item, rate_table);

static const struct field snapshot_fields[] = {
    FIELD("simtcheck_snapshot", COUNT, struct snapshot_record, version, .least = 1,
          .flags = FIELD_MARK),
    FIELD("complete", BOOL, struct snapshot_record, complete),
    FIELD("environment", OBJECT, struct snapshot_record, environment, .table = &environment_table),
    FIELD("options", LIST, struct snapshot_record, options, .item = &string_item),
    FIELD("limits", OBJECT, struct snapshot_record, limits, .table = &limits_table),
    FIELD("run", POINTER, struct snapshot_record, run, .table = &run_table,
          .flags = FIELD_NULLABLE),
    FIELD("races", MAP, struct snapshot_record, races, .words = &engine_words, .item = &races_item,
          .item_size = sizeof(struct engine_rows), .flags = FIELD_NULLABLE),
    FIELD("counters", MAP, struct snapshot_record, counters, .words = &engine_words,
          .item = &counters_item, .item_size = sizeof(struct engine_rows), .flags = FIELD_NULLABLE),
    FIELD("code", POINTER, struct snapshot_record, code, .table = &code_table,
          .flags = FIELD_NULLABLE),
    FIELD("compilers", POINTER, struct snapshot_record, compilers, .table = &compilers_table,
          .flags = FIELD_NULLABLE),
    FIELD("throughput", MAP, struct snapshot_record, rates, .words = &engine_words,
          .item = &throughput_item, .item_size = sizeof(struct engine_rows),
          .flags = FIELD_NULLABLE),
    FIELD("benchmark", LIST, struct snapshot_record, benchmark, .table = &rung_table,
          .flags = FIELD_NULLABLE),
};
const struct table snapshot_table = TABLE("snapshot", snapshot_fields, struct snapshot_record);

/* ---- Comparisons ---- */

#define NAME_OF(word) [CHANGE_##word] = #word
static const char *const change_names[] = {NAME_OF(SAME), NAME_OF(CHANGED), NAME_OF(NEW),
                                           NAME_OF(FIX),  NAME_OF(MISSING), NAME_OF(REGRESSION)};
_Static_assert(sizeof change_names / sizeof *change_names == CHANGES, "a name for each");
static const struct words change_words = WORDS_OF(change_names);

const char *change_name(enum change change)
{
    return change_names[change];
}

static const struct field fact_fields[] = {
    FIELD("key", STRING, struct fact_record, key),
    FIELD("old", ANY, struct fact_record, before),
    FIELD("new", ANY, struct fact_record, after),
};
static const struct table fact_table = TABLE("fact", fact_fields, struct fact_record);

static const struct field change_fields[] = {
    FIELD("change", WORD, struct change_record, change, .words = &change_words),
    FIELD("part", STRING, struct change_record, part),
    FIELD("row", STRING, struct change_record, row),
    FIELD("details", LIST, struct change_record, details, .item = &string_item),
};
static const struct table change_table = TABLE("change", change_fields, struct change_record);

/* By enum change. */
#define COUNT_OF(word) FIELD(#word, COUNT, struct change_counts, of[CHANGE_##word])

static const struct field count_fields[] = {
    COUNT_OF(REGRESSION), COUNT_OF(MISSING), COUNT_OF(FIX),
    COUNT_OF(NEW),        COUNT_OF(CHANGED), COUNT_OF(SAME),
};
static const struct table count_table = TABLE("counts", count_fields, struct change_counts);

static const struct field machine_item =
    FIELD(NULL, NUMBER, struct machine_record, share, .flags = FIELD_POSITIVE);

static const struct field comparison_fields[] = {
    FIELD("old", STRING, struct comparison_record, before),
    FIELD("new", STRING, struct comparison_record, after),
    FIELD("old_complete", BOOL, struct comparison_record, old_complete, .flags = FIELD_KNOWN,
          .known = offsetof(struct comparison_record, has_old_complete)),
    FIELD("new_complete", BOOL, struct comparison_record, new_complete, .flags = FIELD_KNOWN,
          .known = offsetof(struct comparison_record, has_new_complete)),
    FIELD("environment", LIST, struct comparison_record, environment, .table = &fact_table),
    FIELD("machine", MAP, struct comparison_record, machine, .item = &machine_item,
          .item_size = sizeof(struct machine_record), .flags = FIELD_OPTIONAL),
    FIELD("counts", OBJECT, struct comparison_record, counts, .table = &count_table,
          .flags = FIELD_MARK),
    FIELD("rows", LIST, struct comparison_record, rows, .table = &change_table,
          .flags = FIELD_MARK),
};

/* Whether there are as many rows of each word as `counts` says. */
static bool comparison_agrees(const void *record, char *why, size_t size)
{
    const struct comparison_record *comparison = record;
    const struct change_record *rows = comparison->rows.items;
    uint64_t counts[CHANGES] = {0};

    for (size_t r = 0; r < comparison->rows.count; r++)
        counts[rows[r].change]++;
    for (int change = 0; change < CHANGES; change++)
        if (counts[change] != comparison->counts.of[change]) {
            snprintf(why, size, "counts.%s is %llu, and the rows have %llu", change_names[change],
                     (unsigned long long)comparison->counts.of[change],
                     (unsigned long long)counts[change]);
            return false;
        }
    return true;
}

const struct table comparison_table =
    TABLE("comparison", comparison_fields, struct comparison_record, .check = comparison_agrees);

/* ---- Shards ---- */

static const struct field shard_fields[] = {
    FIELD("simtcheck_shard", COUNT, struct shard_record, version, .flags = FIELD_MARK),
    FIELD("command", STRING, struct shard_record, command),
    FIELD("shard", COUNT, struct shard_record, shard, .least = 1),
    FIELD("shards", COUNT, struct shard_record, shards, .least = 1),
    FIELD("build", STRING, struct shard_record, build),
    FIELD("options", LIST, struct shard_record, options, .item = &string_item),
    FIELD("engines", MAP, struct shard_record, engines, .item = &nullable_item,
          .item_size = sizeof(struct named_text)),
    FIELD("status", COUNT, struct shard_record, status, .flags = FIELD_NULLABLE | FIELD_KNOWN,
          .known = offsetof(struct shard_record, has_status)),
    FIELD("result", ANY, struct shard_record, result),
};

static bool shard_agrees(const void *record, char *why, size_t size)
{
    const struct shard_record *shard = record;

    if (shard->shard <= shard->shards)
        return true;
    snprintf(why, size, "shard must be at most %llu", (unsigned long long)shard->shards);
    return false;
}

const struct table shard_table =
    TABLE("shard", shard_fields, struct shard_record, .check = shard_agrees);

/* SPDX-License-Identifier: MIT */
#include "record_snapshot.h"

#include <stdlib.h>
#include <string.h>

/* ---- The environment ---- */

static const struct field gpu_fields[] = {
    MEMBER(STRING, struct gpu_record, name, NULLABLE),
    MEMBER(STRING, struct gpu_record, uuid, NULLABLE),
    MEMBER(STRING, struct gpu_record, driver_version, NULLABLE),
    MEMBER(STRING, struct gpu_record, vbios_version, NULLABLE),
    FIELD("memory.total", STRING, struct gpu_record, memory_total, NULLABLE),
    FIELD("ecc.mode.current", STRING, struct gpu_record, ecc_mode, NULLABLE),
    FIELD("clocks.max.sm", STRING, struct gpu_record, clocks_max_sm, NULLABLE),
    FIELD("clocks.max.mem", STRING, struct gpu_record, clocks_max_mem, NULLABLE),
    FIELD("power.limit", STRING, struct gpu_record, power_limit, NULLABLE),
    MEMBER(STRING, struct gpu_record, persistence_mode, NULLABLE),
};
const struct table gpu_table = TABLE("gpu", gpu_fields, struct gpu_record);

static const struct field gpu_reading_fields[] = {
    FIELD("clocks.sm", STRING, struct gpu_record, clocks_sm, NULLABLE),
    FIELD("clocks.mem", STRING, struct gpu_record, clocks_mem, NULLABLE),
    FIELD("temperature.gpu", STRING, struct gpu_record, temperature, NULLABLE),
    MEMBER(STRING, struct gpu_record, pstate, NULLABLE),
};
const struct table gpu_reading_table = TABLE("gpu_reading", gpu_reading_fields, struct gpu_record);

static const struct field readings_fields[] = {
    FIELD("gpus", LIST, struct environment_record, gpu_readings, OF(gpu_reading), NULLABLE),
    MEMBER(STRING, struct environment_record, time),
    MEMBER(STRING, struct environment_record, ended, NULLABLE),
    MEMBER(NUMBER, struct environment_record, load,
           NULL_UNLESS(struct environment_record, has_load)),
};
const struct table readings_table = TABLE("readings", readings_fields, struct environment_record);

static const struct field engine_fields[] = {
    FIELD("description", STRING, struct named_value, text, NULLABLE),
    MEMBER(STRING, struct named_value, reason, NULLABLE),
};
static const struct table engine_table = TABLE("engine", engine_fields, struct named_value);

static const struct field engine_item = GROUP(NULL, OF(engine)),
                          text_item = FIELD(NULL, STRING, struct named_value, text),
                          nullable_item = FIELD(NULL, STRING, struct named_value, text, NULLABLE);

static const struct field environment_fields[] = {
    MEMBER(LIST, struct environment_record, gpus, OF(gpu), NULLABLE),
    MEMBER(STRING, struct environment_record, driver, NULLABLE),
    MEMBER(STRING, struct environment_record, runtime, NULLABLE),
    MEMBER(MAP, struct environment_record, engines, WORDS(engine), .item = &engine_item),
    MEMBER(LIST, struct environment_record, toolkit, .item = &string_item, .least = 1, NULLABLE),
    MEMBER(LIST, struct environment_record, ptxas, .item = &string_item, .least = 1, NULLABLE),
    MEMBER(STRING, struct environment_record, ptx_compiler, NULLABLE),
    MEMBER(STRING, struct environment_record, compiler),
    MEMBER(STRING, struct environment_record, flags),
    MEMBER(STRING, struct environment_record, simtcheck),
    MEMBER(STRING, struct environment_record, build),
    MEMBER(STRING, struct environment_record, build_hash),
    MEMBER(STRING, struct environment_record, system, NULLABLE),
    MEMBER(STRING, struct environment_record, kernel, NULLABLE),
    MEMBER(STRING, struct environment_record, processor, NULLABLE),
    MEMBER(COUNT, struct environment_record, cores, .least = 1),
    MEMBER(STRING, struct environment_record, memory, NULLABLE),
    MEMBER(MAP, struct environment_record, variables, .item = &text_item),
    MEMBER(MAP, struct environment_record, reasons, .item = &text_item),
    GROUP("readings", OF(readings)),
};
const struct table environment_table =
    TABLE("environment", environment_fields, struct environment_record);

/* ---- Limits ---- */

static const struct field limit_fields[] = {
    MEMBER(STRING, struct limit_record, id, KEY),
    FIELD("variant", WORD, struct limit_record, kind, WORDS(variant_kind), KEY),
    MEMBER(WORD, struct limit_record, engine, WORDS(engine), KEY),
    MEMBER(COUNT, struct limit_record, largest_block, SHOWN(LESS_IS_WORSE, "largest block")),
    MEMBER(COUNT, struct limit_record, largest_grid, SHOWN(LESS_IS_WORSE, "largest grid")),
    MEMBER(COUNT, struct limit_record, largest_size, SHOWN(LESS_IS_WORSE, "largest size")),
    MEMBER(COUNT, struct limit_record, blocks, SHOWN(LESS_IS_WORSE, "blocks tested")),
    MEMBER(COUNT, struct limit_record, all_blocks, SHOWN(CHANGED, "all possible blocks")),
};
const struct table limit_table = TABLE("limit", limit_fields, struct limit_record);

static const struct field limits_fields[] = {
    MEMBER(NUMBER, struct snapshot_record, deadline_seconds,
           SHOWN(LESS_IS_WORSE, "deadline in seconds")),
    FIELD("rows", LIST, struct snapshot_record, limits, OF(limit)),
};
const struct table limits_table = TABLE("limits", limits_fields, struct snapshot_record);

/* ---- Snapshots ---- */

static const struct field races_item = FIELD(NULL, LIST, struct named_value, list, OF(race_record)),
                          counters_item = FIELD(NULL, LIST, struct named_value, list, OF(counter));

static const struct field core_fields[] = {
    FIELD("simtcheck_snapshot", COUNT, struct snapshot_record, version, .least = 1, MARK),
    MEMBER(BOOL, struct snapshot_record, complete),
    MEMBER(OBJECT, struct snapshot_record, environment, OF(environment)),
    MEMBER(LIST, struct snapshot_record, options, .item = &string_item),
    GROUP("limits", OF(limits)),
    MEMBER(POINTER, struct snapshot_record, run, OF(run), NULLABLE),
    MEMBER(MAP, struct snapshot_record, races, WORDS(engine), .item = &races_item, NULLABLE),
    MEMBER(MAP, struct snapshot_record, counters, WORDS(engine), .item = &counters_item, NULLABLE),
    MEMBER(POINTER, struct snapshot_record, code, OF(code), NULLABLE),
};
struct table snapshot_table = TABLE("snapshot", core_fields, struct snapshot_record);

enum { CORE_MEMBERS = sizeof core_fields / sizeof *core_fields };

void snapshot_add_part(const char *name, const struct field *member)
{
    static struct field fields[CORE_MEMBERS + MAX_WING_PARTS];
    size_t k = snapshot_table.count - CORE_MEMBERS;
    struct field *added = &fields[snapshot_table.count];

    if (k == MAX_WING_PARTS)
        abort(); /* raise MAX_WING_PARTS */
    memcpy(fields, core_fields, sizeof core_fields);
    *added = *member;
    added->name = name;
    added->offset = offsetof(struct snapshot_record, of_wings) + k * sizeof(struct list);
    added->flags |= FIELD_OF_WING;
    snapshot_table.fields = fields;
    snapshot_table.count++;
}

const void *snapshot_part(const struct snapshot_record *snapshot, const char *name)
{
    for (size_t k = 0; k + CORE_MEMBERS < snapshot_table.count; k++)
        if (strcmp(snapshot_table.fields[CORE_MEMBERS + k].name, name) == 0)
            return snapshot->of_wings[k].items;
    return NULL;
}

/* ---- Comparisons ---- */

#define NAME_OF(word) [CHANGE_##word] = #word
static const char *const change_names[] = {NAME_OF(SAME), NAME_OF(CHANGED), NAME_OF(NEW),
                                           NAME_OF(FIX),  NAME_OF(MISSING), NAME_OF(REGRESSION)};
_Static_assert(sizeof change_names / sizeof *change_names == CHANGES, "a name for each");
const struct words change_words = WORDS_OF(change_names);

const char *change_name(enum change change)
{
    return change_names[change];
}

static const struct field fact_fields[] = {
    MEMBER(STRING, struct fact_record, key),
    FIELD("old", ANY, struct fact_record, before),
    FIELD("new", ANY, struct fact_record, after),
};
const struct table fact_table = TABLE("fact", fact_fields, struct fact_record);

static const struct field change_fields[] = {
    MEMBER(WORD, struct change_record, change, WORDS(change)),
    MEMBER(STRING, struct change_record, part),
    MEMBER(STRING, struct change_record, row),
    MEMBER(LIST, struct change_record, details, .item = &string_item),
};
static const struct table change_table = TABLE("change", change_fields, struct change_record);

/* Indexed by enum change. */
#define COUNT_OF(word) FIELD(#word, COUNT, struct comparison_record, counts[CHANGE_##word])

static const struct field count_fields[] = {
    COUNT_OF(REGRESSION), COUNT_OF(MISSING), COUNT_OF(FIX),
    COUNT_OF(NEW),        COUNT_OF(CHANGED), COUNT_OF(SAME),
};
static const struct table count_table = TABLE("counts", count_fields, struct comparison_record);

static const struct field machine_item =
    FIELD(NULL, NUMBER, struct named_value, number, .flags = FIELD_POSITIVE);

static const struct field comparison_fields[] = {
    FIELD("old", STRING, struct comparison_record, before),
    FIELD("new", STRING, struct comparison_record, after),
    MEMBER(BOOL, struct comparison_record, old_complete,
           KNOWN_BY(struct comparison_record, has_old_complete)),
    MEMBER(BOOL, struct comparison_record, new_complete,
           KNOWN_BY(struct comparison_record, has_new_complete)),
    MEMBER(LIST, struct comparison_record, environment, OF(fact)),
    MEMBER(MAP, struct comparison_record, machine, .item = &machine_item, OPTIONAL),
    GROUP("counts", OF(count), MARK),
    MEMBER(LIST, struct comparison_record, rows, OF(change), MARK),
};

/* Checks that the numbers of rows of each word match `counts`. */
static bool comparison_agrees(const void *record, char *why, size_t size)
{
    const struct comparison_record *comparison = record;
    const struct change_record *rows = comparison->rows.items;
    uint64_t counts[CHANGES] = {0};

    for (size_t r = 0; r < comparison->rows.count; r++)
        counts[rows[r].change]++;
    for (int change = 0; change < CHANGES; change++)
        if (counts[change] != comparison->counts[change]) {
            snprintf(why, size, "counts.%s is %llu, but the rows have %llu", change_names[change],
                     (unsigned long long)comparison->counts[change],
                     (unsigned long long)counts[change]);
            return false;
        }
    return true;
}

const struct table comparison_table =
    TABLE("comparison", comparison_fields, struct comparison_record, .check = comparison_agrees);

/* ---- Shards ---- */

static const struct field shard_fields[] = {
    FIELD("simtcheck_shard", COUNT, struct shard_record, version, MARK),
    MEMBER(STRING, struct shard_record, command),
    MEMBER(COUNT, struct shard_record, shard, .least = 1),
    MEMBER(COUNT, struct shard_record, shards, .least = 1),
    MEMBER(STRING, struct shard_record, build),
    MEMBER(LIST, struct shard_record, options, .item = &string_item),
    MEMBER(MAP, struct shard_record, engines, .item = &nullable_item),
    MEMBER(COUNT, struct shard_record, status, NULL_UNLESS(struct shard_record, has_status)),
    MEMBER(ANY, struct shard_record, result),
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

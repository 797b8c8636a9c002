/* SPDX-License-Identifier: MIT */
#include "record_speed.h"

#include "outcome_tables.h"

/* ---- Counters ---- */

static const struct field level_fields[] = {
    MEMBER(COUNT, struct level_record, grids, .least = 1),
    MEMBER(COUNT, struct level_record, blocks, .least = 1),
    MEMBER(COUNT, struct level_record, threads, .least = 1),
};
static const struct table level_table = TABLE("launches", level_fields, struct level_record);

/* A member that was counted. */
#define COUNTED(name, kind, ...) MEMBER(kind, struct counter_record, name, CHANGED, __VA_ARGS__)
#define CLASS(name, class) FIELD(name, COUNT, struct counter_record, instructions[class], CHANGED)

static const struct field counter_fields[] = {
    MEMBER(STRING, struct counter_record, id, MARK, KEY),
    FIELD("variant", WORD, struct counter_record, kind, WORDS(variant_kind), KEY),
    MEMBER(STRING, struct counter_record, engine, .flags = FIELD_FROM_PLACE, KEY),
    MEMBER(COUNTS32, struct counter_record, grid, CHANGED),
    MEMBER(COUNTS32, struct counter_record, block, CHANGED),
    MEMBER(COUNTS64, struct counter_record, size, CHANGED),
    MEMBER(COUNT, struct counter_record, max_depth, KNOWN_BY(struct counter_record, has_depth),
           CHANGED),
    COUNTED(gld_transactions_128B, COUNT),
    COUNTED(gst_transactions_128B, COUNT),
    COUNTED(gld_transactions_32B, COUNT),
    COUNTED(gst_transactions_32B, COUNT),
    COUNTED(gst_transactions_of_1_sector, COUNT),
    COUNTED(gst_transactions_of_2_sectors, COUNT),
    COUNTED(gst_transactions_of_4_sectors, COUNT),
    COUNTED(gld_efficiency_32B, NUMBER, .flags = FIELD_PER_CENT),
    COUNTED(gst_efficiency_32B, NUMBER, .flags = FIELD_PER_CENT),
    COUNTED(gld_efficiency_128B, NUMBER, .flags = FIELD_PER_CENT),
    COUNTED(gld_requests, COUNT, .flags = FIELD_MARK),
    COUNTED(gst_requests, COUNT),
    COUNTED(gld_bytes, COUNT),
    COUNTED(gst_bytes, COUNT),
    COUNTED(lane_efficiency, NUMBER, .flags = FIELD_PER_CENT),
    COUNTED(barriers, COUNT),
    COUNTED(child_grids, COUNT),
    COUNTED(child_threads, COUNT),
    COUNTED(inst_executed, COUNT),
    COUNTED(thread_inst_executed, COUNT),
    COUNTED(inst_per_warp, NUMBER),
    COUNTED(inst_per_lane, NUMBER),
    COUNTED(warp_execution_efficiency, NUMBER, .flags = FIELD_PER_CENT),
    COUNTED(branches, COUNT),
    COUNTED(divergent_branches, COUNT),
    CLASS("inst_integer", SIMT_INTEGER),
    CLASS("inst_float", SIMT_FLOAT),
    CLASS("inst_logic", SIMT_LOGIC),
    CLASS("inst_comparison", SIMT_COMPARISON),
    CLASS("inst_conversion", SIMT_CONVERSION),
    CLASS("inst_move", SIMT_MOVE),
    CLASS("inst_parameter", SIMT_PARAMETER),
    CLASS("inst_load", SIMT_LOAD),
    CLASS("inst_store", SIMT_STORE),
    CLASS("inst_atomic", SIMT_ATOMIC),
    CLASS("inst_synchronisation", SIMT_SYNCHRONISATION),
    CLASS("inst_control", SIMT_CONTROL),
    MEMBER(LIST, struct counter_record, launches, OF(level), .least = 2, OPTIONAL, CHANGED),
};
const struct table counter_table = TABLE("counter_row", counter_fields, struct counter_record);

/* ---- Rates ---- */

static const char *const unit_names[] = {[CASES_PER_SECOND] = "cases/s"};
static const struct words unit_words = WORDS_OF(unit_names);

static const struct field throughput_fields[] = {
    MEMBER(STRING, struct throughput_record, id, KEY),
    FIELD("variant", WORD, struct throughput_record, kind, WORDS(variant_kind), KEY),
    MEMBER(WORD, struct throughput_record, engine, WORDS(engine), KEY),
    FIELD("case", STRING, struct throughput_record, case_id),
    MEMBER(COUNT, struct throughput_record, copies, .least = 1),
    MEMBER(WORD, struct throughput_record, unit, WORDS(unit)),
    MEMBER(LIST, struct throughput_record, samples, .item = &number_item, .least = 1),
    MEMBER(LIST, struct throughput_record, pace, .item = &number_item, .least = 1),
};
const struct table throughput_table =
    TABLE("throughput_row", throughput_fields, struct throughput_record);

/* ---- The benchmark ---- */

static const struct field spread_fields[] = {
    MEMBER(NUMBERS, struct spread_record, bytes_per_second, .flags = FIELD_POSITIVE),
    MEMBER(NUMBERS, struct spread_record, ratio_to_copy, .flags = FIELD_POSITIVE),
    MEMBER(NUMBERS, struct spread_record, ratio_to_cub, .flags = FIELD_POSITIVE),
};
static const struct table spread_table = TABLE("spread", spread_fields, struct spread_record);

static const struct field published_fields[] = {
    MEMBER(STRING, struct published_record, gpu),
    MEMBER(STRING, struct published_record, first),
    MEMBER(NUMBER, struct published_record, bytes_per_second, .flags = FIELD_POSITIVE),
};
static const struct table published_table =
    TABLE("published", published_fields, struct published_record);

static const struct field benchmark_row_fields[] = {
    MEMBER(STRING, struct benchmark_row, kernel, KEY),
    FIELD("variant", WORD, struct benchmark_row, kind, WORDS(variant_kind), NULLABLE),
    MEMBER(COUNT, struct benchmark_row, elements, .least = 1, KEY),
    MEMBER(COUNT, struct benchmark_row, block, .least = 1,
           NULL_UNLESS(struct benchmark_row, has_block)),
    MEMBER(NUMBER, struct benchmark_row, bytes_per_second, .flags = FIELD_POSITIVE),
    MEMBER(NUMBER, struct benchmark_row, ratio_to_copy, .flags = FIELD_POSITIVE),
    MEMBER(NUMBER, struct benchmark_row, ratio_to_cub, .flags = FIELD_POSITIVE),
    MEMBER(OBJECT, struct benchmark_row, spread, OF(spread)),
    MEMBER(LIST, struct benchmark_row, samples, .item = &number_item, .least = 1),
    MEMBER(POINTER, struct benchmark_row, published, OF(published), NULLABLE),
};
const struct table benchmark_row_table =
    TABLE("benchmark_row", benchmark_row_fields, struct benchmark_row);

static const struct field left_out_fields[] = {
    MEMBER(STRING, struct left_out_record, kernel),
    MEMBER(COUNT, struct left_out_record, elements),
    MEMBER(STRING, struct left_out_record, reason),
};
static const struct table left_out_table =
    TABLE("left_out", left_out_fields, struct left_out_record);

static const struct field benchmark_fields[] = {
    MEMBER(STRING, struct benchmark_record, gpu),
    MEMBER(COUNT, struct benchmark_record, runs),
    MEMBER(LIST, struct benchmark_record, benchmark, OF(benchmark_row), MARK),
    MEMBER(LIST, struct benchmark_record, left_out, OF(left_out)),
};
const struct table benchmark_table = TABLE("benchmark", benchmark_fields, struct benchmark_record);

/* SPDX-License-Identifier: MIT */
#include "record_speed.h"

#include "outcome_tables.h"

/* ---- Counters ---- */

static const struct field level_fields[] = {
    FIELD("grids", COUNT, struct level_record, grids, .least = 1),
    FIELD("blocks", COUNT, struct level_record, blocks, .least = 1),
    FIELD("threads", COUNT, struct level_record, threads, .least = 1),
};
static const struct table level_table = TABLE("launches", level_fields, struct level_record);

/* A number that was counted; of compiled code. */
#define COUNTED(name, kind, ...)                                                                   \
    FIELD(#name, kind, struct counter_record, name, .compare = COMPARE_CHANGED, __VA_ARGS__)
#define OF_CODE .known = offsetof(struct counter_record, is_compiled), .flags = FIELD_KNOWN
#define CLASS(name, class)                                                                         \
    FIELD(name, COUNT, struct counter_record, instructions[class], .compare = COMPARE_CHANGED,     \
          OF_CODE)

static const struct field counter_fields[] = {
    FIELD("id", STRING, struct counter_record, id, .flags = FIELD_MARK, .compare = COMPARE_KEY),
    FIELD("variant", WORD, struct counter_record, kind, .words = &variant_kind_words,
          .compare = COMPARE_KEY),
    FIELD("engine", STRING, struct counter_record, engine, .flags = FIELD_FROM_PLACE,
          .compare = COMPARE_KEY),
    FIELD("grid", COUNTS32, struct counter_record, grid, .compare = COMPARE_CHANGED),
    FIELD("block", COUNTS32, struct counter_record, block, .compare = COMPARE_CHANGED),
    FIELD("size", COUNTS64, struct counter_record, size, .compare = COMPARE_CHANGED),
    FIELD("max_depth", COUNT, struct counter_record, max_depth, .flags = FIELD_KNOWN,
          .known = offsetof(struct counter_record, has_depth), .compare = COMPARE_CHANGED),
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
    COUNTED(inst_executed, COUNT, OF_CODE),
    COUNTED(thread_inst_executed, COUNT, OF_CODE),
    COUNTED(inst_per_warp, NUMBER, OF_CODE),
    COUNTED(inst_per_lane, NUMBER, OF_CODE),
    COUNTED(warp_execution_efficiency, NUMBER, OF_CODE | FIELD_PER_CENT),
    COUNTED(branches, COUNT, OF_CODE),
    COUNTED(divergent_branches, COUNT, OF_CODE),
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
    FIELD("launches", LIST, struct counter_record, launches, .table = &level_table, .least = 2,
          .flags = FIELD_OPTIONAL, .compare = COMPARE_CHANGED),
};
const struct table counter_table = TABLE("counter_row", counter_fields, struct counter_record);

/* ---- Rates ---- */

static const char *const unit_names[] = {[CASES_PER_SECOND] = "cases/s"};
static const struct words unit_words = WORDS_OF(unit_names);

static const struct field rate_fields[] = {
    FIELD("id", STRING, struct rate_record, id, .compare = COMPARE_KEY),
    FIELD("variant", WORD, struct rate_record, kind, .words = &variant_kind_words,
          .compare = COMPARE_KEY),
    FIELD("engine", WORD, struct rate_record, engine, .words = &engine_words,
          .compare = COMPARE_KEY),
    FIELD("case", STRING, struct rate_record, case_id),
    FIELD("copies", COUNT, struct rate_record, copies, .least = 1),
    FIELD("unit", WORD, struct rate_record, unit, .words = &unit_words),
    FIELD("samples", LIST, struct rate_record, samples, .item = &number_item, .least = 1),
    FIELD("pace", LIST, struct rate_record, pace, .item = &number_item, .least = 1),
};
const struct table rate_table = TABLE("rate_row", rate_fields, struct rate_record);

/* ---- The benchmark ---- */

static const struct field spread_fields[] = {
    FIELD("bytes_per_second", NUMBERS, struct spread_record, bytes_per_second,
          .flags = FIELD_POSITIVE),
    FIELD("ratio_to_copy", NUMBERS, struct spread_record, ratio_to_copy, .flags = FIELD_POSITIVE),
    FIELD("ratio_to_cub", NUMBERS, struct spread_record, ratio_to_cub, .flags = FIELD_POSITIVE),
};
static const struct table spread_table = TABLE("spread", spread_fields, struct spread_record);

static const struct field document_fields[] = {
    FIELD("gpu", STRING, struct document_record, gpu),
    FIELD("first", STRING, struct document_record, first),
    FIELD("bytes_per_second", NUMBER, struct document_record, bytes_per_second,
          .flags = FIELD_POSITIVE),
};
static const struct table document_table =
    TABLE("document", document_fields, struct document_record);

static const struct field rung_fields[] = {
    FIELD("kernel", STRING, struct rung_record, kernel, .compare = COMPARE_KEY),
    FIELD("variant", WORD, struct rung_record, kind, .words = &variant_kind_words,
          .flags = FIELD_NULLABLE),
    FIELD("elements", COUNT, struct rung_record, elements, .least = 1, .compare = COMPARE_KEY),
    FIELD("block", COUNT, struct rung_record, block, .least = 1,
          .flags = FIELD_NULLABLE | FIELD_KNOWN, .known = offsetof(struct rung_record, has_block)),
    FIELD("bytes_per_second", NUMBER, struct rung_record, bytes_per_second,
          .flags = FIELD_POSITIVE),
    FIELD("ratio_to_copy", NUMBER, struct rung_record, ratio_to_copy, .flags = FIELD_POSITIVE),
    FIELD("ratio_to_cub", NUMBER, struct rung_record, ratio_to_cub, .flags = FIELD_POSITIVE),
    FIELD("spread", OBJECT, struct rung_record, spread, .table = &spread_table),
    FIELD("samples", LIST, struct rung_record, samples, .item = &number_item, .least = 1),
    FIELD("document", POINTER, struct rung_record, document, .table = &document_table,
          .flags = FIELD_NULLABLE),
};
const struct table rung_table = TABLE("benchmark_row", rung_fields, struct rung_record);

static const struct field left_out_fields[] = {
    FIELD("kernel", STRING, struct left_out_record, kernel),
    FIELD("elements", COUNT, struct left_out_record, elements),
    FIELD("reason", STRING, struct left_out_record, reason),
};
static const struct table left_out_table =
    TABLE("left_out", left_out_fields, struct left_out_record);

static const struct field benchmark_fields[] = {
    FIELD("gpu", STRING, struct benchmark_record, gpu),
    FIELD("runs", COUNT, struct benchmark_record, runs),
    FIELD("benchmark", LIST, struct benchmark_record, benchmark, .table = &rung_table,
          .flags = FIELD_MARK),
    FIELD("left_out", LIST, struct benchmark_record, left_out, .table = &left_out_table),
};
const struct table benchmark_table = TABLE("benchmark", benchmark_fields, struct benchmark_record);

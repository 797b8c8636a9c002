/* SPDX-License-Identifier: MIT */
#include "record_counters.h"

#include "outcome_tables.h"

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

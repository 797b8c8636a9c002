/* SPDX-License-Identifier: MIT */
#include "record_speed.h"

#include "outcome_tables.h"

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

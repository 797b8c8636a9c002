/* SPDX-License-Identifier: MIT */
#include "capture_record.h"

#define HASH .pattern = "^[0-9a-f]{32}$"

/* ---- capture.json ---- */

static const struct field process_fields[] = {
    MEMBER(STRING, struct process_record, program),
    MEMBER(STRING, struct process_record, gpu),
    MEMBER(STRING, struct process_record, compute_capability),
    MEMBER(COUNT, struct process_record, driver),
};
static const struct table process_table = TABLE("processes", process_fields, struct process_record);

static const struct field left_out_fields[] = {
    MEMBER(STRING, struct left_out_record, kernel),
    MEMBER(STRING, struct left_out_record, reason),
    MEMBER(COUNT, struct left_out_record, launches),
};
static const struct table left_out_table =
    TABLE("left_out", left_out_fields, struct left_out_record);

static const struct field file_fields[] = {
    MEMBER(STRING, struct file_record, path, .pattern = "^(blobs|launches|modules)/[^./][^/]*$"),
    MEMBER(STRING, struct file_record, hash, HASH),
};
static const struct table file_table = TABLE("files", file_fields, struct file_record);

static const struct field index_fields[] = {
    MEMBER(COUNT, struct capture_index, version),
    MEMBER(BOOL, struct capture_index, complete, OPTIONAL),
    MEMBER(LIST, struct capture_index, processes, OF(process)),
    MEMBER(LIST, struct capture_index, left_out, OF(left_out)),
    MEMBER(LIST, struct capture_index, files, OF(file), OPTIONAL),
};
const struct table capture_index_table = TABLE("capture", index_fields, struct capture_index);

static const struct field version_fields[] = {
    MEMBER(COUNT, struct capture_version, version),
};
const struct table capture_version_table = TABLE("version", version_fields, struct capture_version);

/* ---- A launch ---- */

static const struct field piece_fields[] = {
    MEMBER(COUNT, struct piece_record, offset),
    MEMBER(COUNT, struct piece_record, bytes, .least = 1),
    MEMBER(STRING, struct piece_record, blob, HASH),
};
static const struct table piece_table = TABLE("pieces", piece_fields, struct piece_record);

static const struct field allocation_fields[] = {
    MEMBER(STRING, struct allocation_record, address, .pattern = "^0x[0-9a-f]{1,16}$"),
    MEMBER(COUNT, struct allocation_record, bytes, .least = 1),
    MEMBER(STRING, struct allocation_record, variable, NULLABLE),
    MEMBER(LIST, struct allocation_record, before, OF(piece)),
    MEMBER(LIST, struct allocation_record, after, OF(piece)),
};
static const struct table allocation_table =
    TABLE("allocations", allocation_fields, struct allocation_record);

static const struct field parameter_fields[] = {
    MEMBER(COUNT, struct parameter_record, offset),
    MEMBER(COUNT, struct parameter_record, bytes),
};
static const struct table parameter_table =
    TABLE("layout", parameter_fields, struct parameter_record);

static const struct field hash_item = {.type = FIELD_STRING, .size = sizeof(const char *), HASH};

static const struct field launch_fields[] = {
    MEMBER(COUNT, struct captured_record, version),
    MEMBER(STRING, struct captured_record, kernel),
    MEMBER(STRING, struct captured_record, module, HASH),
    MEMBER(LIST, struct captured_record, linked, .item = &hash_item, OPTIONAL),
    MEMBER(COUNTS32, struct captured_record, grid, .least = 1),
    MEMBER(COUNTS32, struct captured_record, block, .least = 1),
    MEMBER(COUNTS32, struct captured_record, cluster),
    MEMBER(COUNT, struct captured_record, shared_bytes),
    MEMBER(BOOL, struct captured_record, cooperative),
    MEMBER(STRING, struct captured_record, gpu_error, NULLABLE),
    MEMBER(STRING, struct captured_record, unmodelled, OPTIONAL),
    MEMBER(STRING, struct captured_record, parameters),
    MEMBER(LIST, struct captured_record, layout, OF(parameter)),
    MEMBER(LIST, struct captured_record, allocations, OF(allocation)),
};
const struct table captured_record_table = TABLE("launch", launch_fields, struct captured_record);

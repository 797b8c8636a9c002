/* SPDX-License-Identifier: MIT
 *
 * Records as JSON, by their field tables.
 */
#ifndef SIMTCHECK_MODEL_JSON_MODEL_H
#define SIMTCHECK_MODEL_JSON_MODEL_H

#include "field.h"

#include <jansson.h>

/* Memory of records that are filled for writing or by reading. A zeroed one is empty. When memory
 * runs out, the program ends with a message. */
struct memory {
    struct memory_block *blocks;
};

void *memory_take(struct memory *memory, size_t size); /* zeroed */
char *memory_text(struct memory *memory, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *memory_copy(struct memory *memory, const char *text);
/* A JSON value of any kind on one line; "" for null. */
const char *memory_json(struct memory *memory, const json_t *value);
void memory_free(struct memory *memory);

/* Room for `count` items, zeroed. */
struct list list_take(struct memory *memory, size_t count, size_t item_size);
/* A new zeroed item at the end of a list. Pointers to earlier items become invalid. */
void *list_add(struct memory *memory, struct list *list, size_t item_size);
/* The same as a value that can be assigned to. */
#define LIST_ADD(memory, list, type) (*(type *)list_add(memory, list, sizeof(type)))

/* ---- Writing ---- */

/* The record as a new JSON object. */
json_t *model_json(const struct table *table, const void *record);
/* A list of records as a new JSON array. */
json_t *model_json_list(const struct table *table, const struct list *list);

/* ---- Reading ---- */

/* Fills a record. Texts in it belong to `value`, lists to `memory`. If `why` is null, members that
 * are missing or wrong become zero. Otherwise the first such member makes the result false, and
 * `why` gets a sentence part that names it and says what would be right. Members that the table
 * lacks are ignored. */
bool model_read(const struct table *table, const json_t *value, void *record, struct memory *memory,
                char *why, size_t size);
/* The same for an array of records. */
bool model_read_list(const struct table *table, const json_t *value, struct list *list,
                     struct memory *memory, char *why, size_t size);

/* Takes away what differs from one run of the same work to the next. */
void model_drop_varying(const struct table *table, json_t *object);

/* Whether an object has all marked members of the table. */
bool model_is_marked(const struct table *table, const json_t *value);

/* The value of a member in an object; null if there is none. */
json_t *model_member(const struct field *field, const json_t *object);
/* The same, of the member that is kept at an offset of the record: "FIELD_OF(struct x, y)". */
#define MEMBER_OF(table, structure, member) table_field(&(table), offsetof(structure, member))
const struct field *table_field(const struct table *table, size_t offset);

/* ---- The schema ---- */

/* A JSON schema of documents of that table, with a title and a description. */
json_t *model_schema(const struct table *table, const char *title, const char *description);

#endif

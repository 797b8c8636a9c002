/* SPDX-License-Identifier: MIT
 *
 * Records as JSON, by their field tables.
 */
#ifndef SIMTCHECK_MODEL_JSON_MODEL_H
#define SIMTCHECK_MODEL_JSON_MODEL_H

#include "field.h"

#include <jansson.h>

/* The memory of records that are filled for writing or by reading. A zeroed one is empty. The
 * program ends with a message when memory runs out. */
struct memory {
    void **blocks;
};

void *memory_take(struct memory *memory, size_t size); /* zeroed */
char *memory_text(struct memory *memory, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *memory_copy(struct memory *memory, const char *text);
/* Returns a copy. Bytes that JSON and XML must not contain become "\\x1b" and so on. */
char *text_for_files(struct memory *memory, const char *text);
/* Returns a JSON value of any kind on one line, or "" for null. */
const char *memory_json(struct memory *memory, const json_t *value);
void memory_free(struct memory *memory);

/* Returns a zeroed list of `count` items. */
struct list list_take(struct memory *memory, size_t count, size_t item_size);
/* Adds a zeroed item to a list and returns it. Pointers to earlier items become invalid. */
void *list_add(struct memory *memory, struct list *list, size_t item_size);
/* The same as an lvalue. */
#define LIST_ADD(memory, list, type) (*(type *)list_add(memory, list, sizeof(type)))

/* ---- Writing ---- */

/* Returns the record as a new JSON object. */
json_t *model_json(const struct table *table, const void *record);
/* Returns a list of records as a new JSON array. */
json_t *model_json_list(const struct table *table, const struct list *list);

/* ---- Reading ---- */

/* Fills a record. Texts in it belong to `value`, lists to `memory`. Members that the table lacks
 * are ignored.
 *
 * If `why` is null, missing or wrong members become zero. Otherwise the function returns false at
 * the first such member. `why` then gets a clause that names the member and says what would be
 * right. */
bool model_read(const struct table *table, const json_t *value, void *record, struct memory *memory,
                char *why, size_t size);
/* The same for an array of records. */
bool model_read_list(const struct table *table, const json_t *value, struct list *list,
                     struct memory *memory, char *why, size_t size);

/* Removes the members that differ between runs of the same work. */
void model_drop_varying(const struct table *table, json_t *object);

/* Returns whether an object has all marked members of the table. */
bool model_is_marked(const struct table *table, const json_t *value);

/* Returns the value of a member in an object, or null. */
json_t *model_member(const struct field *field, const json_t *object);
/* MEMBER_OF gives the field of a member of the structure, for model_member(). */
#define MEMBER_OF(table, structure, member) table_field(&(table), offsetof(structure, member))
const struct field *table_field(const struct table *table, size_t offset);
/* Returns the member that another table describes, or null. */
const struct field *table_inner(const struct table *table, const struct table *inner);

/* ---- The schema ---- */

/* Returns a JSON schema of documents of that table, with a title and a description. */
json_t *model_schema(const struct table *table, const char *title, const char *description);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Field tables. A table describes the members of one structure that leaves the process. Several
 * modules walk the tables, so a new member needs only one new row:
 *
 * - the wire format (field.c)
 * - the JSON writer and reader (json_model.c, json_read.c)
 * - the JSON schema (schema.c)
 * - the comparison of snapshots
 */
#ifndef SIMTCHECK_MODEL_FIELD_H
#define SIMTCHECK_MODEL_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The words for the values 0, 1 and so on of an enumeration. They may be members of an array of
 * larger structures. */
struct words {
    const char *const *first;
    size_t stride; /* bytes from one word to the next */
    unsigned int count;
};

#define WORDS_OF(array)                                                                            \
    {                                                                                              \
        (array), sizeof(array)[0], sizeof(array) / sizeof(array)[0]                                \
    }

const char *words_name(const struct words *words, unsigned int value);
/* Writes all words, such as "'a', 'b' or 'c'" with a quote of "'". Returns the text. */
const char *words_list(const struct words *words, const char *quote, char *text, size_t size);
/* Returns the value of a word, or words->count if the word is unknown. */
unsigned int words_value(const struct words *words, const char *word);

enum field_type {
    FIELD_BOOL,     /* bool */
    FIELD_COUNT,    /* an unsigned integer, or a nonnegative int, of 4 or 8 bytes */
    FIELD_NUMBER,   /* double */
    FIELD_TEXT,     /* char[] */
    FIELD_STRING,   /* const char *, not owned */
    FIELD_WORD,     /* an enumeration */
    FIELD_BIT,      /* bool in JSON: one bit of an unsigned int */
    FIELD_BITS,     /* a word in JSON for some bits of an unsigned int: see `bits` */
    FIELD_SET,      /* an array of words in JSON: bit k of an unsigned int stands for word k */
    FIELD_COUNTS32, /* an array of uint32_t of fixed length, or a struct extent */
    FIELD_COUNTS64, /* an array of uint64_t of fixed length */
    FIELD_NUMBERS,  /* an array of double of fixed length */
    FIELD_OBJECT,   /* a structure with its own table */
    FIELD_MEMBERS,  /* a structure whose members are members of the enclosing JSON object */
    FIELD_POINTER,  /* a pointer to a structure with its own table */
    FIELD_LIST,     /* struct list of records of `table`, or of values that `item` describes */
    FIELD_MAP,      /* struct list of named values, or of larger items: an object in JSON */
    FIELD_ANY,      /* json_t *, not owned: any value */
};

enum {
    FIELD_NULLABLE = 1,  /* null in JSON for a null pointer, an unknown value, or no word */
    FIELD_OPTIONAL = 2,  /* omitted from the JSON if it is zero, empty or null */
    FIELD_KNOWN = 4,     /* the bool at `known` says whether there is a value */
    FIELD_ONLY_WIRE = 8, /* not in JSON */
    FIELD_ONLY_JSON = 16,
    FIELD_POSITIVE = 32,     /* numbers above 0 */
    FIELD_PER_CENT = 64,     /* shown with a per cent sign */
    FIELD_MARK = 128,        /* a file with all marked members belongs to this table */
    FIELD_STEADY_ONLY = 256, /* compared only if the results of runs are reproducible */
    FIELD_FROM_PLACE = 512,  /* not in the file: derived from the location of the record */
    FIELD_VARYING = 1024,    /* differs between runs of the same work */
    FIELD_OF_WING = 2048,    /* may be missing: the program that wrote the file may lack the wing */
};

/* What a difference between two snapshots means. Objects are compared member by member. */
enum field_compare {
    COMPARE_NOTHING,
    COMPARE_KEY,           /* part of the key of a row */
    COMPARE_CHANGED,       /* neither better nor worse */
    COMPARE_MORE_IS_WORSE, /* and less is better; for a list, its length */
    COMPARE_LESS_IS_WORSE, /* and more is a change */
    COMPARE_LACK,          /* a text: why a part is missing; empty if it is present */
    COMPARE_CLAIM,         /* a bool that should be true */
};

struct table;

struct field {
    const char *name; /* in JSON; null if it has none */
    enum field_type type;
    size_t offset, size;
    const struct words *words;
    const struct table *table;
    const struct field *item; /* describes the entries of a list or map */
    size_t item_size;         /* bytes of an entry of a map; 0: struct named_value */
    /* The bits of each word of FIELD_BITS. The first word whose bits are all set counts. The last
     * word has none. */
    const unsigned int *bits;
    unsigned int bit;
    unsigned int least; /* the minimum count, or length of a list */
    unsigned int flags;
    size_t known;
    bool (*has)(const void *record); /* whether the record has the member in JSON; null: always */
    const char *pattern;             /* POSIX extended regular expression that a text matches */
    enum field_compare compare;
    const char *shown; /* the name in the output of compare */
};

struct table {
    const char *name;
    const struct field *fields;
    size_t count, size;
    /* Checks that the members of a record agree with each other. On failure, writes the reason and
     * returns false. */
    bool (*check)(const void *record, char *why, size_t size);
};

struct list {
    void *items;
    size_t count;
};

/* An entry of a map. */
struct named_value {
    const char *name;
    union {
        const char *text;
        double number;
        struct list list;
    };
    const char *reason; /* why there is no text; null */
};

/* Initializers of a field and of a table. */
#define FIELD(json_name, kind, structure, member, ...)                                             \
    {                                                                                              \
        .name = (json_name), .type = FIELD_##kind, .offset = offsetof(structure, member),          \
        .size = sizeof(((structure *)0)->member), __VA_ARGS__                                      \
    }
/* A member that has the same name in JSON. */
#define MEMBER(kind, structure, member, ...) FIELD(#member, kind, structure, member, __VA_ARGS__)
/* An object in JSON whose members are members of this structure: its table describes them. */
#define GROUP(json_name, ...)                                                                      \
    {                                                                                              \
        .name = (json_name), .type = FIELD_OBJECT, __VA_ARGS__                                     \
    }
/* Optional settings of a row: the words of an enumeration, the table of a structure, whether a
 * value may be missing, and how compare treats and names a difference. */
#define WORDS(name) .words = &name##_words
#define OF(name) .table = &name##_table
#define NULLABLE .flags = FIELD_NULLABLE
#define OPTIONAL .flags = FIELD_OPTIONAL
#define MARK .flags = FIELD_MARK
#define KNOWN_BY(structure, member) .flags = FIELD_KNOWN, .known = offsetof(structure, member)
#define NULL_UNLESS(structure, member)                                                             \
    .flags = FIELD_NULLABLE | FIELD_KNOWN, .known = offsetof(structure, member)
#define KEY .compare = COMPARE_KEY
#define CHANGED .compare = COMPARE_CHANGED
#define SHOWN(difference, text) .compare = COMPARE_##difference, .shown = text
#define TABLE(title, rows, structure, ...)                                                         \
    {                                                                                              \
        .name = (title), .fields = (rows), .count = sizeof(rows) / sizeof(rows)[0],                \
        .size = sizeof(structure), __VA_ARGS__                                                     \
    }

/* Items of lists of strings, of positive numbers, and of counts. */
extern const struct field string_item, number_item, count_item;

/* Returns the size of one item of a list, in bytes. */
size_t field_item_size(const struct field *field);

/* Return the number of elements of an array of fixed length, and element k as a field of the same
 * record. */
size_t field_elements(const struct field *field);
struct field field_element(const struct field *field, size_t k);

/* Returns the number in a FIELD_COUNT, FIELD_WORD or FIELD_BOOL. */
uint64_t field_number(const struct field *field, const void *record);
/* Sets that number. Returns false if it does not fit. */
bool field_set_number(const struct field *field, void *record, uint64_t number);

/* Writes the members as fields of a line, each after a tab. */
void field_wire_write(FILE *stream, const struct table *table, const void *record);
/* Reads the members from *fields and advances it. Returns false if the text is malformed. */
bool field_wire_read(char **fields, const struct table *table, void *record);

/* Returns the number of bytes of the character in UTF-8 at the text, or 0 if XML or JSON may not
 * contain it. */
size_t utf8_length(const char *text);

#endif

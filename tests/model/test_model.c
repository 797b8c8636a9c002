/* SPDX-License-Identifier: MIT
 *
 * Field tables: each type on the wire, in JSON, in the reader and in the schema. With --schema the
 * program prints the schema of snapshots, and with --schema NAME another one. They must equal those
 * in docs/.
 */
#include "check.h"

#include "json_model.h"
#include "kinds.h"
#include "record_package.h"
#include "wing.h"

/* ---- A record with a member of each type ---- */

enum colour { RED, GREEN };

struct point {
    const char *name;
    double x;
};

struct sample {
    bool flag, known;
    uint64_t count;
    uint32_t small, maybe;
    double number;
    char text[8];
    const char *string, *nothing;
    enum colour colour;
    unsigned int bits;
    struct extent extent;
    uint64_t pair[2];
    double numbers[2];
    struct point inner, *pointer;
    struct list list, words, map;
};

static const char *const colour_names[] = {[RED] = "red", [GREEN] = "green"};
static const struct words colours = WORDS_OF(colour_names);
static const char *const kind_names[] = {"large", "small"};
static const unsigned int kind_bits[] = {4, 0};
static const struct words kinds = WORDS_OF(kind_names);

static const struct field point_fields[] = {
    FIELD("name", STRING, struct point, name),
    FIELD("x", NUMBER, struct point, x, .flags = FIELD_POSITIVE),
};
static const struct table point_table = TABLE("point", point_fields, struct point);
static const struct field map_item = FIELD(NULL, NUMBER, struct point, x);

static const struct field sample_fields[] = {
    FIELD("flag", BOOL, struct sample, flag),
    FIELD("count", COUNT, struct sample, count, .least = 1),
    FIELD("small", COUNT, struct sample, small),
    FIELD("number", NUMBER, struct sample, number, .flags = FIELD_ONLY_JSON),
    FIELD("text", TEXT, struct sample, text, .pattern = "^[a-z]*$"),
    FIELD("string", STRING, struct sample, string, .flags = FIELD_ONLY_JSON),
    FIELD("nothing", STRING, struct sample, nothing, .flags = FIELD_ONLY_JSON | FIELD_NULLABLE),
    FIELD("maybe", COUNT, struct sample, maybe, .flags = FIELD_ONLY_JSON | FIELD_KNOWN,
          .known = offsetof(struct sample, known)),
    FIELD("colour", WORD, struct sample, colour, .words = &colours),
    FIELD("bits", COUNT, struct sample, bits, .flags = FIELD_ONLY_WIRE),
    FIELD("loud", BIT, struct sample, bits, .flags = FIELD_ONLY_JSON, .bit = 1),
    FIELD("kind", BITS, struct sample, bits, .flags = FIELD_ONLY_JSON, .words = &kinds,
          .bits = kind_bits),
    FIELD("extent", COUNTS32, struct sample, extent),
    FIELD("pair", COUNTS64, struct sample, pair),
    FIELD("numbers", NUMBERS, struct sample, numbers, .flags = FIELD_ONLY_JSON),
    FIELD("inner", OBJECT, struct sample, inner, .table = &point_table, .flags = FIELD_ONLY_JSON),
    FIELD("pointer", POINTER, struct sample, pointer, .table = &point_table,
          .flags = FIELD_ONLY_JSON | FIELD_OPTIONAL),
    FIELD("list", LIST, struct sample, list, .table = &point_table, .flags = FIELD_ONLY_JSON,
          .least = 1),
    FIELD("words", LIST, struct sample, words, .item = &string_item, .flags = FIELD_ONLY_JSON),
    FIELD("map", MAP, struct sample, map, .words = &colours, .item = &map_item,
          .item_size = sizeof(struct point), .flags = FIELD_ONLY_JSON),
};

static bool sample_agrees(const void *record, char *why, size_t size)
{
    const struct sample *sample = record;

    snprintf(why, size, "has a count that small exceeds");
    return sample->small <= sample->count;
}

static const struct table sample_table =
    TABLE("sample", sample_fields, struct sample, .check = sample_agrees);

static const char *texts[] = {"a", "b"};
static struct point points[] = {{"p", 1}, {"q", 2.5}}, entries[] = {{"green", 3}};

static struct sample example(void)
{
    return (struct sample){.flag = true,
                           .known = true,
                           .count = UINT64_C(1) << 40,
                           .small = 7,
                           .maybe = 9,
                           .number = 0.5,
                           .text = "word",
                           .string = "any",
                           .colour = GREEN,
                           .bits = 5,
                           .extent = {1, 2, 3},
                           .pair = {4, 5},
                           .numbers = {1, 2},
                           .inner = {"i", 6},
                           .pointer = &points[1],
                           .list = {points, 2},
                           .words = {texts, 2},
                           .map = {entries, 1}};
}

/* ---- The wire ---- */

TEST(wire_format_round_trips_a_record)
{
    struct sample sent = example(), got = {.flag = false};
    char *line = NULL, *rest;
    size_t size;
    FILE *to = open_memstream(&line, &size);

    strcpy(sent.text, "\xc3\xb6\t\n\xf6");
    field_wire_write(to, &sample_table, &sent);
    fclose(to);
    rest = line + 1;
    assert_true(field_wire_read(&rest, &sample_table, &got));
    assert_null(rest);
    assert_true(got.flag && got.count == sent.count && got.small == 7 && got.colour == GREEN);
    assert_true(got.bits == 5 && got.extent.z == 3 && got.pair[1] == 5);
    assert_string_equal(got.text, "\xc3\xb6\t ?");
    free(line);
}

TEST(malformed_wire_line_is_rejected)
{
    static const char *const lines[] = {
        "",                                         /* empty */
        "1\t2\t3\tw\t1\t5\t1\t2\t3\t4",             /* too short */
        "2\t2\t3\tw\t1\t5\t1\t2\t3\t4\t5",          /* not a bool */
        "1\tx\t3\tw\t1\t5\t1\t2\t3\t4\t5",          /* not a number */
        "1\t2\t4294967296\tw\t1\t5\t1\t2\t3\t4\t5", /* too large */
        "1\t2\t3\tw\t2\t5\t1\t2\t3\t4\t5",          /* not a colour */
    };
    struct sample got;
    char line[128], *rest = line;

    snprintf(line, sizeof line, "1\t2\t3\tw\t1\t5\t1\t2\t3\t4\t5");
    assert_true(field_wire_read(&rest, &sample_table, &got));
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        rest = line;
        snprintf(line, sizeof line, "%s", lines[k]);
        assert_false(field_wire_read(&rest, &sample_table, &got));
    }
}

/* ---- JSON ---- */

TEST(json_round_trips_a_record)
{
    struct sample sent = example(), got;
    json_t *json = model_json(&sample_table, &sent), *again;
    struct memory memory = {NULL};
    char why[256] = "";

    assert_true(model_read(&sample_table, json, &got, &memory, why, sizeof why));
    again = model_json(&sample_table, &got);
    assert_true(json_equal(json, again));
    assert_int_equal(got.bits, 5);
    assert_string_equal(((struct point *)got.map.items)->name, "green");
    json_decref(json);
    json_decref(again);
    memory_free(&memory);
}

TEST(empty_members_are_null_or_omitted)
{
    struct sample sent = example();
    json_t *json;

    sent.known = false;
    sent.pointer = NULL;
    json = model_json(&sample_table, &sent);
    assert_null(json_object_get(json, "maybe"));
    assert_null(json_object_get(json, "pointer"));
    assert_true(json_is_null(json_object_get(json, "nothing")));
    assert_null(json_object_get(json, "bits"));
    json_decref(json);
}

/* The reader's message for a member with that value. An empty value removes the member. */
static const struct wrong {
    const char *member, *value, *why;
} wrongs[] = {
    {"flag", "1", "flag must be true or false"},
    {"flag", "", "flag is missing"},
    {"count", "0", "count must be a whole number of at least 1"},
    {"count", "-1", "count must be a whole number of at least 1"},
    {"count", "1.5", "count must be a whole number"},
    {"count", "6", "has a count that small exceeds"},
    {"small", "4294967296", "small is too large"},
    {"number", "\"1\"", "number must be a number of at least 0"},
    {"text", "\"UPPER\"", "text must match ^[a-z]*$"},
    {"text", "\"muchtoolong\"", "text must be shorter than 8 bytes"},
    {"text", "3", "text must be a string"},
    {"string", "null", "string must be a string"},
    {"nothing", "", "nothing is missing"},
    {"colour", "\"blue\"", "colour must be 'red' or 'green', not 'blue'"},
    {"colour", "1", "colour must be 'red' or 'green'"},
    {"kind", "\"huge\"", "kind must be 'large' or 'small', not 'huge'"},
    {"loud", "null", "loud must be true or false"},
    {"extent", "[1, 2]", "extent must be an array of 3 numbers"},
    {"extent", "[1, 2, -3]", "extent[2] must be a whole number"},
    {"numbers", "[1, \"2\"]", "numbers[1] must be a number"},
    {"inner", "{\"name\": \"i\"}", "inner.x is missing"},
    {"inner", "{\"name\": \"i\", \"x\": 0}", "inner.x must be a number above 0"},
    {"inner", "[]", "inner must be an object"},
    {"pointer", "null", "pointer must be an object"},
    {"list", "[]", "list must have at least 1 items"},
    {"list", "{}", "list must be an array"},
    {"list", "[{\"name\": \"p\", \"x\": 1}, 7]", "list[1] must be an object"},
    {"words", "[\"a\", 1]", "words[1] must be a string"},
    {"map", "[]", "map must be an object"},
    {"map", "{\"blue\": 1}", "map.blue is not a known name: the names are 'red' or 'green'"},
    {"map", "{\"red\": \"1\"}", "map.red must be a number"},
};

TEST(reader_names_the_invalid_member)
{
    struct sample sent = example(), got;

    for (size_t k = 0; k < sizeof wrongs / sizeof *wrongs; k++) {
        json_t *json = model_json(&sample_table, &sent);
        struct memory memory = {NULL};
        char why[256] = "";
        if (wrongs[k].value[0] == '\0')
            json_object_del(json, wrongs[k].member);
        else
            json_object_set_new(json, wrongs[k].member,
                                json_loads(wrongs[k].value, JSON_DECODE_ANY, NULL));
        assert_false(model_read(&sample_table, json, &got, &memory, why, sizeof why));
        if (strncmp(why, wrongs[k].why, strlen(wrongs[k].why)) != 0)
            fail_msg("%s: %s: %s", wrongs[k].member, wrongs[k].value, why);
        /* Without a buffer for errors, the wrong member becomes zero, and the rest is read. */
        assert_true(model_read(&sample_table, json, &got, &memory, NULL, 0));
        assert_int_equal(got.pair[1], 5);
        json_decref(json);
        memory_free(&memory);
    }
}

/* With items of a MiB, an item outside of the memory of its list hits other memory. */
TEST(taken_list_can_grow)
{
    enum { ITEM = 1 << 20 };
    struct memory memory = {NULL};
    struct list other = list_take(&memory, 3, ITEM), list = list_take(&memory, 3, ITEM);
    const char *bytes = other.items;

    for (size_t k = 3; k < 6; k++)
        memset(list_add(&memory, &list, ITEM), 0xff, ITEM);
    assert_int_equal(list.count, 6);
    for (size_t k = 0; k < 3 * ITEM; k++)
        assert_int_equal(bytes[k], 0);
    memory_free(&memory);
}

TEST(unknown_member_is_ignored)
{
    struct sample sent = example(), got;
    json_t *json = model_json(&sample_table, &sent);
    struct memory memory = {NULL};
    char why[256] = "";

    json_object_set_new(json, "other", json_true());
    assert_true(model_read(&sample_table, json, &got, &memory, why, sizeof why));
    json_decref(json);
    memory_free(&memory);
}

/* ---- The schema ---- */

static const struct schema {
    const char *name, *path;
    const struct table *table; /* null: of the kind with that name, which a wing has */
    const char *title, *description;
} schemas[] = {
    {"snapshot", SCHEMAS "/snapshot.schema.json", &snapshot_table,
     "A snapshot, as `simtcheck snapshot --out FILE` writes it",
     "SPDX-License-Identifier: MIT. docs/results.md says what the members mean. Made by "
     "`test_model --schema`."},
    {"check", SCHEMAS "/check.schema.json", &check_results_table,
     "The results of `simtcheck check`, `gate` and `mutate` with --json FILE",
     "SPDX-License-Identifier: MIT. docs/check.md says what the members mean. Made by "
     "`test_model --schema check`."},
    {"soak", SCHEMAS "/soak.schema.json", NULL, "The results of `simtcheck soak` with --json FILE",
     "SPDX-License-Identifier: MIT. docs/soak.md says what the members mean. Made by "
     "`test_model --schema soak`."},
    {"package", SCHEMAS "/package.schema.json", &package_table,
     "manifest.json of a package, as `simtcheck package` writes it",
     "SPDX-License-Identifier: MIT. docs/package.md says what the members mean. Made by "
     "`test_model --schema package`."},
    {"litmus", SCHEMAS "/litmus.schema.json", NULL,
     "The results of `simtcheck litmus` with --json FILE",
     "SPDX-License-Identifier: MIT. docs/litmus.md says what the members mean. Made by "
     "`test_model --schema litmus`."},
};

enum { SCHEMA_COUNT = sizeof schemas / sizeof *schemas };

/* Returns null if the program has no such wing. */
static json_t *schema_of(const struct schema *schema)
{
    const struct table *table = schema->table;
    const struct results_kind *kind;

    for (size_t k = 0; table == NULL && (kind = results_kind(k)) != NULL; k++)
        if (strcmp(kind->name, schema->name) == 0)
            table = kind->table;
    return table != NULL ? model_schema(table, schema->title, schema->description) : NULL;
}

/* Removes what the other schema lacks, since the program that made that one may lack wings. */
static void keep_common(json_t *schema, const json_t *other)
{
    const char *const lists[] = {"properties", "$defs"};
    json_t *required = json_object_get(schema, "required");

    for (size_t k = 0; k < 2; k++) {
        json_t *of = json_object_get(schema, lists[k]), *value;
        const char *name;
        void *next;
        json_object_foreach_safe(of, next, name, value)
        {
            if (json_object_get(json_object_get(other, lists[k]), name) == NULL)
                json_object_del(of, name);
        }
    }
    for (size_t k = json_array_size(required); k-- > 0;)
        if (json_object_get(json_object_get(schema, "properties"),
                            json_string_value(json_array_get(required, k))) == NULL)
            json_array_remove(required, k);
}

TEST(committed_schemas_match_the_tables)
{
    for (size_t k = 0; k < SCHEMA_COUNT; k++) {
        json_t *committed = json_read(schemas[k].path), *made = schema_of(&schemas[k]);

        if (*wings == NULL)
            keep_common(committed, made);
        if (made != NULL && !json_equal(committed, made))
            fail_msg("%s differs from what `test_model --schema %s` prints", schemas[k].path,
                     schemas[k].name);
        json_decref(committed);
        json_decref(made);
    }
}

/* Prints an object with one line per member, down to `levels` levels. Properties count as one
 * level. */
static void print_json(const json_t *value, int levels, int indent)
{
    const char *name, *before = "{";
    json_t *member;
    char *text;

    if (levels == 0 || !json_is_object(value)) {
        text = json_dumps(value, JSON_ENCODE_ANY);
        fputs(text, stdout);
        free(text);
        return;
    }
    json_object_foreach((json_t *)(uintptr_t)value, name, member)
    {
        printf("%s\n%*s\"%s\": ", before, indent + 2, "", name);
        print_json(member, strcmp(name, "properties") == 0 ? 1 : levels - 1, indent + 2);
        before = ",";
    }
    printf("\n%*s}", indent, "");
}

int main(int argc, char **argv)
{
    const char *name = argc == 3 ? argv[2] : "snapshot";

    for (size_t k = 0; k < SCHEMA_COUNT && argc > 1 && strcmp(argv[1], "--schema") == 0; k++) {
        json_t *schema;
        if (strcmp(name, schemas[k].name) != 0)
            continue;
        schema = schema_of(&schemas[k]);
        if (schema == NULL)
            return 1;
        print_json(schema, 3, 0);
        json_decref(schema);
        return putchar('\n') == EOF;
    }
    return tests_run("model", NULL, NULL);
}

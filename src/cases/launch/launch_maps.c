/* SPDX-License-Identifier: MIT */
#include "launch_maps.h"

#include "error_report.h"
#include "launch_arrays.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAP_ALIGNMENT = 16, MAX_BOX = 256, MAX_STEP = 8, MAX_CHANNELS = 256, MAX_PIXELS = 1024 };

/* ---- Reading ---- */

static const struct list_option {
    const char *name;
    uint32_t most; /* numbers */
} lists[MAP_LISTS] = {
    [MAP_DIMS] = {"dims", TENSOR_RANK},       [MAP_STRIDES] = {"strides", TENSOR_RANK - 1},
    [MAP_BOX] = {"box", TENSOR_RANK},         [MAP_STEPS] = {"steps", TENSOR_RANK},
    [MAP_LOWER] = {"lower", TENSOR_RANK - 2}, [MAP_UPPER] = {"upper", TENSOR_RANK - 2},
    [MAP_CHANNELS] = {"channels", 1},         [MAP_PIXELS] = {"pixels", 1},
};

static const char *const words[MAP_WORDS][TENSOR_TYPES + 1] = {
    [MAP_SWIZZLE] = {"none", "32B", "64B", "128B"},
    [MAP_L2] = {"none", "64B", "128B", "256B"},
    [MAP_FILL] = {"zeros", "nan"},
    [MAP_TYPE] = {"uint8", "uint16", "uint32", "int32", "uint64", "int64", "float16", "float32",
                  "float64", "bfloat16", "float32_ftz", "tfloat32", "tfloat32_ftz"},
};
static const char *const word_names[MAP_WORDS] = {
    [MAP_SWIZZLE] = "swizzle",
    [MAP_L2] = "l2",
    [MAP_FILL] = "fill",
    [MAP_TYPE] = "type",
};

static bool read_number(struct reader *reader, struct launch_text *launch,
                        struct launch_numbers *list)
{
    struct expression number;

    reader_skip_blanks(reader);
    return expression_read(reader, &launch->names, &number) &&
           launch_add_number(reader, launch, list, &number);
}

static bool read_list(struct reader *reader, struct launch_text *launch,
                      const struct list_option *option, struct launch_numbers *list)
{
    *list = (struct launch_numbers){.count = 0};
    if (!reader_expect(reader, "="))
        return false;
    if (option->most == 1)
        return read_number(reader, launch, list);
    if (!reader_expect(reader, "["))
        return false;
    do {
        if (list->count == option->most)
            return reader_fail(reader, "%s has at most %u numbers", option->name, option->most);
        if (!read_number(reader, launch, list))
            return false;
    } while (reader_take(reader, ","));
    return reader_expect(reader, "]");
}

/* Takes the word if it is next, and not the beginning of a longer one. */
static bool take_value(struct reader *reader, const char *word)
{
    size_t length = strlen(word);

    reader_skip_blanks(reader);
    if (strncmp(reader->at, word, length) != 0 || strcspn(reader->at, " \t\n,)") != length)
        return false;
    reader->at += length;
    return true;
}

static bool read_word(struct reader *reader, enum map_word option, struct launch_map *map)
{
    char expected[200] = "";
    size_t used = 0;

    if (!reader_expect(reader, "="))
        return false;
    for (uint32_t w = 0; words[option][w] != NULL; w++) {
        if (take_value(reader, words[option][w])) {
            map->words[option] = (int8_t)w;
            return true;
        }
        used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%s", w > 0 ? ", " : "",
                                 words[option][w]);
    }
    return reader_fail(reader, "expected a value of %s here: %s", word_names[option], expected);
}

static bool read_option(struct reader *reader, struct launch_text *launch, struct launch_map *map)
{
    for (uint32_t l = 0; l < MAP_LISTS; l++)
        if (reader_take_word(reader, lists[l].name))
            return read_list(reader, launch, &lists[l], &map->lists[l]);
    if (reader_take_word(reader, "interleave"))
        return reader_fail(reader, "tensor maps with an interleaved layout are not supported");
    for (uint32_t w = 0; w < MAP_WORDS; w++)
        if (reader_take_word(reader, word_names[w]))
            return read_word(reader, (enum map_word)w, map);
    return reader_fail(reader, "expected an option of the tensor map here: box=[...], dims, "
                               "strides, steps, swizzle, fill, l2, type, or lower, "
                               "upper, channels and pixels");
}

bool launch_maps_take(struct reader *reader)
{
    const char *start = reader->at;

    if (reader_take_word(reader, "map") && reader_take(reader, "("))
        return true;
    reader->at = start;
    return false;
}

/* Reads the options after the array, and the ')'. */
static bool read_options(struct reader *reader, struct launch_text *launch, struct launch_map *map)
{
    bool is_im2col;

    map->words[MAP_TYPE] = -1;
    while (reader_take(reader, ","))
        if (!read_option(reader, launch, map))
            return false;
    is_im2col = map->lists[MAP_CHANNELS].count > 0 && map->lists[MAP_PIXELS].count > 0;
    if (is_im2col == (map->lists[MAP_BOX].count > 0))
        return reader_fail(reader, "a tensor map needs box=[...], or channels=... and pixels=... "
                                   "for the mode im2col");
    return reader_take(reader, ")") ||
           reader_fail(reader, "expected ',' and an option of the tensor map, or ')', here");
}

bool launch_maps_read(struct launch_reader *text, uint32_t *number)
{
    struct launch_text *launch = text->launch;
    struct launch_map *map = &launch->maps[launch->map_count];
    bool is_array;

    if (launch->map_count == MAX_MAPS)
        return reader_fail(&text->reader, "there are more than %d tensor maps", MAX_MAPS);
    *map = (struct launch_map){.array = 0};
    if (!launch_arrays_read_any(text, &is_array, &map->array))
        return false;
    if (!is_array || launch->arrays[map->array].members > 0)
        return reader_fail(&text->reader, "expected an array of numbers here, as in map(in float "
                                          "x[ny][nx], box=[16, 8])");
    *number = launch->map_count++;
    return read_options(&text->reader, launch, map);
}

/* ---- Values ---- */

/* Where errors go. */
struct place {
    const struct launch_text *launch;
    const struct launch_map *map;
    const struct number *variables;
    const char *name; /* of the array */
    char *error;
    size_t error_size;
};

/* Evaluates number k of a list, which must be from `least` to `most`. */
static bool number_of(const struct place *place, const char *what, struct launch_numbers list,
                      uint32_t k, int64_t least, int64_t most, int64_t *number)
{
    if (!expression_value(&place->launch->numbers[list.first + k], place->variables, number))
        return error_write(place->error, place->error_size,
                           "%s of the tensor map of %s cannot be computed: %s", what, place->name,
                           expression_has_no_value);
    return (*number >= least && *number <= most) ||
           error_write(place->error, place->error_size,
                       "number %u of %s of the tensor map of %s is %" PRId64
                       ": it must be from %" PRId64 " to %" PRId64,
                       k + 1, what, place->name, *number, least, most);
}

/* Evaluates a list of `count` numbers. */
static bool list_of(const struct place *place, enum map_list list, uint32_t count, int64_t least,
                    int64_t most, int64_t *numbers)
{
    struct launch_numbers given = place->map->lists[list];

    if (given.count != count)
        return error_write(place->error, place->error_size,
                           "%s of the tensor map of %s has %u number%s: it needs %u",
                           lists[list].name, place->name, given.count, given.count == 1 ? "" : "s",
                           count);
    for (uint32_t k = 0; k < count; k++)
        if (!number_of(place, lists[list].name, given, k, least, most, &numbers[k]))
            return false;
    return true;
}

static enum tensor_type type_of(const struct launch_type *type)
{
    static const enum tensor_type integers[][2] = {
        [ELEMENT_I8] = {TENSOR_U8, TENSOR_U8},
        [ELEMENT_I16] = {TENSOR_U16, TENSOR_U16},
        [ELEMENT_I32] = {TENSOR_U32, TENSOR_S32},
        [ELEMENT_I64] = {TENSOR_U64, TENSOR_S64},
    };

    return type->element == ELEMENT_F16    ? TENSOR_F16
           : type->element == ELEMENT_BF16 ? TENSOR_BF16
           : type->element == ELEMENT_F32  ? TENSOR_F32
           : type->element == ELEMENT_F64  ? TENSOR_F64
                                           : integers[type->element][type->is_signed];
}

static bool place_type(const struct place *place, const struct launch_array *array,
                       struct tensor_map *placed)
{
    int8_t given = place->map->words[MAP_TYPE];

    placed->type = given >= 0 ? (enum tensor_type)given : type_of(&array->type);
    placed->swizzle = (uint32_t)place->map->words[MAP_SWIZZLE];
    placed->promotion = (uint32_t)place->map->words[MAP_L2];
    placed->is_nan_fill = place->map->words[MAP_FILL] > 0;
    if (tensor_type_bytes(placed->type) != element_size(array->type.element))
        return error_write(place->error, place->error_size,
                           "type=%s of the tensor map of %s has %u bytes, but the array's elements "
                           "have %zu",
                           words[MAP_TYPE][placed->type], place->name,
                           tensor_type_bytes(placed->type), element_size(array->type.element));
    if (placed->is_nan_fill && placed->type < TENSOR_F16)
        return error_write(place->error, place->error_size,
                           "fill=nan of the tensor map of %s needs elements that are floats",
                           place->name);
    return true;
}

/* Sets the sizes: dims, or those of the array's declaration, of which the last is innermost. */
static bool place_sizes(const struct place *place, const struct launch_array *array,
                        struct tensor_map *placed)
{
    const int64_t most = INT64_C(1) << 32;
    struct launch_numbers list = place->map->lists[MAP_DIMS];
    bool is_given = list.count > 0;
    int64_t number;

    if (!is_given)
        list = array->sizes;
    if (list.count == 0 || list.count > TENSOR_RANK)
        return error_write(place->error, place->error_size,
                           "the tensor map of %s has %u dimensions: it must have from 1 to %d; "
                           "give dims=[...]",
                           place->name, list.count, TENSOR_RANK);
    placed->rank = list.count;
    for (uint32_t k = 0; k < list.count; k++) {
        uint32_t d = is_given ? k : list.count - 1 - k;
        if (!number_of(place, is_given ? "dims" : "the sizes", list, k, 1, most, &number))
            return false;
        placed->sizes[d] = (uint64_t)number;
    }
    if (!is_given)
        placed->sizes[0] *= array->type.lanes;
    return true;
}

static bool place_strides(const struct place *place, uint64_t bytes, struct tensor_map *placed)
{
    uint64_t stride = placed->sizes[0] * tensor_type_bytes(placed->type), used = stride;
    bool is_given = place->map->lists[MAP_STRIDES].count > 0;
    int64_t given[TENSOR_RANK];

    if (is_given &&
        !list_of(place, MAP_STRIDES, placed->rank - 1, 0, (INT64_C(1) << 40) - 1, given))
        return false;
    for (uint32_t d = 1; d < placed->rank; d++) {
        placed->strides[d - 1] = is_given ? (uint64_t)given[d - 1] : stride;
        if (placed->strides[d - 1] % MAP_ALIGNMENT != 0)
            return error_write(place->error, place->error_size,
                               "stride %u of the tensor map of %s is %" PRIu64
                               " bytes: it must be a multiple of %d",
                               d, place->name, placed->strides[d - 1], MAP_ALIGNMENT);
        used += (placed->sizes[d] - 1) * placed->strides[d - 1];
        stride *= placed->sizes[d];
    }
    return used <= bytes || error_write(place->error, place->error_size,
                                        "the tensor map of %s describes %" PRIu64
                                        " bytes, but the array has only %" PRIu64,
                                        place->name, used, bytes);
}

static bool place_steps(const struct place *place, struct tensor_map *placed)
{
    int64_t numbers[TENSOR_RANK] = {1, 1, 1, 1, 1};

    if (place->map->lists[MAP_STEPS].count > 0 &&
        !list_of(place, MAP_STEPS, placed->rank, 1, MAX_STEP, numbers))
        return false;
    for (uint32_t d = 0; d < placed->rank; d++)
        placed->steps[d] = (uint32_t)numbers[d];
    return true;
}

/* Sets the corners of the bounding box, and the size of a column of pixels. */
static bool place_pixels(const struct place *place, struct tensor_map *placed)
{
    static const int64_t most[] = {32767, 127, 15};
    int64_t lower[TENSOR_RANK] = {0}, upper[TENSOR_RANK] = {0}, channels, pixels, limit;

    placed->is_im2col = true;
    if (placed->rank < 3)
        return error_write(place->error, place->error_size,
                           "the tensor map of %s is for the mode im2col: it needs 3 to 5 "
                           "dimensions",
                           place->name);
    limit = most[placed->rank - 3];
    if ((place->map->lists[MAP_LOWER].count > 0 &&
         !list_of(place, MAP_LOWER, placed->rank - 2, -limit - 1, limit, lower)) ||
        (place->map->lists[MAP_UPPER].count > 0 &&
         !list_of(place, MAP_UPPER, placed->rank - 2, -limit - 1, limit, upper)) ||
        !list_of(place, MAP_CHANNELS, 1, 1, MAX_CHANNELS, &channels) ||
        !list_of(place, MAP_PIXELS, 1, 1, MAX_PIXELS, &pixels))
        return false;
    for (uint32_t d = 0; d + 2 < placed->rank; d++) {
        placed->lower[d] = (int32_t)lower[d];
        placed->upper[d] = (int32_t)upper[d];
        if ((int64_t)placed->sizes[d + 1] + upper[d] <= lower[d])
            return error_write(place->error, place->error_size,
                               "the bounding box of the tensor map of %s is empty in dimension %u",
                               place->name, d + 1);
    }
    placed->channels = (uint32_t)channels;
    placed->pixels = (uint32_t)pixels;
    return true;
}

static bool place_box(const struct place *place, struct tensor_map *placed)
{
    int64_t numbers[TENSOR_RANK];

    if (!list_of(place, MAP_BOX, placed->rank, 1, MAX_BOX, numbers))
        return false;
    for (uint32_t d = 0; d < placed->rank; d++)
        placed->box[d] = (uint32_t)numbers[d];
    return true;
}

/* Checks the rows of a box, and the layout. */
static bool check_rows(const struct place *place, const struct tensor_map *placed)
{
    uint32_t count = placed->is_im2col ? placed->channels : placed->box[0];
    uint32_t bytes = count * tensor_type_bytes(placed->type), span = 16u << placed->swizzle;

    if (bytes % MAP_ALIGNMENT != 0)
        return error_write(place->error, place->error_size,
                           "a row of the box of the tensor map of %s has %u bytes: it must be a "
                           "multiple of %d",
                           place->name, bytes, MAP_ALIGNMENT);
    return placed->swizzle == 0 || bytes <= span ||
           error_write(place->error, place->error_size,
                       "a row of the box of the tensor map of %s has %u bytes, but swizzle=%uB "
                       "allows at most %u: give the swizzle that the kernel expects, or a "
                       "narrower box",
                       place->name, bytes, span, span);
}

bool launch_map_place(const struct launch_text *launch, const struct launch_map *map,
                      const struct number variables[VARIABLES], uint64_t bytes,
                      struct tensor_map *placed, char *error, size_t error_size)
{
    const struct launch_array *array = &launch->arrays[map->array];
    const struct place place = {launch, map, variables, array->name, error, error_size};

    *placed = (struct tensor_map){.buffer = map->array};
    if (array->has_rows && bytes % MAP_ALIGNMENT != 0)
        return error_write(error, error_size,
                           "each struct has a tensor map of %" PRIu64 " bytes of %s: they must be "
                           "a multiple of %d",
                           bytes, array->name, MAP_ALIGNMENT);
    return place_type(&place, array, placed) && place_sizes(&place, array, placed) &&
           place_strides(&place, bytes, placed) && place_steps(&place, placed) &&
           (map->lists[MAP_BOX].count > 0 ? place_box(&place, placed)
                                          : place_pixels(&place, placed)) &&
           check_rows(&place, placed);
}

/* SPDX-License-Identifier: MIT */
#include "launch_textures.h"

#include "error_report.h"

#include <inttypes.h>

/* Takes "as float". Returns false with the reader's error if "as" precedes something else. */
static bool read_conversion(struct reader *reader, struct view *view)
{
    if (!reader_take_word(reader, "as"))
        return true;
    view->reads_floats = reader_take_word(reader, "float");
    return view->reads_floats || reader_fail(reader, "expected 'float' here: 'as float' reads "
                                                     "integers as floats from 0 or -1 to 1");
}

static bool take_address(struct reader *reader, struct view *view)
{
    static const char *const words[] = {[VIEW_CLAMP] = "clamp",
                                        [VIEW_WRAP] = "wrap",
                                        [VIEW_MIRROR] = "mirror",
                                        [VIEW_BORDER] = "border"};

    for (uint32_t k = 0; k < sizeof words / sizeof *words; k++)
        if (reader_take_word(reader, words[k])) {
            view->address = (enum view_address)k;
            return true;
        }
    return false;
}

static bool take_word(struct reader *reader, struct view *view)
{
    const struct {
        const char *word;
        bool *is, of_surfaces;
    } words[] = {{"layered", &view->is_layered, true},
                 {"cubemap", &view->is_cubemap, true},
                 {"linear", &view->is_linear, false},
                 {"normalized", &view->is_normalized, false},
                 {"srgb", &view->is_srgb, false}};

    for (uint32_t k = 0; k < sizeof words / sizeof *words; k++)
        if ((words[k].of_surfaces || !view->is_surface) &&
            reader_take_word(reader, words[k].word)) {
            *words[k].is = true;
            return true;
        }
    return !view->is_surface && (reader_take_word(reader, "point") || take_address(reader, view));
}

static bool check_type(struct reader *reader, const struct launch_type *type)
{
    size_t bytes = element_size(type->element);

    if (bytes <= 4 && type->element != ELEMENT_BF16 && type->lanes != 3 && !type->is_bool)
        return true;
    return reader_fail(reader, "a texel consists of 1, 2 or 4 integers of 8, 16 or 32 bits, or of "
                               "half or float: use another type, such as float4 or uchar4");
}

static bool check_shape(struct reader *reader, const struct launch_view *view)
{
    const struct view *made = &view->view;

    if (made->is_memory && (made->is_layered || made->is_cubemap || made->is_linear ||
                            made->is_normalized || made->address != VIEW_CLAMP))
        return reader_fail(reader, "a texture of an array that is reached by pointers has no words "
                                   "except 'as float': declare the array as a texture, such as "
                                   "texture float x[h][w] linear");
    if (made->is_cubemap && view->size_count != 3)
        return reader_fail(reader, "a cubemap has three sizes: x[6][n][n]");
    if (made->is_layered && !made->is_cubemap && view->size_count < 2)
        return reader_fail(reader, "'layered' needs two or three sizes, the layers first: "
                                   "x[layers][width] or x[layers][height][width]");
    return true;
}

static bool check_reading(struct reader *reader, const struct launch_type *type,
                          const struct view *view)
{
    size_t bytes = element_size(type->element);
    bool is_float = element_is_float(type->element);

    if (view->reads_floats && (is_float || bytes == 4))
        return reader_fail(reader, "'as float' is for integers of 8 or 16 bits");
    if (view->is_linear && !is_float && !view->reads_floats)
        return reader_fail(reader, "'linear' needs texels that are read as floats: float, half, or "
                                   "integers of 8 or 16 bits with 'as float'");
    if (view->is_srgb && (bytes != 1 || type->is_signed || !view->reads_floats))
        return reader_fail(reader, "'srgb' needs texels of 8-bit unsigned integers that are read "
                                   "'as float'");
    if ((view->address == VIEW_WRAP || view->address == VIEW_MIRROR) && !view->is_normalized)
        return reader_fail(reader, "'%s' needs 'normalized': with other coordinates, CUDA clamps",
                           view->address == VIEW_WRAP ? "wrap" : "mirror");
    return true;
}

bool launch_view_read(struct reader *reader, const struct launch_type *type,
                      struct launch_view *view)
{
    struct view *made = &view->view;

    made->element = type->element;
    made->is_signed = type->is_signed;
    made->lanes = type->lanes;
    while (take_word(reader, made))
        continue;
    if (!made->is_surface && !read_conversion(reader, made))
        return false;
    while (take_word(reader, made))
        continue;
    made->is_normalized |= made->is_cubemap;
    made->dimensions = made->is_cubemap ? 2 : view->size_count - made->is_layered;
    return check_type(reader, type) && check_shape(reader, view) &&
           check_reading(reader, type, made);
}

/* Checks the extents against the limits of compute capability 8.0 and later. */
static bool check_limits(const struct view *view, const char *name, char *error, size_t error_size)
{
    static const uint64_t limits[][3] = {{131072, 1, 1}, {131072, 65536, 1}, {16384, 16384, 16384}};
    static const uint64_t layered_limits[][3] = {{32768, 1, 1}, {32768, 32768, 1}, {0, 0, 0}};
    const uint64_t *most = view->is_layered || view->is_cubemap
                               ? layered_limits[view->dimensions - 1]
                               : limits[view->dimensions - 1];
    static const char *const words[] = {"width", "height", "depth"};
    uint64_t memory = UINT64_C(1) << 28;

    if (view->is_cubemap && (view->layers % 6 != 0 || (!view->is_layered && view->layers > 6)))
        return error_write(error, error_size, "cubemap %s has %" PRIu64 " faces: %s", name,
                           view->layers,
                           view->is_layered ? "it must be a multiple of 6" : "it must be 6");
    if (view->is_cubemap && view->extent[0] != view->extent[1])
        return error_write(error, error_size,
                           "cubemap %s has faces of %" PRIu64 " x %" PRIu64
                           " texels: they must be squares",
                           name, view->extent[1], view->extent[0]);
    if (view->layers > (view->is_cubemap ? 2046 : 2048))
        return error_write(error, error_size, "%s has %" PRIu64 " layers: at most %d are possible",
                           name, view->layers, view->is_cubemap ? 2046 : 2048);
    for (uint32_t d = 0; d < view->dimensions; d++)
        if (view->extent[d] > (view->is_memory ? memory : most[d]))
            return error_write(error, error_size,
                               "%s has a %s of %" PRIu64 ": at most %" PRIu64 " is possible", name,
                               words[d], view->extent[d], view->is_memory ? memory : most[d]);
    return true;
}

bool launch_view_place(const struct launch_view *view, const char *name,
                       const struct number variables[VARIABLES], struct view *placed, char *error,
                       size_t error_size)
{
    uint64_t sizes[MOST_EXTENTS];

    *placed = view->view;
    placed->buffer = view->array;
    for (uint32_t k = 0; k < view->size_count; k++) {
        int64_t size;
        if (!expression_value(&view->sizes[k], variables, &size) || size < 0)
            return error_write(error, error_size,
                               "a size of texture %s cannot be computed, or is less than 0", name);
        sizes[k] = (uint64_t)size;
    }
    placed->layers = view->size_count > placed->dimensions ? sizes[0] : 1;
    for (uint32_t d = 0; d < 3; d++)
        placed->extent[d] = d < placed->dimensions ? sizes[view->size_count - 1 - d] : 1;
    return check_limits(placed, name, error, error_size);
}

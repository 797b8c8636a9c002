/* SPDX-License-Identifier: MIT */
#include "textures.h"

#include "access.h"
#include "array.h"
#include "arrays.h"
#include "faults.h"
#include "filter.h"
#include "undefined.h"

#include "module.h"
#include "outcome.h"

#include <inttypes.h>
#include <stdlib.h>

enum { HANDLE_SHIFT = 8 };

static struct {
    struct view view;
    uint64_t address; /* 0: the view was removed */
} * views;
static uint32_t view_count, view_capacity;

void textures_start(void)
{
    free(views);
    views = NULL;
    view_count = view_capacity = 0;
}

uint64_t textures_add(const struct view *view, uint64_t address)
{
    void *grown = array_grown(views, &view_capacity, view_count + 1, sizeof *views);

    if (grown == NULL)
        return 0;
    views = grown;
    views[view_count].view = *view;
    views[view_count].address = address;
    return TEXTURE_WINDOW_BASE + ((uint64_t)++view_count << HANDLE_SHIFT);
}

void textures_remove(uint64_t handle)
{
    uint64_t number = (handle - TEXTURE_WINDOW_BASE) >> HANDLE_SHIFT;

    if (number >= 1 && number <= view_count)
        views[number - 1].address = 0;
}

uint64_t textures_bytes(const struct view *view)
{
    if (view->pitch > 0)
        return (view->extent[1] - 1) * view->pitch + view->extent[0] * filter_texel_bytes(view);
    return view->extent[0] * view->extent[1] * view->extent[2] * view->layers *
           filter_texel_bytes(view);
}

/* ---- Handles ---- */

static bool is_store(const struct op *op)
{
    return (op->access & (ACCESS_WRITE | ACCESS_ATOMIC)) != 0;
}

static _Noreturn void raise_access(const struct op *op, uint32_t lane, const char *what,
                                   const char *name)
{
    raise_fault(is_store(op) ? FAULT_OUT_OF_BOUNDS_WRITE : FAULT_OUT_OF_BOUNDS_READ, lane,
                SAYS_TEXTURE_OUTSIDE, .writes = is_store(op), .array = name,
                .object = op->texture->opcode, .reason = what);
}

static bool is_of_surfaces(const struct texture_code *code)
{
    return code->step >= SURFACE_LOAD || code->step == SURFACE_QUERY;
}

/* Returns the number of the view that a lane's handle means. */
static uint32_t view_of(const char *slots, const struct op *op, uint32_t lane)
{
    uint64_t handle = ((const uint64_t *)(const void *)(slots + op->a))[lane];
    uint64_t number = (handle - TEXTURE_WINDOW_BASE) >> HANDLE_SHIFT;
    char text[64];

    if (handle >= TEXTURE_WINDOW_BASE && number >= 1 && number <= view_count &&
        TEXTURE_WINDOW_BASE + (number << HANDLE_SHIFT) == handle &&
        views[number - 1].address != 0 &&
        views[number - 1].view.is_surface == is_of_surfaces(op->texture))
        return (uint32_t)number - 1;
    snprintf(text, sizeof text, "the handle 0x%" PRIx64, handle);
    raise_access(op, lane,
                 handle == 0                   ? ", a null handle"
                 : is_of_surfaces(op->texture) ? ", which is no surface object of this launch"
                                               : ", which is no texture object of this launch",
                 text);
}

static const char *shape_of(const struct view *view)
{
    static const char *const plain[] = {"1-dimensional", "2-dimensional", "3-dimensional"};
    static const char *const layered[] = {"layered and 1-dimensional", "layered and 2-dimensional"};

    return view->is_memory    ? "linear memory: only tex1Dfetch() reads it"
           : view->is_cubemap ? view->is_layered ? "a layered cubemap" : "a cubemap"
           : view->is_layered ? layered[view->dimensions - 1]
                              : plain[view->dimensions - 1];
}

/* Raises a fault if the instruction is for an object with another shape. nvcc accesses the faces of
 * a surface as layers. */
static void check_shape(const struct op *op, uint32_t lane, uint32_t number)
{
    const struct texture_code *code = op->texture;
    const struct view *view = &views[number].view;
    bool has_faces = view->is_cubemap && !view->is_surface;
    bool is_fetch =
        !view->is_surface && code->dimensions == 1 && !code->is_layered && !code->has_floats;
    char has[96];

    if (code->is_cubemap == has_faces &&
        code->is_layered == (view->is_layered || (view->is_cubemap && !has_faces)) &&
        code->dimensions == (has_faces ? 3 : view->dimensions) && is_fetch == view->is_memory)
        return;
    snprintf(has, sizeof has, ", which is %s%s", shape_of(view),
             is_fetch ? ": tex1Dfetch() reads only linear memory" : "");
    raise_access(op, lane, has, arrays_find(views[number].address)->name);
}

/* ---- Texels ---- */

/* What an instruction does for a lane. `undefined`: the origin of a texel that nothing has written;
 * 0: all are written. */
struct lane_access {
    struct warp *warp;
    const struct frame *frame;
    const struct op *op;
    uint32_t lane, undefined;
    struct region *region;
    uint64_t first; /* the offset of the first texel */
};

/* Makes the access to `bytes` bytes at an offset in the array, and returns their host address. */
static char *access_at(struct lane_access *at, uint64_t offset, uint32_t bytes)
{
    struct op access = *at->op;
    struct region *region;
    char *host;

    access.bytes = (uint8_t)bytes;
    access.count = 1;
    access.space = SPACE_GLOBAL;
    for (uint32_t k = 0;
         !is_store(&access) && at->undefined == 0 && at->region->missing != 0 && k < bytes; k++)
        if (!at->region->written[offset + k])
            at->undefined = undefined_origin(at->op->place, at->region, offset, at->lane);
    host = access_lane(at->warp, at->frame, &access, at->lane, at->region->low + offset, &region);
    return host;
}

static void read_coordinates(const char *slots, const struct op *op, uint32_t lane,
                             uint32_t coordinates[3], uint32_t *layer)
{
    const struct texture_code *code = op->texture;

    for (uint32_t k = 0; k < 3; k++)
        coordinates[k] =
            k < code->dimensions
                ? ((const uint32_t *)(const void *)(slots + code->coordinates[k]))[lane]
                : 0;
    *layer = code->is_layered ? ((const uint32_t *)(const void *)(slots + code->layer))[lane] : 0;
}

/* ---- Textures ---- */

static void write_result(char *slots, const struct op *op, uint32_t lane, const uint32_t value[4])
{
    for (uint32_t k = 0; k < op->count; k++) {
        uint64_t bits = value[k];
        if (op->texture->result == RESULT_F16)
            bits = filter_half(value[k]);
        else if (op->texture->result == RESULT_F16X2)
            bits = filter_half(value[2 * k]) | (uint32_t)filter_half(value[2 * k + 1]) << 16;
        memcpy(slots + op->parts[k] + lane * op->to_bytes, &bits, op->to_bytes);
    }
}

/* Returns the origin of a result that the arithmetic in use cannot express; 0: it can. */
static uint32_t inexpressible(const struct op *op, const struct view *view)
{
    if (machine.floats == NULL)
        return 0;
    if (op->exact != NULL)
        return undefined_inexact(op->place, op->exact->refusal);
    return view->reads_floats || view->element == ELEMENT_F16
               ? undefined_inexact(op->place, "a texture that converts to floats")
               : 0;
}

static uint64_t texel_offset(const struct view *view, uint64_t texel)
{
    uint32_t bytes = filter_texel_bytes(view);

    return view->pitch == 0
               ? texel * bytes
               : texel / view->extent[0] * view->pitch + texel % view->extent[0] * bytes;
}

static void sample_lane(struct lane_access *at, const struct view *view)
{
    char *slots = at->frame->slots;
    const struct texture_code *code = at->op->texture;
    unsigned char texels[MOST_TAPS][MOST_TEXEL_BYTES];
    uint32_t coordinates[3], layer, bytes = filter_texel_bytes(view), value[4];
    struct sample sample;

    at->undefined = inexpressible(at->op, view);
    if (at->undefined != 0)
        return;
    read_coordinates(slots, at->op, at->lane, coordinates, &layer);
    filter_place(view, coordinates, code->has_floats, code->step == TEXTURE_GATHER, layer, &sample);
    for (uint32_t k = 0; k < sample.count; k++)
        if (sample.texel[k] != OUTSIDE)
            memcpy(texels[k],
                   access_at(at, at->first + texel_offset(view, (uint64_t)sample.texel[k]), bytes),
                   bytes);
    if (code->step == TEXTURE_GATHER)
        filter_gather(view, &sample, texels, code->component, value);
    else
        filter_value(view, &sample, texels, value);
    if (code->step != TEXTURE_GATHER && filter_is_inexact(view, &sample) &&
        (machine.inexact == NULL || at->op->place < machine.inexact))
        machine.inexact = at->op->place;
    write_result(slots, at->op, at->lane, value);
}

/* ---- Surfaces ---- */

/* Brings a coordinate into range, in steps of `step`. Returns false if the place does not exist. */
static bool bring_in(int64_t *coordinate, uint64_t extent, uint64_t step, enum surface_boundary how)
{
    if (*coordinate >= 0 && (uint64_t)*coordinate + step <= extent)
        return true;
    if (how != BOUNDARY_CLAMP)
        return false;
    *coordinate = *coordinate < 0 ? 0 : (int64_t)(extent - step);
    return true;
}

static _Noreturn void raise_outside(const struct lane_access *at, const struct view *view,
                                    const int64_t place[4])
{
    const struct op *op = at->op;
    bool is_formatted = op->texture->step == SURFACE_FORMAT;
    uint64_t width = view->extent[0] * (is_formatted ? 1 : filter_texel_bytes(view));
    char text[256];
    int used = snprintf(text, sizeof text, " at x = %" PRId64, place[0]);

    if (view->dimensions > 1)
        used += snprintf(text + used, sizeof text - (size_t)used, ", y = %" PRId64, place[1]);
    if (view->dimensions > 2)
        used += snprintf(text + used, sizeof text - (size_t)used, ", z = %" PRId64, place[2]);
    if (op->texture->is_layered)
        used += snprintf(text + used, sizeof text - (size_t)used, ", layer %" PRId64, place[3]);
    used += snprintf(text + used, sizeof text - (size_t)used, ": it has %" PRIu64 " %s", width,
                     is_formatted ? "texels" : "bytes in x");
    if (view->dimensions > 1)
        used += snprintf(text + used, sizeof text - (size_t)used, ", %" PRIu64 " rows",
                         view->extent[1]);
    if (view->dimensions > 2)
        used += snprintf(text + used, sizeof text - (size_t)used, ", %" PRIu64 " planes",
                         view->extent[2]);
    if (op->texture->is_layered)
        snprintf(text + used, sizeof text - (size_t)used, ", %" PRIu64 " layers", view->layers);
    raise_access(op, at->lane, text, at->region->name);
}

/* Finds the offset of a place. Returns false if it is outside, and such accesses do nothing. */
static bool surface_offset(const struct lane_access *at, const struct view *view, uint32_t bytes,
                           uint64_t *offset)
{
    const struct texture_code *code = at->op->texture;
    bool is_formatted = code->step == SURFACE_FORMAT;
    uint32_t coordinates[3], layer, texel = filter_texel_bytes(view);
    uint64_t width = view->extent[0] * (is_formatted ? 1 : texel);
    enum surface_boundary how = code->boundary;
    int64_t place[4] = {0};
    bool is_inside;

    read_coordinates(at->frame->slots, at->op, at->lane, coordinates, &layer);
    for (uint32_t k = 0; k < 3; k++)
        place[k] = (int32_t)coordinates[k];
    place[3] = layer;
    if (!is_formatted && place[0] % bytes != 0)
        raise_fault(FAULT_MISALIGNED, at->lane, SAYS_TEXTURE_MISALIGNED, .bytes = bytes,
                    .array = at->region->name, .object = code->opcode, .numbers = {place[0]});
    is_inside = bring_in(&place[0], width, is_formatted ? 1 : bytes, how) &&
                bring_in(&place[1], view->extent[1], 1, how) &&
                bring_in(&place[2], view->extent[2], 1, how) &&
                bring_in(&place[3], view->layers, 1, how);
    if (!is_inside && how == BOUNDARY_TRAP)
        raise_outside(at, view, place);
    *offset = at->first +
              (((uint64_t)place[3] * view->extent[2] + (uint64_t)place[2]) * view->extent[1] +
               (uint64_t)place[1]) *
                  view->extent[0] * texel +
              (uint64_t)place[0] * (is_formatted ? texel : 1);
    return is_inside;
}

/* Marks the bytes of a store whose value is undefined. */
static void store_undefined(const struct lane_access *at, uint64_t offset, uint32_t part)
{
    const struct op *op = at->op;
    const struct head *head = head_of(at->frame->slots, op->parts[part]);
    uint32_t bytes = undefined_bytes(head, at->lane);

    for (uint32_t k = 0; k < op->bytes; k++)
        if (bytes >> k & 1)
            store_undefined_byte(at->region, offset + part * op->bytes + k, op->place, head->origin,
                                 at->lane);
}

static void store_lane(struct lane_access *at, const struct view *view)
{
    const struct op *op = at->op;
    char *slots = at->frame->slots, *host;
    bool is_formatted = op->texture->step == SURFACE_FORMAT;
    uint32_t bytes = is_formatted ? filter_texel_bytes(view) : (uint32_t)op->bytes * op->count;
    uint64_t offset;

    if (!surface_offset(at, view, bytes, &offset))
        return;
    host = access_at(at, offset, bytes);
    if (is_formatted) {
        uint32_t value[4] = {0};
        for (uint32_t k = 0; k < op->count; k++)
            memcpy(&value[k], slots + op->parts[k] + at->lane * 4, 4);
        filter_format(view, value, (unsigned char *)host);
    }
    for (uint32_t k = 0; k < op->count; k++) {
        if (!is_formatted)
            memcpy(host + k * op->bytes, slots + op->parts[k] + at->lane * op->bytes, op->bytes);
        if (is_formatted && k < view->lanes)
            use_undefined(slots, op->parts[k], UINT32_C(1) << at->lane, "converts a value");
        else if (!is_formatted)
            store_undefined(at, offset, k);
    }
    if (race_unsettled)
        race_settle();
}

static void load_lane(struct lane_access *at, const struct view *view)
{
    const struct op *op = at->op;
    uint32_t bytes = (uint32_t)op->bytes * op->count;
    uint64_t offset;
    const char *host = NULL;

    if (surface_offset(at, view, bytes, &offset))
        host = access_at(at, offset, bytes);
    for (uint32_t k = 0; k < op->count; k++) {
        uint64_t value = 0;
        if (host != NULL)
            memcpy(&value, host + k * op->bytes, op->bytes);
        memcpy(at->frame->slots + op->parts[k] + at->lane * op->to_bytes, &value, op->to_bytes);
    }
}

static void reduce_lane(struct lane_access *at, const struct view *view)
{
    const struct op *op = at->op;
    char *slots = at->frame->slots;
    const char *value = slots + op->parts[0] + at->lane * op->bytes;
    uint64_t offset;

    use_undefined(slots, op->parts[0], UINT32_C(1) << at->lane,
                  "makes an atomic access with a value");
    if (!surface_offset(at, view, op->bytes, &offset))
        return;
    machine.lanes = UINT32_C(1) << at->lane;
    if (!at->region->is_writable)
        raise_fault(FAULT_READ_ONLY, at->lane, SAYS_WRITES_VIEW, .writes = true,
                    .array = at->region->name);
    for (uint32_t k = 0; at->region->missing != 0 && k < op->bytes; k++)
        if (!at->region->written[offset + k] && is_checked(machine.block))
            use_unwritten(at->lane, &(struct facts){.sentence = SAYS_READS_UNWRITTEN,
                                                    .array = at->region->name});
    op->atomic(access_at(at, offset, op->bytes), value, value, false);
    if (race_unsettled)
        race_settle();
}

/* Raises a fault if other memory has been placed where that of a view was. Freed memory is found by
 * the access. */
static void check_placed(const struct op *op, uint32_t lane, const struct region *region,
                         uint64_t address)
{
    if (address - region->low >= region->bytes)
        raise_fault(FAULT_USE_AFTER_FREE, lane, SAYS_TEXTURE_FREED, .object = op->texture->opcode);
}

/* ---- Instructions ---- */

void use_texture(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes)
{
    const struct texture_code *code = op->texture;
    static void (*const steps[])(struct lane_access *, const struct view *) = {
        [TEXTURE_SAMPLE] = sample_lane, [TEXTURE_GATHER] = sample_lane,
        [SURFACE_LOAD] = load_lane,     [SURFACE_STORE] = store_lane,
        [SURFACE_FORMAT] = store_lane,  [SURFACE_REDUCE] = reduce_lane};

    use_undefined(frame->slots, op->a, lanes, "uses a texture or surface with a handle");
    if (code->is_layered)
        use_undefined(frame->slots, code->layer, lanes, "accesses a layer with a number");
    for (uint32_t k = 0; op->exact == NULL && k < code->dimensions; k++)
        use_undefined(frame->slots, code->coordinates[k], lanes,
                      "accesses a texture or surface at a place");
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), number = view_of(frame->slots, op, lane);
        struct region *region = arrays_find(views[number].address);
        struct lane_access at = {
            warp, frame, op, lane, 0, region, views[number].address - region->low};
        struct head undefined = {.bytes = ALL_BYTES};
        check_placed(op, lane, region, views[number].address);
        check_shape(op, lane, number);
        steps[code->step](&at, &views[number].view);
        if (is_store(op))
            continue;
        undefined.undefined = at.undefined != 0 ? UINT32_C(1) << lane : 0;
        undefined.origin = at.undefined;
        for (uint32_t k = 0; k < op->count; k++)
            note_undefined(frame->slots, op->parts[k], UINT32_C(1) << lane, &undefined);
    }
    if (code->present != 0) {
        *(uint32_t *)(void *)(frame->slots + code->present) |= lanes;
        head_of(frame->slots, code->present)->undefined &= ~lanes;
    }
}

void query_texture(char *slots, const struct op *op, uint32_t lanes)
{
    use_undefined(slots, op->a, lanes, "uses a texture or surface with a handle");
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        const struct view *view = &views[view_of(slots, op, lane)].view;
        const uint32_t values[] = {[QUERY_WIDTH] = (uint32_t)view->extent[0],
                                   [QUERY_HEIGHT] = (uint32_t)view->extent[1],
                                   [QUERY_DEPTH] = (uint32_t)view->extent[2],
                                   [QUERY_LAYERS] = (uint32_t)view->layers,
                                   [QUERY_LEVELS] = 1,
                                   [QUERY_SAMPLES] = 1,
                                   [QUERY_NORMALIZED] = view->is_normalized};
        _Static_assert(sizeof values / sizeof *values == QUERY_NORMALIZED + 1, "one of each query");
        memcpy(slots + op->d + lane * 4, &values[op->texture->query], 4);
    }
    head_of(slots, op->d)->undefined &= ~lanes;
}

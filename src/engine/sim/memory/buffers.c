/* SPDX-License-Identifier: MIT */
#include "buffers.h"

#include "arrays.h"
#include "faults.h"
#include "heap.h"
#include "last_stores.h"
#include "modules.h"
#include "place_names.h"
#include "rooms.h"
#include "tensor.h"
#include "textures.h"
#include "undefined.h"

#include "input_values.h"

#include <stdio.h>
#include <string.h>

/* The regions of a buffer with few rows. A region for each row notices accesses past a row. The
 * buffer's own region then only collects their contents. */
enum { MAX_ROWS = 256, ROWS_IN_ALL = 1024 };

static const struct invocation *invocation;
static struct region *buffers[MAX_BUFFERS];
static uint64_t handles[MAX_VIEWS];
static struct {
    struct region whole[MAX_BUFFERS];
    struct region *first[MAX_BUFFERS]; /* null: the buffer is one region */
    char names[ROWS_IN_ALL][96];
    uint32_t count;
} rows;

/* ---- Placing and filling ---- */

/* Fills the region with the buffer's elements from `first` on. */
static void fill_buffer(struct region *region, const struct buffer *plan, uint64_t first,
                        struct values values)
{
    size_t bytes = element_size(plan->element);
    uint64_t valued = region->bytes / bytes - plan->padding;

    if (plan->role == ROLE_LOG) {
        memset(region->host, 0, region->bytes);
        arrays_set_written(region);
    } else if (plan->role == ROLE_INPUT || plan->role == ROLE_INOUT) {
        const struct filling filling = values_filling(plan, values);
        bool is_copy = plan->fill == FILL_DATA && machine.floats == NULL;
        if (is_copy && valued > 0)
            memcpy(region->host, (const char *)plan->data + first * bytes, valued * bytes);
        for (uint64_t i = 0; i < valued && !is_copy; i++) {
            uint64_t bits = machine.floats != NULL ? machine.floats->input(&filling, first + i)
                                                   : values_filled(&filling, first + i);
            memcpy(region->host + i * bytes, &bits, bytes);
        }
        memset(region->host + valued * bytes, 0, plan->padding * bytes);
        arrays_set_written(region);
        region->is_writable = plan->role != ROLE_INPUT && !region->is_constant;
    } else {
        memset(region->host, GARBAGE, region->bytes);
        memset(region->written, 0, region->bytes);
        region->missing = region->bytes;
    }
}

static struct region *find_variable(const char *symbol)
{
    for (uint32_t r = 0; r < machine.region_count; r++)
        if (strcmp(machine.regions[r].name, symbol) == 0)
            return &machine.regions[r];
    return NULL;
}

bool buffers_start_memory(void)
{
    modules_unload_all();
    arrays_start();
    textures_start();
    machine.grids = 0;
    return modules_place_variables() && (!modules_allocate() || heap_start());
}

static uint64_t row_count(const struct buffer *plan)
{
    return plan->row > 0 ? plan->count / plan->row : 1;
}

/* Returns the address of that row of buffer k. */
static uint64_t address_of(uint32_t k, uint64_t row)
{
    const struct buffer *plan = &invocation->buffers[k];

    return rows.first[k] != NULL ? rows.first[k][row].low
                                 : buffers[k]->low + row * plan->row * element_size(plan->element);
}

/* Makes a region for each row. Returns the region for the contents of the buffer, or null if there
 * is no room. */
static struct region *place_rows(uint32_t k)
{
    const struct buffer *plan = &invocation->buffers[k];
    const struct buffer row_of = {.name = plan->name, .row = 1};
    size_t bytes = element_size(plan->element);

    for (uint64_t r = 0; r < row_count(plan); r++) {
        char *name = rows.names[rows.count++];
        struct region *region;
        buffer_place(&row_of, r, name, sizeof *rows.names);
        name[strlen(name) - strlen("[0]")] = '\0';
        region = arrays_add(name, plan->row, (uint32_t)bytes);
        if (region == NULL)
            return NULL;
        rows.first[k] = r == 0 ? region : rows.first[k];
    }
    if (!rooms_take_region(&rows.whole[k], buffer_bytes(plan), 0))
        return NULL;
    rows.whole[k].element_bytes = (uint32_t)bytes;
    rows.whole[k].name = plan->name;
    return &rows.whole[k];
}

static struct region *place_buffer(uint32_t k)
{
    const struct buffer *plan = &invocation->buffers[k];
    uint64_t count = row_count(plan), bytes = element_size(plan->element);

    rows.first[k] = NULL;
    if (plan->variable != NULL)
        return find_variable(plan->variable);
    if (plan->fill == FILL_STRUCTS)
        bytes = (uint64_t)plan->high;
    if (plan->row > 0 && count > 0 && count <= MAX_ROWS && rows.count + count <= ROWS_IN_ALL)
        return place_rows(k);
    if (plan->address != 0)
        return arrays_place(plan->name, buffer_bytes(plan) / bytes, (uint32_t)bytes, plan->address,
                            NULL);
    return arrays_add(plan->name, buffer_bytes(plan) / bytes, (uint32_t)bytes);
}

/* Writes what an argument or a pointer of struct number `row` holds: an address, a handle, or a
 * tensor map. Returns its size. */
static uint32_t write_object(const struct argument *object, uint64_t row,
                             unsigned char bytes[STORED_MAP_BYTES])
{
    const struct tensor_map *map = &invocation->maps[object->value % MAX_MAPS];
    uint64_t word;

    if (object->kind == ARGUMENT_MAP) {
        tensor_store_map(map, address_of(map->buffer, row), bytes);
        return STORED_MAP_BYTES;
    }
    word = object->kind == ARGUMENT_VIEW ? handles[invocation_view(invocation, object->value, row)]
                                         : address_of((uint32_t)object->value, row);
    memcpy(bytes, &word, sizeof word);
    return sizeof word;
}

/* Adds the addresses in structs, or the negative ones, to their pointers, and so handles and each
 * word of tensor maps. A result then has 0 for a pointer that has not changed, wherever its array
 * is. */
static void add_addresses(const struct buffer *plan, char *structs, uint64_t sign)
{
    uint64_t size = (uint64_t)plan->high, low = (uint64_t)plan->low, value, word;
    unsigned char object[STORED_MAP_BYTES];
    uint32_t bytes;

    for (uint64_t k = 0; k < buffer_bytes(plan) / size; k++)
        for (uint32_t p = 0; p < invocation->pointer_count; p++) {
            const struct pointer *pointer = &invocation->pointers[p];
            char *at = structs + k * size + (pointer->at - low);
            if (pointer->at < low || pointer->at >= low + size)
                continue;
            bytes = write_object(&pointer->to, k, object);
            for (uint32_t b = 0; b < bytes; b += sizeof value) {
                memcpy(&value, at + b, sizeof value);
                memcpy(&word, object + b, sizeof word);
                value += sign * word;
                memcpy(at + b, &value, sizeof value);
            }
        }
}

/* Fills an array of structs. */
static void fill_structs(struct region *region, const struct buffer *plan)
{
    for (uint64_t at = 0; at < region->bytes; at += (uint64_t)plan->high)
        memcpy(region->host + at, invocation->bytes + plan->low, (size_t)plan->high);
    add_addresses(plan, region->host, 1);
    arrays_set_written(region);
    region->is_writable = plan->role != ROLE_INPUT;
}

static void fill_buffers(struct values values)
{
    for (uint32_t k = 0; k < invocation->buffer_count; k++) {
        const struct buffer *plan = &invocation->buffers[k];
        if (plan->variable != NULL && plan->role == ROLE_INITIAL)
            continue;
        if (plan->fill == FILL_STRUCTS)
            fill_structs(buffers[k], plan);
        else if (rows.first[k] == NULL)
            fill_buffer(buffers[k], plan, 0, values);
        else
            for (uint64_t r = 0; r < row_count(plan); r++)
                fill_buffer(&rows.first[k][r], plan, r * plan->row, values);
    }
}

/* Places a captured variable at its address on the GPU, too, for pointers to it. Returns false
 * after a fault. */
static bool place_variables(void)
{
    for (uint32_t k = 0; k < invocation->buffer_count; k++) {
        const struct buffer *plan = &invocation->buffers[k];
        struct region *placed;
        if (plan->variable == NULL || plan->address == 0)
            continue;
        placed = arrays_place(plan->name, plan->count, (uint32_t)element_size(plan->element),
                              plan->address, buffers[k]->host);
        if (placed == NULL) {
            record_reason(FAULT_UNSUPPORTED, "there is no room for %s at its address", plan->name);
            return false;
        }
        *placed = *buffers[k];
        placed->low = plan->address;
    }
    return true;
}

/* Makes the handles of textures and surfaces. Returns false after a fault. */
static bool place_views(void)
{
    for (uint32_t k = 0; k < invocation->view_count; k++) {
        const struct view *view = &invocation->views[k];
        struct region *variable;
        handles[k] = textures_add(view, address_of(view->buffer, view->row));
        if (view->variable == NULL)
            continue;
        variable = find_variable(view->variable);
        if (variable == NULL || variable->bytes != sizeof handles[k]) {
            record_reason(FAULT_LAUNCH, "the code has no variable %s for a handle", view->variable);
            return false;
        }
        memcpy(variable->host, &handles[k], sizeof handles[k]);
        arrays_set_written(variable);
    }
    return true;
}

bool buffers_place(const struct invocation *of_job, struct values values)
{
    invocation = of_job;
    if (!buffers_start_memory()) {
        record_reason(FAULT_UNSUPPORTED,
                      "the variables do not fit in the simulator's address space");
        return false;
    }
    rows.count = 0;
    for (uint32_t k = 0; k < invocation->buffer_count; k++) {
        const struct buffer *plan = &invocation->buffers[k];
        bool is_variable = plan->variable != NULL;
        buffers[k] = place_buffer(k);
        if (is_variable && plan->role == ROLE_INITIAL)
            continue;
        if (buffers[k] == NULL && !is_variable) {
            record_reason(FAULT_UNSUPPORTED,
                          "the buffers do not fit in the simulator's address space");
            return false;
        }
        if (buffers[k] == NULL || buffers[k]->bytes != buffer_bytes(plan)) {
            record_reason(FAULT_LAUNCH, "the code has no variable %s of %zu bytes", plan->name,
                          buffer_bytes(plan));
            return false;
        }
        if (is_variable) {
            buffers[k]->element_bytes = (uint32_t)element_size(plan->element);
            buffers[k]->is_untyped = false;
        }
    }
    if (!place_views()) /* structs have their handles */
        return false;
    fill_buffers(values);
    return place_variables();
}

/* ---- Results ---- */

static void check_written(const struct region *region)
{
    struct array_element element;

    if (region->missing != 0 && region->undefined.place != NULL) {
        uint64_t at = region->undefined.offset;
        if (!region->written[at]) {
            report_undefined_output(region);
            return;
        }
    }
    for (uint64_t i = 0; region->missing != 0 && i < region->bytes; i++) {
        if (region->written[i])
            continue;
        name_index(region, (int64_t)i, NULL, &element);
        record_fault(FAULT_UNWRITTEN_OUTPUT, SAYS_NEVER_WRITES, .element = &element);
        return;
    }
}

static void collect_rows(uint32_t k, bool is_checked)
{
    uint64_t bytes = rows.first[k]->bytes;

    for (uint64_t r = 0; r < row_count(&invocation->buffers[k]); r++) {
        memcpy(buffers[k]->host + r * bytes, rows.first[k][r].host, bytes);
        if (is_checked && recorded_fault() == NULL)
            check_written(&rows.first[k][r]);
    }
}

void buffers_collect(void *const results[MAX_BUFFERS])
{
    for (uint32_t k = 0; k < invocation->buffer_count; k++) {
        enum role role = invocation->buffers[k].role;
        bool is_checked = role != ROLE_INPUT && role != ROLE_SCRATCH;
        if (rows.first[k] != NULL)
            collect_rows(k, is_checked);
        else if (is_checked && buffers[k] != NULL)
            check_written(buffers[k]);
        if (machine.floats != NULL && buffers[k] != NULL)
            machine.floats->finish(k, &invocation->buffers[k], buffers[k]->host);
        if (buffers[k] != NULL && invocation->buffers[k].fill == FILL_STRUCTS)
            add_addresses(&invocation->buffers[k], buffers[k]->host, UINT64_MAX);
        if (results[k] != NULL && buffers[k] != NULL)
            memcpy(results[k], buffers[k]->host, buffers[k]->bytes);
    }
}

const char *buffers_host(uint32_t k)
{
    return buffers[k] != NULL ? buffers[k]->host : NULL;
}

const struct simt_place *buffers_last_store(uint32_t k, uint64_t index)
{
    const struct buffer *plan = &invocation->buffers[k];
    const struct region *region = buffers[k];
    uint64_t at = index * element_size(plan->element);

    if (rows.first[k] != NULL) {
        region = &rows.first[k][index / plan->row];
        at = index % plan->row * element_size(plan->element);
    }
    return region != NULL && at < region->bytes ? last_stores_find(region, at) : NULL;
}

/* ---- Parameters ---- */

static void copy_variable(unsigned char *to, const char *symbol, uint32_t size)
{
    const struct region *region = find_variable(symbol);

    if (region != NULL && region->bytes >= size)
        memcpy(to, region->host, size);
}

void buffers_bind(unsigned char *parameters, const struct function_code *code,
                  const struct host_launch *launch)
{
    unsigned char bytes[MAX_ARGUMENT_BYTES], object[STORED_MAP_BYTES];

    memcpy(bytes, invocation->bytes, sizeof bytes);
    for (uint32_t p = 0; p < invocation->pointer_count; p++)
        write_object(&invocation->pointers[p].to, 0, bytes + invocation->pointers[p].at);
    for (uint32_t a = 0; a < launch->argument_count && a < code->parameter_count; a++) {
        const struct argument *argument = &invocation->arguments[launch->first_argument + a];
        uint32_t size = (uint32_t)code->function->parameters[a]->bytes;
        unsigned char *to = parameters + code->parameter_offsets[a];
        uint32_t most;
        if (argument->kind == ARGUMENT_BYTES)
            memcpy(to, &bytes[argument->value], size);
        else if (argument->kind == ARGUMENT_VARIABLE)
            copy_variable(to, invocation->variables[launch->first_argument + a], size);
        else if (argument->kind == ARGUMENT_VALUE)
            memcpy(to, &argument->value, size < 8 ? size : 8);
        else {
            most = write_object(argument, 0, object);
            memcpy(to, object, size < most ? size : most);
        }
    }
}

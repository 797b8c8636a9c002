/* SPDX-License-Identifier: MIT
 *
 * Modules: PTX from fat binaries or as text. A module is parsed when it is first used.
 */
#include "internal.h"

#include "fat_binary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXTS = 256, ARCHITECTURE = 90, DEFAULT_SHARED = 48 << 10, MOST_SHARED = 227 << 10 };

struct exec_module {
    const void *image;
    void *copy; /* of an image that the program may free; null: the image is part of the program */
    struct launch_module *loaded;
    int error;
    bool is_tried;
    struct exec_function *functions;
};

/* ---- PTX ---- */

struct texts {
    struct launch_text all[MAX_TEXTS];
    size_t count;
};

/* Takes the PTX for the newest architecture that the device can run. Returns an error after a
 * message. An optional image may have none, such as that of a library of NVIDIA's. */
static int take_image(struct texts *texts, const void *image, bool is_optional)
{
    struct fat_entry entry, best = {.stored = NULL};
    char error[256] = "";
    size_t at = 0, size = fat_binary_bytes(image);
    uint32_t other = 0;
    char *text;

    while (fat_binary_next(image, size, &at, &entry, error, sizeof error)) {
        if (entry.kind == FAT_PTX && entry.architecture <= ARCHITECTURE &&
            (best.stored == NULL || entry.architecture >= best.architecture))
            best = entry;
        other = entry.architecture;
    }
    if (error[0] == '\0' && best.stored == NULL && is_optional)
        return EXEC_SUCCESS;
    if (error[0] == '\0' && best.stored == NULL) {
        report("no-ptx", NULL,
               "a module has no PTX for compute capability 9.0 or older, but code for %" PRIu32
               ": compile with -gencode arch=compute_90,code=[sm_90,compute_90]",
               other);
        return EXEC_NO_IMAGE;
    }
    text = error[0] == '\0' ? fat_entry_read(&best, error, sizeof error) : NULL;
    if (text == NULL || texts->count == MAX_TEXTS) {
        report("no-ptx", NULL, "a module cannot be read: %s", text == NULL ? error : "too large");
        free(text);
        return EXEC_INVALID_IMAGE;
    }
    texts->all[texts->count++] = (struct launch_text){PTX_NAME, text, strlen(text)};
    return EXEC_SUCCESS;
}

static int take_texts(struct texts *texts, const struct exec_module *module)
{
    const void *const *unlinked;
    const void *image = fat_wrapper_image(module->image, &unlinked);
    int error = EXEC_SUCCESS;

    if (image == NULL && fat_binary_bytes(module->image) == 0) {
        texts->all[0] =
            (struct launch_text){PTX_NAME, strdup(module->image), strlen(module->image)};
        texts->count = texts->all[0].text != NULL;
        return texts->count == 1 ? EXEC_SUCCESS : EXEC_OUT_OF_MEMORY;
    }
    if (unlinked == NULL)
        return take_image(texts, image != NULL ? image : module->image, false);
    for (size_t k = 0; error == EXEC_SUCCESS && unlinked[k] != NULL; k++)
        error = take_image(texts, unlinked[k], texts->count > 0 || unlinked[k + 1] != NULL);
    return error;
}

static int load_now(struct exec_module *module)
{
    struct texts texts = {.count = 0};
    char reason[1024];
    int error = take_texts(&texts, module);

    if (error == EXEC_SUCCESS) {
        module->loaded = launches_load(texts.all, texts.count, reason, sizeof reason);
        if (module->loaded == NULL) {
            report("unsupported", NULL, "a module cannot be loaded: %s", reason);
            error = EXEC_NOT_SUPPORTED;
        }
    }
    for (size_t k = 0; k < texts.count; k++)
        free((char *)(uintptr_t)texts.all[k].text);
    return error;
}

static int add_managed(const struct exec_module *module)
{
    struct launch_memory variable;
    int error = EXEC_SUCCESS;

    for (size_t k = 0; error == EXEC_SUCCESS && launches_managed(module->loaded, k, &variable); k++)
        error =
            variable_add(EXEC_MANAGED, (uintptr_t)variable.start, variable.bytes, variable.name);
    return error;
}

static int need(struct exec_module *module)
{
    if (!module->is_tried) {
        module->is_tried = true;
        module->error = exec_start();
        if (module->error == EXEC_SUCCESS)
            module->error = load_now(module);
        if (module->error == EXEC_SUCCESS)
            module->error = add_managed(module);
    }
    return module->error;
}

static void remove_managed(const struct exec_module *module)
{
    struct launch_memory variable;

    for (size_t k = 0; launches_managed(module->loaded, k, &variable); k++)
        variable_remove((uintptr_t)variable.start);
}

/* ---- Modules ---- */

/* Returns whether an image is PTX as text. */
static bool is_text(const char *image)
{
    return strstr(image, ".version") != NULL && strstr(image, ".target") != NULL;
}

/* Returns the size of an image without a wrapper; 0: it is neither a fat binary nor PTX as text. */
static size_t image_bytes(const void *image)
{
    size_t bytes = fat_binary_bytes(image);

    if (bytes == 0 && memcmp(image, "\177ELF", 4) != 0 && is_text(image))
        bytes = strlen(image) + 1;
    return bytes;
}

int exec_load(const void *image, struct exec_module **made)
{
    const void *const *unlinked;
    struct exec_module *module;
    size_t bytes;

    if (image == NULL || made == NULL)
        return EXEC_INVALID_VALUE;
    module = calloc(1, sizeof *module);
    if (module == NULL)
        return EXEC_OUT_OF_MEMORY;
    module->image = image;
    if (fat_wrapper_image(image, &unlinked) == NULL) {
        bytes = image_bytes(image);
        module->copy = bytes > 0 ? malloc(bytes) : NULL;
        module->image = module->copy;
        if (module->copy == NULL) {
            free(module);
            if (bytes > 0)
                return EXEC_OUT_OF_MEMORY;
            report("no-ptx", NULL,
                   "a module is machine code without PTX: load PTX or a fat binary with PTX");
            return EXEC_NO_IMAGE;
        }
        memcpy(module->copy, image, bytes);
    }
    *made = module;
    return EXEC_SUCCESS;
}

bool module_is_loaded(const struct exec_module *module)
{
    return module->loaded != NULL;
}

void module_forget(struct exec_module *module)
{
    struct exec_function *next;

    if (module->loaded != NULL) {
        remove_managed(module);
        launches_unload(module->loaded);
    }
    for (struct exec_function *function = module->functions; function != NULL; function = next) {
        next = function->next;
        free(function);
    }
    free(module->copy);
    free(module);
}

int exec_get_function(struct exec_module *module, const char *name, struct exec_function **made)
{
    const struct launch_kernel *kernel;
    struct exec_function *function;
    int error = module != NULL ? need(module) : EXEC_INVALID_HANDLE;

    if (error != EXEC_SUCCESS)
        return error;
    for (function = module->functions; function != NULL; function = function->next)
        if (strcmp(function->name, name) == 0) {
            *made = function;
            return EXEC_SUCCESS;
        }
    kernel = launches_kernel(module->loaded, name);
    if (kernel == NULL)
        return EXEC_NOT_FOUND;
    function = calloc(1, sizeof *function);
    if (function == NULL)
        return EXEC_OUT_OF_MEMORY;
    function->kernel = kernel;
    snprintf(function->name, sizeof function->name, "%s", name);
    function->next = module->functions;
    module->functions = function;
    *made = function;
    return EXEC_SUCCESS;
}

int exec_get_variable(struct exec_module *module, const char *name, void **address, size_t *bytes)
{
    const struct exec_allocation *known;
    int error = module != NULL ? need(module) : EXEC_INVALID_HANDLE;

    if (error != EXEC_SUCCESS)
        return error;
    if (!launches_variable(module->loaded, name, address, bytes))
        return EXEC_NOT_FOUND;
    known = exec_find(*address);
    return known == NULL ? variable_add(EXEC_DEVICE, (uintptr_t)*address, *bytes, name)
                         : EXEC_SUCCESS;
}

/* ---- Functions ---- */

const char *exec_function_name(const struct exec_function *function)
{
    return function->name;
}

int exec_function_facts(struct exec_function *function, struct exec_function_facts *facts)
{
    struct launch_kernel_facts simulated;

    if (function == NULL)
        return EXEC_INVALID_HANDLE;
    launches_kernel_facts(function->kernel, &simulated);
    *facts = (struct exec_function_facts){
        .static_shared = simulated.shared_bytes,
        .max_dynamic_shared =
            function->max_dynamic_shared > 0          ? (uint32_t)function->max_dynamic_shared
            : simulated.shared_bytes < DEFAULT_SHARED ? DEFAULT_SHARED - simulated.shared_bytes
                                                      : 0,
        .constant_bytes = simulated.constant_bytes,
        .local_bytes = simulated.local_bytes,
        .max_threads = simulated.most_threads,
        .version = simulated.version,
        .target = simulated.target,
        .needs_cluster = simulated.needs_cluster,
    };
    return EXEC_SUCCESS;
}

bool exec_parameter(struct exec_function *function, size_t number, size_t *offset, size_t *bytes)
{
    uint32_t at, size;

    if (!launches_parameter(function->kernel, (uint32_t)number, &at, &size))
        return false;
    *offset = at;
    *bytes = size;
    return true;
}

int exec_set_dynamic_shared(struct exec_function *function, int bytes)
{
    struct launch_kernel_facts facts;

    launches_kernel_facts(function->kernel, &facts);
    if (bytes < 0 || (uint32_t)bytes + facts.shared_bytes > MOST_SHARED)
        return EXEC_INVALID_VALUE;
    function->max_dynamic_shared = bytes;
    return EXEC_SUCCESS;
}

int exec_allow_large_clusters(struct exec_function *function, bool is_allowed)
{
    function->is_nonportable = is_allowed;
    return EXEC_SUCCESS;
}

int exec_occupancy(struct exec_function *function, int threads, size_t shared_bytes, int *blocks)
{
    if (function == NULL)
        return EXEC_INVALID_HANDLE;
    if (threads <= 0 || blocks == NULL)
        return EXEC_INVALID_VALUE;
    *blocks = (int)launches_resident(function->kernel, (uint32_t)threads, (uint32_t)shared_bytes);
    return EXEC_SUCCESS;
}

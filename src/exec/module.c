/* SPDX-License-Identifier: MIT
 *
 * Modules: PTX from fat binaries or as text. A module is parsed when it is first used.
 */
#include "internal.h"

#include "fat_binary.h"
#include "source_path.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXTS = 256, ARCHITECTURE = 90, DEFAULT_SHARED = 48 << 10, MOST_SHARED = 227 << 10 };

struct exec_module {
    const void *image;
    const char *file; /* that contains it; null: unknown */
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

enum { TARGETS = 256 };

/* Adds what the code of an image is for to a list: "sm_80, compute_90a". */
static void add_targets(const void *image, char targets[TARGETS])
{
    struct fat_entry entry;
    char error[256], target[32];
    size_t at = 0, used;

    while (fat_binary_next(image, fat_binary_bytes(image), &at, &entry, error, sizeof error)) {
        fat_entry_target(&entry, target, sizeof target);
        used = strlen(targets);
        if (strstr(targets, target) == NULL)
            snprintf(targets + used, TARGETS - used, "%s%s", used > 0 ? ", " : "", target);
    }
}

/* Says that a module has no PTX for the device. */
static void report_no_ptx(const struct exec_module *module, const char *kernel,
                          const char targets[TARGETS])
{
    char name[128] = "";

    if (kernel != NULL)
        source_function(kernel, name, sizeof name);
    report_unusable("'%s' has no PTX for compute capability 9.0 or older%s%s, but code for %s",
                    module->file != NULL ? module->file : "a module",
                    kernel != NULL ? " of the kernel " : "", name, targets);
}

/* Takes the most specific PTX that the device can run, if there is any. Returns an error after a
 * message. */
static int take_image(struct texts *texts, const void *image, char targets[TARGETS])
{
    struct fat_entry entry, best = {.stored = NULL};
    char error[256] = "";
    size_t at = 0, size = fat_binary_bytes(image);
    char *text;

    while (fat_binary_next(image, size, &at, &entry, error, sizeof error))
        if (entry.kind == FAT_PTX && entry.architecture <= ARCHITECTURE &&
            (best.stored == NULL || fat_entry_rank(&entry) >= fat_entry_rank(&best)))
            best = entry;
    if (error[0] == '\0' && best.stored == NULL) {
        add_targets(image, targets);
        return EXEC_SUCCESS;
    }
    text = error[0] == '\0' ? fat_entry_read(&best, error, sizeof error) : NULL;
    if (text == NULL || texts->count == MAX_TEXTS) {
        report_unusable("a module cannot be read: %s", text == NULL ? error : "too large");
        free(text);
        return EXEC_INVALID_IMAGE;
    }
    /* NVIDIA's libcudadevrt up to CUDA 12: the simulator has its functions. */
    if (strstr(text, "cnpGetLastError") != NULL)
        free(text);
    else
        texts->all[texts->count++] = (struct launch_text){PTX_NAME, text, strlen(text)};
    return EXEC_SUCCESS;
}

/* Of relocatable device code, some images may have no PTX, such as those of a library of NVIDIA's.
 */
static int take_texts(struct texts *texts, const struct exec_module *module, const char *kernel)
{
    char targets[TARGETS] = "";
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
        error = take_image(texts, image != NULL ? image : module->image, targets);
    for (size_t k = 0; unlinked != NULL && error == EXEC_SUCCESS && unlinked[k] != NULL; k++)
        error = take_image(texts, unlinked[k], targets);
    if (error != EXEC_SUCCESS || texts->count > 0)
        return error;
    report_no_ptx(module, kernel, targets);
    return EXEC_NO_IMAGE;
}

static int load_now(struct exec_module *module, const char *kernel)
{
    struct texts texts = {.count = 0};
    char reason[1024];
    int error = take_texts(&texts, module, kernel);

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

/* Loads a module if it is not loaded yet. `kernel`: that is needed; null: a variable. */
static int need(struct exec_module *module, const char *kernel)
{
    if (!module->is_tried) {
        module->is_tried = true;
        module->error = exec_start();
        if (module->error == EXEC_SUCCESS)
            module->error = load_now(module, kernel);
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

/* ---- Programs that contain a runtime ---- */

struct holder {
    uintptr_t address; /* in the file */
    char *targets;
};

/* Lists the code of the file that contains the address. Fat binaries begin at multiples of 8 bytes
 * in its data. */
static int list_targets(struct dl_phdr_info *object, size_t size, void *given)
{
    struct holder *holder = given;
    bool is_it = false;

    (void)size;
    for (int k = 0; k < object->dlpi_phnum; k++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[k];
        const uintptr_t start = object->dlpi_addr + part->p_vaddr;
        is_it |= part->p_type == PT_LOAD && holder->address - start < part->p_memsz;
    }
    for (int k = 0; is_it && k < object->dlpi_phnum; k++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[k];
        const uintptr_t start = (object->dlpi_addr + part->p_vaddr + 7) / 8 * 8;
        for (uintptr_t at = start; part->p_type == PT_LOAD && (part->p_flags & PF_R) != 0 &&
                                   at + 16 <= object->dlpi_addr + part->p_vaddr + part->p_filesz;
             at += 8)
            if (fat_binary_bytes((const void *)at) > 0)
                add_targets((const void *)at, holder->targets);
    }
    return is_it;
}

void exec_report_runtime(const void *address)
{
#ifdef __x86_64__
    static const char reason[] = "the file is stripped, or the runtime is not of CUDA 11, 12 or 13";
#else
    static const char reason[] = "that works on x86-64 only";
#endif
    char targets[TARGETS] = "";
    struct holder holder = {(uintptr_t)address, targets};
    Dl_info file;

    if (dladdr(address, &file) == 0)
        file.dli_fname = "a library";
    dl_iterate_phdr(list_targets, &holder);
    report_unusable("'%s' contains the CUDA runtime, which exec could not replace: %s%s%s",
                    file.dli_fname, reason, targets[0] != '\0' ? "; its code is for " : "",
                    targets);
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
    Dl_info holder;
    size_t bytes;

    if (image == NULL || made == NULL)
        return EXEC_INVALID_VALUE;
    module = calloc(1, sizeof *module);
    if (module == NULL)
        return EXEC_OUT_OF_MEMORY;
    module->image = image;
    if (dladdr(image, &holder) != 0)
        module->file = holder.dli_fname;
    if (fat_wrapper_image(image, &unlinked) == NULL) {
        bytes = image_bytes(image);
        module->copy = bytes > 0 ? malloc(bytes) : NULL;
        module->image = module->copy;
        if (module->copy == NULL) {
            free(module);
            if (bytes > 0)
                return EXEC_OUT_OF_MEMORY;
            report_unusable("a module is machine code without PTX, such as a cubin: load PTX or a "
                            "fat binary with PTX");
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
    int error = module != NULL ? need(module, name) : EXEC_INVALID_HANDLE;

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
    int error = module != NULL ? need(module, NULL) : EXEC_INVALID_HANDLE;

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

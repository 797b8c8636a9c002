/* SPDX-License-Identifier: MIT */
#include "modules.h"

#include "error_report.h"
#include "fat_binary.h"
#include "map.h"
#include "store.h"
#include "triton.h"

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t FAT_WRAPPER = 0x466243b1, FAT_IMAGE = 0xba55ed50;

/* PTX of some code. Fat binaries keep it compressed until a kernel needs it. */
struct ptx {
    struct fat_entry entry; /* its bytes are a copy */
    char *text;             /* null: not yet decompressed */
    size_t unit;            /* PTX of one source file, for several architectures, is one unit */
    struct ptx *next;
};

struct image {
    struct ptx *ptx;
    size_t units;
    size_t machine_code;     /* bytes, if the code is machine code alone */
    char hash[CAPTURE_HASH]; /* of the machine code, or of all PTX as it is stored */
    bool searched;           /* for its PTX in Triton's cache */
    struct image *next;      /* of those that links made */
};

static struct map images;  /* from handles of modules, libraries and links to images */
static struct map kernels; /* from handles to kernels */
static struct image *linked;

/* ---- Reading code ---- */

/* Adds PTX. `stored` is what the code has. */
static void add_ptx(struct image *image, struct ptx ptx, const void *stored, size_t bytes)
{
    struct ptx *added = malloc(sizeof *added);
    char hashes[2 * CAPTURE_HASH] = "";

    if (added == NULL)
        return;
    memcpy(hashes, image->hash, CAPTURE_HASH);
    store_hash(stored, bytes, hashes + CAPTURE_HASH);
    if (image->machine_code == 0)
        store_hash(hashes, sizeof hashes, image->hash);
    ptx.unit = image->units;
    ptx.next = image->ptx;
    *added = ptx;
    image->ptx = added;
}

static void add_text(struct image *image, const char *text, size_t length)
{
    char *copy = strndup(text, length);

    if (copy != NULL)
        add_ptx(image, (struct ptx){.text = copy}, copy, strlen(copy));
    image->units++;
}

static void add_fat_binary(struct image *image, const void *fat)
{
    size_t size = fat_binary_bytes(fat), at = 0;
    struct fat_entry entry;
    char error[CAPTURE_ERROR];
    void *copy;

    while (fat_binary_next(fat, size, &at, &entry, error, sizeof error)) {
        if (entry.kind != FAT_PTX || (copy = malloc(entry.stored_bytes)) == NULL)
            continue;
        entry.stored = memcpy(copy, entry.stored, entry.stored_bytes);
        add_ptx(image, (struct ptx){.entry = entry}, copy, entry.stored_bytes);
    }
    image->units++;
}

/* Returns the bytes of a file in ELF, by its tables. */
static size_t elf_bytes(const void *code)
{
    const Elf64_Ehdr *header = code;
    const Elf64_Shdr *section = (const void *)((const char *)code + header->e_shoff);
    size_t sections = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize,
           segments = header->e_phoff + (size_t)header->e_phnum * header->e_phentsize,
           bytes = sizeof *header;

    bytes = sections > bytes ? sections : bytes;
    bytes = segments > bytes ? segments : bytes;
    for (size_t k = 0; k < header->e_shnum; k++)
        if (section[k].sh_type != SHT_NOBITS && section[k].sh_offset + section[k].sh_size > bytes)
            bytes = section[k].sh_offset + section[k].sh_size;
    return bytes;
}

static void take_linked(struct image *image)
{
    for (const struct image *other = linked; other != NULL; other = other->next)
        if (other->machine_code == image->machine_code && strcmp(other->hash, image->hash) == 0) {
            image->ptx = other->ptx;
            image->units = other->units;
        }
}

static void add_code(struct image *image, const void *code, size_t text_length)
{
    const void *const *unlinked = NULL;
    uint32_t magic;

    memcpy(&magic, code, sizeof magic);
    if (magic == FAT_WRAPPER) {
        add_fat_binary(image, fat_wrapper_image(code, &unlinked));
        for (; unlinked != NULL && *unlinked != NULL; unlinked++)
            add_fat_binary(image, *unlinked);
    } else if (magic == FAT_IMAGE) {
        add_fat_binary(image, code);
    } else if (memcmp(code, ELFMAG, SELFMAG) == 0) {
        image->machine_code = elf_bytes(code);
        store_hash(code, image->machine_code, image->hash);
        take_linked(image);
    } else {
        add_text(image, code, text_length > 0 ? text_length : strlen(code));
    }
}

static void add_file(struct image *image, const char *path)
{
    char error[CAPTURE_ERROR], *bytes;
    size_t count;

    if (!store_read(*path == '/' ? "" : ".", path, &bytes, &count, error, sizeof error))
        return;
    if (count >= sizeof(Elf64_Ehdr))
        add_code(image, bytes, count);
    free(bytes);
}

/* ---- What the program does ---- */

static struct image *new_image(const void *handle)
{
    uint64_t *value = map_at(&images, (uint64_t)(uintptr_t)handle);
    struct image *image = calloc(1, sizeof *image);

    if (value != NULL)
        *value = (uint64_t)(uintptr_t)image;
    return image;
}

static struct image *image_of(const void *handle)
{
    return (struct image *)(uintptr_t)map_get(&images, (uint64_t)(uintptr_t)handle);
}

void modules_loaded(const void *handle, const void *code)
{
    struct image *image = new_image(handle);

    if (image != NULL)
        add_code(image, code, 0);
}

void modules_loaded_file(const void *handle, const char *path)
{
    struct image *image = new_image(handle);

    if (image != NULL)
        add_file(image, path);
}

void modules_same(const void *handle, const void *earlier)
{
    uint64_t key = (uint64_t)(uintptr_t)handle, from = (uint64_t)(uintptr_t)earlier;
    uint64_t image = map_get(&images, from), kernel = map_get(&kernels, from), *value;

    if (image != 0 && (value = map_at(&images, key)) != NULL)
        *value = image;
    if (kernel != 0 && (value = map_at(&kernels, key)) != NULL)
        *value = kernel;
}

void modules_kernel(const void *handle, const void *owner, bool is_library, const char *name)
{
    uint64_t *value = map_at(&kernels, (uint64_t)(uintptr_t)handle);
    struct kernel *kernel = malloc(sizeof *kernel);

    if (kernel == NULL || value == NULL) {
        free(kernel);
        return;
    }
    *kernel = (struct kernel){handle, is_library, owner, image_of(owner), strdup(name)};
    *value = (uint64_t)(uintptr_t)kernel;
}

void modules_linked(const void *state, const void *code, size_t size)
{
    struct image *image = image_of(state);

    if (image == NULL)
        image = new_image(state);
    if (image != NULL)
        add_code(image, code, size);
}

void modules_linked_file(const void *state, const char *path)
{
    struct image *image = image_of(state);

    if (image == NULL)
        image = new_image(state);
    if (image != NULL)
        add_file(image, path);
}

void modules_link_done(const void *state, const void *code, size_t size)
{
    struct image *image = image_of(state), *made;

    if (image == NULL || image->ptx == NULL || (made = malloc(sizeof *made)) == NULL)
        return;
    *made = (struct image){
        .ptx = image->ptx, .units = image->units, .machine_code = size, .next = linked};
    store_hash(code, size, made->hash);
    linked = made;
    *map_at(&images, (uint64_t)(uintptr_t)state) = 0;
}

/* ---- PTX ---- */

static bool is_name(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_' || letter == '$';
}

const char *ptx_find_entry(const char *ptx, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = ptx; (at = strstr(at, ".entry")) != NULL;) {
        at += strlen(".entry");
        at += strspn(at, " \t\r\n");
        if (strncmp(at, name, length) == 0 && !is_name(at[length]))
            return at + length;
    }
    return NULL;
}

/* Returns whether an instruction for textures or surfaces begins here. */
static bool is_of_textures(const char *at)
{
    static const char *const instructions[] = {"tex.", "tld4.", "txq.", "suld.", "sust.", "sured."};

    for (size_t k = 0; k < sizeof instructions / sizeof *instructions; k++)
        if (strncmp(at, instructions[k], strlen(instructions[k])) == 0)
            return true;
    return false;
}

bool ptx_uses_textures(const char *ptx, const char *name)
{
    const char *at = ptx_find_entry(ptx, name);
    int depth = 0;

    for (at += strcspn(at, "{"); *at != '\0'; at++) {
        depth += (*at == '{') - (*at == '}');
        if (depth == 0)
            return false;
        if (isspace((unsigned char)*at) && is_of_textures(at + 1))
            return true;
    }
    return false;
}

/* Advances past a word that begins with a dot, and blanks. */
static bool take(const char **at, const char *word)
{
    size_t length = strlen(word);

    if (strncmp(*at, word, length) != 0 || is_name((*at)[length]))
        return false;
    *at += length;
    *at += strspn(*at, " \t");
    return true;
}

bool ptx_next_variable(const char **at, char *name, size_t size)
{
    static const char *const linkages[] = {".extern", ".visible", ".weak", ".common"};

    while (**at != '\0') {
        const char *line = *at + strspn(*at, " \t"), *end;
        *at += strcspn(*at, "\n");
        *at += **at == '\n';
        for (size_t k = 0; k < sizeof linkages / sizeof *linkages; k++)
            take(&line, linkages[k]);
        if (!take(&line, ".global") && !take(&line, ".const"))
            continue;
        end = line + strcspn(line, "[=;\n");
        while (end > line && !is_name(end[-1]))
            end--;
        for (line = end; is_name(line[-1]);)
            line--;
        snprintf(name, size, "%.*s", (int)(end - line), line);
        return true;
    }
    return false;
}

/* ---- What the capture asks ---- */

const struct kernel *modules_find(const void *handle)
{
    return (const struct kernel *)(uintptr_t)map_get(&kernels, (uint64_t)(uintptr_t)handle);
}

const char *modules_hash(const struct kernel *kernel)
{
    return kernel->image != NULL ? kernel->image->hash : "";
}

/* Returns whether the first architecture suits the GPU better than the second. */
static bool suits_better(unsigned int first, unsigned int second, unsigned int capability)
{
    if ((first <= capability) != (second <= capability))
        return first <= capability;
    return first > second;
}

/* Looks for the PTX of machine code in Triton's cache, once. */
static void search_cache(struct image *image)
{
    char *text;

    if (image->ptx != NULL || image->machine_code == 0 || image->searched)
        return;
    image->searched = true;
    text = triton_ptx(image->machine_code, image->hash);
    if (text != NULL)
        add_ptx(image, (struct ptx){.text = text}, text, strlen(text));
}

/* Returns the PTX of the user's folder (--ptx), for kernels whose code has none. */
static const struct image *given_ptx(void)
{
    static struct image given;
    const char *folder = getenv("SIMTCHECK_CAPTURE_PTX"), *end;
    DIR *files = given.searched || folder == NULL ? NULL : opendir(folder);
    char error[CAPTURE_ERROR], *text;
    const struct dirent *file;
    size_t count;

    given.searched = true;
    while (files != NULL && (file = readdir(files)) != NULL) {
        end = strrchr(file->d_name, '.');
        if (end == NULL || strcmp(end, ".ptx") != 0 ||
            !store_read(folder, file->d_name, &text, &count, error, sizeof error))
            continue;
        add_text(&given, text, count);
        free(text);
    }
    if (files != NULL)
        closedir(files);
    return &given;
}

/* Decompresses the PTX, once. `error` says why it cannot be read. */
static const char *text_of(struct ptx *ptx, char *error, size_t size)
{
    if (ptx->text == NULL)
        ptx->text = fat_entry_read(&ptx->entry, error, size);
    return ptx->text;
}

static const struct ptx *better(const struct ptx *best, const struct ptx *ptx,
                                unsigned int capability)
{
    return best == NULL ||
                   suits_better(ptx->entry.architecture, best->entry.architecture, capability)
               ? ptx
               : best;
}

/* Returns the best PTX of the image with that kernel, or null. `error` says which cannot be read,
 * or is empty. */
static const struct ptx *find_ptx(const struct image *image, const char *name,
                                  unsigned int capability, char *error, size_t size)
{
    const struct ptx *best = NULL;

    error[0] = '\0';
    for (struct ptx *ptx = image->ptx; ptx != NULL; ptx = ptx->next)
        if (text_of(ptx, error, size) != NULL && ptx_find_entry(ptx->text, name) != NULL)
            best = better(best, ptx, capability);
    return best;
}

const char *modules_ptx(const struct kernel *kernel, const char *name, unsigned int capability,
                        char *why, size_t size)
{
    char error[CAPTURE_ERROR];
    const struct ptx *found;

    if (kernel == NULL || kernel->image == NULL) {
        error_write(why, size, "its code was loaded by a call that capture does not follow");
        return NULL;
    }
    search_cache(kernel->image);
    found = find_ptx(kernel->image, name, capability, error, sizeof error);
    if (found == NULL && error[0] == '\0')
        found = find_ptx(given_ptx(), name, capability, error, sizeof error);
    if (found != NULL)
        return found->text;
    if (error[0] != '\0')
        error_write(why, size, "its PTX cannot be read: %s", error);
    else
        error_write(why, size,
                    "its code has no PTX: compile it with -gencode "
                    "arch=compute_%u,code=compute_%u beside the other -gencode flags, or give its "
                    "PTX with --ptx",
                    capability, capability);
    return NULL;
}

/* Returns whether the PTX uses what another unit, or the driver, defines. */
static bool has_externals(const char *text)
{
    return strstr(text, ".extern .func") != NULL || strstr(text, ".extern .global") != NULL ||
           strstr(text, ".extern .const") != NULL;
}

/* Returns whether the PTX is that of CUDA's device runtime, libcudadevrt. The simulator has its
 * own.
 */
static bool is_device_runtime(const char *text)
{
    return strstr(text, "__cuda_syscall_") != NULL;
}

const char *modules_linked_ptx(const struct kernel *kernel, const char *text,
                               unsigned int capability, size_t *unit)
{
    const struct image *image = kernel->image;
    char error[CAPTURE_ERROR];

    while (has_externals(text) && *unit < image->units) {
        const struct ptx *best = NULL;
        bool is_other = true;
        for (struct ptx *ptx = image->ptx; ptx != NULL; ptx = ptx->next) {
            if (ptx->unit != *unit || text_of(ptx, error, sizeof error) == NULL)
                continue;
            is_other = is_other && ptx->text != text;
            best = better(best, ptx, capability);
        }
        ++*unit;
        if (best != NULL && is_other && !is_device_runtime(best->text))
            return best->text;
    }
    return NULL;
}

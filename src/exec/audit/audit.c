/* SPDX-License-Identifier: MIT
 *
 * The library that the dynamic linker loads into each process of `simtcheck exec` (LD_AUDIT). It
 * sees each file before any of its code runs, and makes the process use the stand-ins for CUDA's
 * libraries:
 *
 *  - Where a file asks for such a library, it names the stand-in. A search path in the file, such
 *    as DT_RPATH, has no say.
 *  - If a file contains the CUDA runtime, as nvcc links it by default, each function of that
 *    runtime gets a jump to the function of the stand-in. The symbol table of the file tells where
 *    they are. The stand-in is loaded by the first call.
 *
 * The file stays as it is if its runtime cannot be replaced as a whole: without symbols, or of an
 * unknown version. Such a runtime asks the driver for private tables, and cuGetExportTable() of the
 * stand-in says that the program cannot run.
 *
 * An audit library has a link namespace of its own: its C library and its symbols are not those of
 * the program.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

enum { PAGE = 4096, CANNOT_RUN = 2 };

/* ---- The stand-ins ---- */

struct stand_in {
    const char *name;
    unsigned int version; /* of the runtime; 0: the driver */
    char path[PATH_MAX];
    void *handle; /* null: not loaded by this library */
};

static struct stand_in stand_ins[] = {
    {"libcuda.so.1", 0, "", NULL},
    {"libcudart.so.11.0", 11, "", NULL},
    {"libcudart.so.12", 12, "", NULL},
    {"libcudart.so.13", 13, "", NULL},
};
enum { STAND_INS = sizeof stand_ins / sizeof *stand_ins };

/* They lie beside this library. */
static void find_stand_ins(void)
{
    Dl_info self;
    const char *end = dladdr(stand_ins, &self) != 0 ? strrchr(self.dli_fname, '/') : NULL;

    for (int k = 0; end != NULL && k < STAND_INS; k++)
        snprintf(stand_ins[k].path, PATH_MAX, "%.*s/%s", (int)(end - self.dli_fname),
                 self.dli_fname, stand_ins[k].name);
}

static bool is_stand_in(const char *path)
{
    for (int k = 0; k < STAND_INS; k++)
        if (strcmp(path, stand_ins[k].path) == 0)
            return true;
    return false;
}

PUBLIC unsigned int la_version(unsigned int version);
PUBLIC char *la_objsearch(const char *name, uintptr_t *cookie, unsigned int flag);
PUBLIC unsigned int la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie);

unsigned int la_version(unsigned int version)
{
    find_stand_ins();
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned int flag)
{
    const char *slash = strrchr(name, '/'), *file = slash != NULL ? slash + 1 : name;

    (void)cookie;
    for (int k = 0; flag == LA_SER_ORIG && k < STAND_INS; k++)
        if (strcmp(file, stand_ins[k].name) == 0)
            return stand_ins[k].path;
    return (char *)(uintptr_t)name;
}

/* ---- Symbol tables of files ---- */

struct file {
    const unsigned char *bytes; /* mapped; null: it cannot be read */
    size_t size;
    const ElfW(Shdr) * sections;
    size_t section_count;
    const ElfW(Sym) * symbols;
    size_t symbol_count;
    const char *names;
    size_t names_size;
};

static bool is_inside(const struct file *file, uint64_t at, uint64_t bytes)
{
    return at <= file->size && bytes <= file->size - at;
}

/* Takes the table of all symbols, or else that of the dynamic ones. */
static void find_symbols(struct file *file)
{
    const ElfW(Ehdr) *header = (const void *)file->bytes;
    const ElfW(Shdr) *table = NULL, *names;

    if (!is_inside(file, 0, sizeof *header) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof *table ||
        !is_inside(file, header->e_shoff, header->e_shnum * sizeof *table))
        return;
    file->sections = (const void *)(file->bytes + header->e_shoff);
    file->section_count = header->e_shnum;
    for (size_t k = 0; k < file->section_count; k++)
        if (file->sections[k].sh_type == SHT_SYMTAB ||
            (file->sections[k].sh_type == SHT_DYNSYM && table == NULL))
            table = &file->sections[k];
    if (table == NULL || table->sh_link >= file->section_count)
        return;
    names = &file->sections[table->sh_link];
    if (!is_inside(file, table->sh_offset, table->sh_size) || names->sh_size == 0 ||
        !is_inside(file, names->sh_offset, names->sh_size) ||
        file->bytes[names->sh_offset + names->sh_size - 1] != '\0')
        return;
    file->symbols = (const void *)(file->bytes + table->sh_offset);
    file->symbol_count = table->sh_size / sizeof *file->symbols;
    file->names = (const char *)(file->bytes + names->sh_offset);
    file->names_size = names->sh_size;
}

static void open_file(struct file *file, const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    void *bytes = MAP_FAILED;

    *file = (struct file){.bytes = NULL};
    if (descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))
        bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (descriptor >= 0)
        close(descriptor);
    if (bytes == MAP_FAILED)
        return;
    file->bytes = bytes;
    file->size = (size_t)status.st_size;
    find_symbols(file);
}

static void close_file(const struct file *file)
{
    if (file->bytes != NULL)
        munmap((void *)(uintptr_t)file->bytes, file->size);
}

/* Returns the name of a function that the file defines, if it can be one of the runtime's API;
 * else null. */
static const char *api_name(const struct file *file, const ElfW(Sym) * symbol)
{
    const char *name = symbol->st_name < file->names_size ? file->names + symbol->st_name : "";
    const char *rest = name + (strncmp(name, "__", 2) == 0 ? 2 : 0);

    return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
                   symbol->st_shndx < file->section_count && strncmp(rest, "cuda", 4) == 0 &&
                   rest[4] >= 'A' && rest[4] <= 'Z'
               ? name
               : NULL;
}

static const ElfW(Sym) * find_function(const struct file *file, const char *wanted)
{
    for (size_t k = 0; k < file->symbol_count; k++) {
        const char *name = api_name(file, &file->symbols[k]);
        if (name != NULL && strcmp(name, wanted) == 0)
            return &file->symbols[k];
    }
    return NULL;
}

/* ---- The version of a runtime ---- */

/* Returns the version that the code stores for its caller by mov $13000,(%rdi), or 0. */
static unsigned int stored_version(const unsigned char *code, const unsigned char *end)
{
    uint32_t number;

    for (; code + 6 <= end; code++)
        if (code[0] == 0xc7 && code[1] == 0x07) {
            memcpy(&number, code + 2, sizeof number);
            return number >= 1000 && number < 100000 && number % 10 == 0 ? number : 0;
        }
    return 0;
}

/* Returns the version of the runtime in a file, such as 13000; 0: unknown. cudaRuntimeGetVersion()
 * calls a function that stores it. */
static unsigned int runtime_version(const struct file *file)
{
    enum { LONGEST = 128 };
    const ElfW(Sym) *symbol = find_function(file, "cudaRuntimeGetVersion");
    const ElfW(Shdr) *section = symbol != NULL ? &file->sections[symbol->st_shndx] : NULL;
    const unsigned char *start, *end, *code, *called;
    unsigned int version;
    int32_t distance;

    if (symbol == NULL || !is_inside(file, section->sh_offset, section->sh_size) ||
        symbol->st_value < section->sh_addr ||
        symbol->st_value - section->sh_addr > section->sh_size ||
        symbol->st_size > section->sh_size - (symbol->st_value - section->sh_addr))
        return 0;
    start = file->bytes + section->sh_offset;
    end = start + section->sh_size;
    code = start + (symbol->st_value - section->sh_addr);
    version = stored_version(code, code + symbol->st_size);
    for (size_t k = 0; version == 0 && k + 5 <= symbol->st_size; k++) {
        memcpy(&distance, code + k + 1, sizeof distance);
        called = code + k + 5 + distance;
        if (code[k] == 0xe8 && called >= start && called < end)
            version = stored_version(called, end - called > LONGEST ? called + LONGEST : end);
    }
    return version;
}

/* ---- The functions of a runtime ---- */

struct functions {
    size_t count;
    struct function {
        const char *name; /* in the file */
        ElfW(Addr) at;    /* as the file is linked */
        bool has_room;    /* for a jump */
    } * all;
};

/* mov $slot, %r11; jmp *(%r11) */
enum { JUMP = 13 };

/* Returns whether a jump fits. A short function has room behind it, because the next one is
 * aligned, too. */
static bool has_room(const struct file *file, const ElfW(Sym) * symbol)
{
    enum { ALIGNMENT = 16 };
    const ElfW(Shdr) *section = &file->sections[symbol->st_shndx];

    return symbol->st_size >= JUMP ||
           (symbol->st_value % ALIGNMENT == 0 &&
            section->sh_addr + section->sh_size - symbol->st_value >= ALIGNMENT);
}

static int compare_names(const void *first, const void *second)
{
    return strcmp(((const struct function *)first)->name, ((const struct function *)second)->name);
}

/* Lists the functions with names of the API, in the order of the names. Without memory, there are
 * none. */
static struct functions list_functions(const struct file *file)
{
    struct functions list = {0, calloc(file->symbol_count + 1, sizeof *list.all)};

    for (size_t k = 0; list.all != NULL && k < file->symbol_count; k++) {
        const ElfW(Sym) *symbol = &file->symbols[k];
        const char *name = api_name(file, symbol);
        if (name != NULL)
            list.all[list.count++] =
                (struct function){name, symbol->st_value, has_room(file, symbol)};
    }
    if (list.count > 0)
        qsort(list.all, list.count, sizeof *list.all, compare_names);
    return list;
}

/* Returns the functions of the runtime in a file. The program may have functions with such names,
 * and even with the same ones: nvcc makes a static cudaLaunchKernel() for --default-stream
 * per-thread. But the runtime is linked as a whole, and its API is one section. So a name of the
 * stand-in that occurs once is the runtime's, and so is all that lies between such functions.
 *
 * Returns none if no local function lies there: then the file has lost its local symbols, as by
 * `strip -x`, and those functions of the API are missing which the linker has made local. */
static struct functions find_runtime(const struct file *file, const char *stand_in)
{
    struct functions found = list_functions(file), known;
    struct file stand_in_file;
    ElfW(Addr) low = UINT64_MAX, high = 0;
    size_t kept = 0;
    bool has_locals = false;

    open_file(&stand_in_file, stand_in);
    known = list_functions(&stand_in_file);
    for (size_t k = 0; k < found.count && known.count > 0; k++) {
        const struct function *one = &found.all[k];
        if ((k > 0 && compare_names(one, one - 1) == 0) ||
            (k + 1 < found.count && compare_names(one, one + 1) == 0) ||
            bsearch(one, known.all, known.count, sizeof *one, compare_names) == NULL)
            continue;
        low = one->at < low ? one->at : low;
        high = one->at > high ? one->at : high;
    }
    for (size_t k = 0; k < file->symbol_count; k++) {
        const ElfW(Sym) *symbol = &file->symbols[k];
        has_locals = has_locals || (symbol->st_info == ELF64_ST_INFO(STB_LOCAL, STT_FUNC) &&
                                    symbol->st_value > low && symbol->st_value < high &&
                                    api_name(file, symbol) == NULL);
    }
    for (size_t k = 0; k < found.count && has_locals; k++)
        if (found.all[k].at >= low && found.all[k].at <= high)
            found.all[kept++] = found.all[k];
    found.count = kept;
    free(known.all);
    close_file(&stand_in_file);
    return found;
}

/* ---- Jumps to the stand-in ---- */

/* A runtime that is replaced. Each of its functions jumps to the address in its slot, which at
 * first is that of the resolver. */
struct copy {
    struct stand_in *stand_in;
    struct slot {
        void *function;
        const struct copy *copy;
        const char *name;
    } slots[];
};

/* Ends the work of the simulator. Null: this library has loaded no stand-in. */
static void (*end_work)(void);

/* Runs after all destructors of the program and its libraries, because an audit library is the last
 * one that ends. The linker does not know that those libraries need the stand-in. */
__attribute__((destructor)) static void end_last(void)
{
    if (end_work != NULL)
        end_work();
}

/* Loads the stand-in into the program's namespace. */
static void load(struct stand_in *stand_in)
{
    void *handle = dlmopen(LM_ID_BASE, stand_in->path, RTLD_NOW);
    void *found = handle != NULL ? dlsym(handle, "exec_end_later") : NULL;
    void (*(*end_later)(void))(void);

    if (found == NULL) {
        dprintf(STDERR_FILENO, "simtcheck exec: %s\n", dlerror());
        _exit(CANNOT_RUN);
    }
    memcpy(&end_later, &found, sizeof found);
    end_work = end_later();
    stand_in->handle = handle;
}

static int not_supported(void)
{
    return 801; /* cudaErrorNotSupported */
}

/* Returns where a call goes on. `caller`: its return address. */
__attribute__((used)) static void *resolve(struct slot *slot, const void *caller)
{
    struct stand_in *stand_in = slot->copy->stand_in;
    int (*missing)(const char *, const void *);
    void *found;

    if (stand_in->handle == NULL)
        load(stand_in);
    found = dlsym(stand_in->handle, slot->name);
    if (found != NULL) {
        __atomic_store_n(&slot->function, found, __ATOMIC_RELEASE);
        return found;
    }
    found = dlsym(stand_in->handle, "exec_missing");
    memcpy(&missing, &found, sizeof missing);
    missing(slot->name, caller);
    return (void *)(uintptr_t)not_supported;
}

/* Calls resolve() and jumps to where it says. The functions of the runtime have no floating-point
 * parameters, so vector registers need not be kept. */
void audit_resolver(void);
__asm__(".text\n"
        ".globl audit_resolver\n"
        ".hidden audit_resolver\n"
        ".type audit_resolver, @function\n"
        "audit_resolver:\n"
        "    push %rdi\n    push %rsi\n    push %rdx\n    push %rcx\n    push %r8\n    push %r9\n"
        "    sub $8, %rsp\n"
        "    mov %r11, %rdi\n    mov 56(%rsp), %rsi\n"
        "    call resolve\n"
        "    mov %rax, %r11\n"
        "    add $8, %rsp\n"
        "    pop %r9\n    pop %r8\n    pop %rcx\n    pop %rdx\n    pop %rsi\n    pop %rdi\n"
        "    jmp *%r11\n"
        ".size audit_resolver, . - audit_resolver\n");

/* Returns slots for the functions. They stay, because threads may be on their way to them. */
static struct copy *make_slots(const struct functions *functions, struct stand_in *stand_in)
{
    struct copy *copy = malloc(sizeof *copy + functions->count * sizeof *copy->slots);

    if (copy == NULL)
        return NULL;
    copy->stand_in = stand_in;
    for (size_t k = 0; k < functions->count; k++) {
        copy->slots[k] =
            (struct slot){(void *)(uintptr_t)audit_resolver, copy, strdup(functions->all[k].name)};
        if (copy->slots[k].name == NULL)
            return NULL;
    }
    return copy;
}

static void put_jump(uintptr_t at, const struct slot *slot)
{
    unsigned char code[JUMP] = {0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0, 0x41, 0xff, 0x23};

    memcpy(code + 2, &slot, sizeof slot);
    memcpy((void *)at, code, sizeof code);
}

/* Replaces the functions. No code is ever writable and executable. */
static void replace(const struct link_map *map, const struct functions *functions,
                    struct stand_in *stand_in)
{
    uintptr_t low = UINTPTR_MAX, high = 0, at, start, bytes;
    const struct copy *copy;

    for (size_t k = 0; k < functions->count; k++) {
        at = map->l_addr + functions->all[k].at;
        if (!functions->all[k].has_room)
            return;
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    copy = functions->count > 0 ? make_slots(functions, stand_in) : NULL;
    start = low / PAGE * PAGE;
    bytes = (high + JUMP - start + PAGE - 1) / PAGE * PAGE;
    if (copy == NULL || mprotect((void *)start, bytes, PROT_READ | PROT_WRITE) != 0)
        return;
    for (size_t k = 0; k < functions->count; k++)
        put_jump(map->l_addr + functions->all[k].at, &copy->slots[k]);
    if (mprotect((void *)start, bytes, PROT_READ | PROT_EXEC) != 0) {
        dprintf(STDERR_FILENO,
                "simtcheck exec: the system does not permit to change the code of '%s': link it "
                "with nvcc -cudart shared\n",
                map->l_name);
        _exit(CANNOT_RUN);
    }
}

unsigned int la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
    const char *path = map->l_name[0] != '\0' ? map->l_name : "/proc/self/exe";
    struct functions functions;
    struct file file;
    unsigned int version;

    (void)space, (void)cookie;
    if (is_stand_in(path))
        return 0;
    open_file(&file, path);
    version = runtime_version(&file) / 1000;
    for (int k = 0; version > 0 && k < STAND_INS; k++)
        if (version == stand_ins[k].version) {
            functions = find_runtime(&file, stand_ins[k].path);
            replace(map, &functions, &stand_ins[k]);
            free(functions.all);
        }
    close_file(&file);
    return 0;
}

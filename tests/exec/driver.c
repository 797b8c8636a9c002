/* SPDX-License-Identifier: MIT
 *
 * A program on the driver API with PTX as text. It needs neither nvcc nor CUDA's headers.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int cuInit(unsigned int flags);
int cuDeviceGet(int *device, int number);
int cuCtxCreate_v2(void **context, unsigned int flags, int device);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuMemAlloc_v2(uint64_t *address, size_t bytes);
int cuMemFree_v2(uint64_t address);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuMemsetD32_v2(uint64_t to, unsigned int value, size_t count);
int cuLaunchKernel(void *function, unsigned int gx, unsigned int gy, unsigned int gz,
                   unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared_bytes,
                   void *stream, void **arguments, void **extra);
int cuGetProcAddress_v2(const char *name, void **found, int version, uint64_t flags, int *status);
int cuMemcpyHtoDAsync_v2_ptsz(uint64_t to, const void *from, size_t bytes, void *stream);
int cuIpcGetMemHandle(void *handle, uint64_t address);
int cuCtxSynchronize(void);
int cuCtxSynchronize_v2(void *context);
int cuLinkCreate_v2(unsigned int count, int *options, void **values, void **link);
int cuLinkAddData_v2(void *link, int type, void *data, size_t bytes, const char *name,
                     unsigned int count, int *options, void **values);
int cuLinkComplete(void *link, void **image, size_t *bytes);
int cuLinkDestroy(void *link);
int cuCtxDestroy_v2(void *context);

static const char ptx[] = ".version 7.8\n"
                          ".target sm_90\n"
                          ".address_size 64\n"
                          ".visible .entry increment(.param .u64 x)\n"
                          "{\n"
                          "    .reg .u64 %rd<4>;\n"
                          "    .reg .u32 %r<4>;\n"
                          "    ld.param.u64 %rd1, [x];\n"
                          "    mov.u32 %r1, %tid.x;\n"
                          "    mad.wide.u32 %rd2, %r1, 4, %rd1;\n"
                          "    ld.global.u32 %r2, [%rd2];\n"
                          "    add.u32 %r2, %r2, 1;\n"
                          "    st.global.u32 [%rd2], %r2;\n"
                          "    ret;\n"
                          "}\n";

static int failed;

static void check(int good, int line)
{
    if (!good)
        printf("line %d is wrong\n", line);
    failed += !good;
}

#define CHECK(condition) check(condition, __LINE__)
#define GOOD(call) CHECK((call) == 0)

/* A fat binary with that PTX, which is not compressed: src/capture/fat_binary.c has its layout. */
static struct {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t entries_bytes;
    struct {
        uint16_t kind, version;
        uint32_t header_bytes;
        uint64_t text_bytes;
        uint32_t unused[2];
        uint16_t minor, major;
        uint32_t architecture;
        uint64_t more[4];
    } entry;
    char text[sizeof ptx];
} fat = {.magic = 0xba55ed50,
         .version = 1,
         .header_bytes = offsetof(__typeof__(fat), entry),
         .entries_bytes = sizeof fat.entry + sizeof fat.text,
         .entry = {.kind = 1,
                   .header_bytes = sizeof fat.entry,
                   .text_bytes = sizeof fat.text,
                   .architecture = 90}};

/* A program may free an image after it has loaded it. */
static void load_and_clear(void)
{
    void *module, *function;

    memcpy(fat.text, ptx, sizeof ptx);
    GOOD(cuModuleLoadData(&module, &fat));
    memset(&fat, 0, sizeof fat);
    GOOD(cuModuleGetFunction(&function, module, "increment"));
}

static void link_and_load(void)
{
    void *link, *image, *module, *function;
    size_t bytes;

    GOOD(cuLinkCreate_v2(0, NULL, NULL, &link));
    CHECK(cuLinkComplete(link, &image, &bytes) == 1);
    GOOD(cuLinkAddData_v2(link, 1, (void *)(uintptr_t)ptx, sizeof ptx, "", 0, NULL, NULL));
    GOOD(cuLinkComplete(link, &image, &bytes));
    GOOD(cuModuleLoadData(&module, image));
    GOOD(cuLinkDestroy(link));
    GOOD(cuModuleGetFunction(&function, module, "increment"));
}

/* The name of a function means another one in another version of CUDA. */
static void find_variants(void)
{
    void *found;

    GOOD(cuGetProcAddress_v2("cuCtxSynchronize", &found, 12000, 0, NULL));
    CHECK(found == (void *)(uintptr_t)cuCtxSynchronize);
    GOOD(cuGetProcAddress_v2("cuCtxSynchronize", &found, 13000, 0, NULL));
    CHECK(found == (void *)(uintptr_t)cuCtxSynchronize_v2);
    CHECK(cuGetProcAddress_v2("cuNoSuchFunction", &found, 13000, 0, NULL) == 500);
}

int main(int argc, char **argv)
{
    enum { COUNT = 32 };
    void *context, *module, *function, *found, *arguments[1];
    uint64_t x, leaked;
    unsigned int host[COUNT] = {0};
    int device, status;

    GOOD(cuInit(0));
    GOOD(cuDeviceGet(&device, 0));
    CHECK(cuDeviceGet(&device, 1) == 101);
    GOOD(cuCtxCreate_v2(&context, 0, 0));
    GOOD(cuModuleLoadData(&module, ptx));
    GOOD(cuModuleGetFunction(&function, module, "increment"));
    if (argc > 1 && strcmp(argv[1], "idle") == 0)
        return failed;
    if (argc > 1 && strcmp(argv[1], "vanish") == 0)
        _exit(failed);
    CHECK(cuModuleGetFunction(&found, module, "missing") == 500);
    load_and_clear();
    link_and_load();
    find_variants();
    GOOD(cuMemAlloc_v2(&x, sizeof host));
    GOOD(cuMemsetD32_v2(x, 41, COUNT));
    arguments[0] = &x;
    GOOD(cuLaunchKernel(function, 1, 1, 1, COUNT, 1, 1, 0, NULL, arguments, NULL));
    GOOD(cuMemcpyDtoH_v2(host, x, sizeof host));
    CHECK(host[0] == 42 && host[COUNT - 1] == 42);
    GOOD(cuGetProcAddress_v2("cuMemAlloc", &found, 12000, 0, &status));
    CHECK(found == (void *)(uintptr_t)cuMemAlloc_v2);
    GOOD(cuGetProcAddress_v2("cuMemcpyHtoDAsync", &found, 12000, 2, &status));
    CHECK(found == (void *)(uintptr_t)cuMemcpyHtoDAsync_v2_ptsz);
    GOOD(cuMemAlloc_v2(&leaked, 12));         /* finding: memory-leak */
    CHECK(cuIpcGetMemHandle(host, x) == 801); /* finding: unsupported */
    GOOD(cuMemFree_v2(x));
    GOOD(cuCtxDestroy_v2(context));
    return failed;
}

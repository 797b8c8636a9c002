/* SPDX-License-Identifier: MIT
 *
 * Programs and libraries that contain the CUDA runtime, as nvcc links it by default. With -DLIBRARY, a library with the
 * function work(). Else a program: copies MODE [LIBRARY]. See test_copies.py.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

static const int count = 64;

static __global__ void fill(int *x, bool races)
{
#if defined SPECIFIC && !defined __CUDA_ARCH_FEAT_SM90_ALL
    return;
#endif
    x[threadIdx.x] = threadIdx.x;
    if (races)
        x[0] = threadIdx.x; /* finding: race */
}

#ifdef NESTED
static __global__ void parent(int *x, bool races)
{
    fill<<<1, count>>>(x, races);
}
#endif

/* Freed by a destructor that runs after those of static objects. */
static int *memory;

__attribute__((destructor)) static void free_memory()
{
    cudaFree(memory);
}

/* Returns 0 if the properties and the results are right. */
static int use_gpu(bool races)
{
    cudaDeviceProp properties;
    int x[count], wrong = 0;

    memset(&properties, 0, sizeof properties);
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess || properties.major != 9 ||
        properties.multiProcessorCount != 16 || properties.warpSize != 32)
        return 2;
    cudaMalloc(&memory, sizeof x);
#ifdef NESTED
    parent<<<1, 1>>>(memory, races);
#else
    fill<<<1, count>>>(memory, races);
#endif
    if (cudaMemcpy(x, memory, sizeof x, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 2;
    for (int k = 1; k < count; k++)
        wrong += x[k] != k;
    return wrong != 0;
}

#ifdef LIBRARY
extern "C" __attribute__((visibility("default"))) int work(bool races)
{
    return use_gpu(races);
}
#else
#ifdef LINKED
extern "C" int work(bool races);
#endif

static int open_and_work(const char *path, int flags)
{
    void *library = dlopen(path, flags);
    void *found = library != nullptr ? dlsym(library, "work") : nullptr;
    int (*work)(bool);

    if (found == nullptr) {
        fprintf(stderr, "%s\n", dlerror());
        return 3;
    }
    memcpy(&work, &found, sizeof work);
    return work(true);
}

/* Returns 1 if memory is writable and executable, or the code of this program is writable. */
static int look_at_pages(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    const unsigned long code = (unsigned long)static_cast<cudaError_t (*)(void **, size_t)>(cudaMalloc);
    unsigned long from, to;
    char line[4096], may[5];
    int wrong = 0;

    while (fgets(line, sizeof line, maps) != nullptr)
        if (sscanf(line, "%lx-%lx %4s", &from, &to, may) == 3 && may[1] == 'w')
            wrong |= may[2] == 'x' || (code >= from && code < to);
    fclose(maps);
    return wrong;
}

int main(int count, char **words)
{
    const char *mode = count > 1 ? words[1] : "races";

    if (strcmp(mode, "version") == 0) {
        int version = 0;
        cudaRuntimeGetVersion(&version);
        printf("%d\n", version / 1000);
        return use_gpu(false);
    }
    if (strcmp(mode, "pages") == 0)
        return use_gpu(false) + look_at_pages();
    if (strcmp(mode, "fork") == 0) {
        pid_t child = fork();
        int status = 0;
        if (child == 0)
            exit(use_gpu(true));
        waitpid(child, &status, 0);
        return status;
    }
    if (strcmp(mode, "become") == 0) {
        execl(words[0], words[0], "races", nullptr);
        return 3;
    }
    if (strcmp(mode, "open") == 0) /* the library comes first */
        return open_and_work(words[2], RTLD_NOW) + use_gpu(false);
    if (strcmp(mode, "bind") == 0)
        return use_gpu(false) + open_and_work(words[2], RTLD_NOW | RTLD_DEEPBIND);
#ifdef LINKED
    if (strcmp(mode, "linked") == 0)
        return work(true) + use_gpu(false);
#endif
    return use_gpu(true);
}
#endif

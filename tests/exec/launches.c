/* SPDX-License-Identifier: MIT
 *
 * A program whose argument has a letter for each launch, in their order, "s" for a pause, and "l"
 * for a leak. See test_launches.py.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int cuInit(unsigned int flags);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuMemAlloc_v2(uint64_t *address, size_t bytes);
int cuMemFree_v2(uint64_t address);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuLaunchKernel(void *function, unsigned int gx, unsigned int gy, unsigned int gz,
                   unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared_bytes,
                   void *stream, void **arguments, void **extra);
int cuCtxSynchronize(void);

/* Each thread gets its number in %r1, and x + 4 * number in %rd2. */
#define KERNEL(name, body)                                                                         \
    ".visible .entry " name "(.param .u64 x)\n{\n"                                                 \
    ".reg .u64 %rd<3>;\n.reg .u32 %r<3>;\n.reg .pred %p<2>;\n"                                     \
    "ld.param.u64 %rd1, [x];\nmov.u32 %r1, %tid.x;\n"                                              \
    "mad.wide.u32 %rd2, %r1, 4, %rd1;\n" body "ret;\n}\n"

/* Stores by all threads to bytes from 10 * A on: of the same value. */
#define STORE(at) "st.global.u8 [%rd1+" #at "], 7;\n"
#define TEN(a)                                                                                     \
    STORE(a##0)                                                                                    \
    STORE(a##1)                                                                                    \
    STORE(a##2) STORE(a##3) STORE(a##4) STORE(a##5) STORE(a##6) STORE(a##7) STORE(a##8) STORE(a##9)
static const char ptx[] = ".version 7.8\n.target sm_90\n.address_size 64\n" KERNEL(
    "_Z5rightPi", "st.global.u32 [%rd2], %r1;\n")
    KERNEL("_Z5wrongILi1EEvPi", "st.global.u32 [%rd1], %r1;\n")
        KERNEL("other", "st.global.u32 [%rd1+4], %r1;\n")
            KERNEL("unwritten", "ld.global.u32 %r2, [%rd2+1024];\nsetp.eq.u32 %p1, %r2, 0;\n"
                                "@%p1 bra $L;\nst.global.u32 [%rd2], %r1;\n$L:\n")
                KERNEL("past", "st.global.u32 [%rd2+65536], %r1;\n")
                    KERNEL("many", TEN(10) TEN(11) "st.global.u32 [%rd1], %r1;\n")
                        KERNEL("most", TEN(10) TEN(11) TEN(12) TEN(13) TEN(14) TEN(15) TEN(16));

int main(int count, char **words)
{
    static const char *const names[] = {
        "r_Z5rightPi", "w_Z5wrongILi1EEvPi", "oother", "uunwritten", "ppast", "mmany", "Mmost"};
    void *module, *function, *arguments[1];
    uint64_t x;
    int error = 0;

    if (cuInit(0) != 0 || cuModuleLoadData(&module, ptx) != 0 || cuMemAlloc_v2(&x, 4096) != 0)
        return 1;
    arguments[0] = &x;
    for (const char *word = count > 1 ? words[1] : ""; *word != '\0'; word++) {
        if (*word == 's')
            usleep(700000);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (*word == names[k][0]) {
                cuModuleGetFunction(&function, module, names[k] + 1);
                cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL);
                error = cuCtxSynchronize();
            }
    }
    if (count > 1 && strchr(words[1], 'l') == NULL)
        cuMemFree_v2(x);
    return error != 0;
}

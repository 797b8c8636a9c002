/* SPDX-License-Identifier: MIT
 *
 * Launches from device code. In device code, clang has no kernel<<<...>>>() and does not allow the
 * name of a kernel. But a constant in device memory may hold a kernel's address. LAUNCH() of
 * include/simtcheck/dialect.h uses this.
 */
#ifndef SIMTCHECK_CLANG_LAUNCH_H
#define SIMTCHECK_CLANG_LAUNCH_H

template <typename Kernel, Kernel kernel>
struct simt_kernel_address {
    static __device__ const void *const value;
};

template <typename Kernel, Kernel kernel>
__device__ const void *const simt_kernel_address<Kernel, kernel>::value = (const void *)kernel;

template <typename Kernel, Kernel kernel>
struct simt_launcher;

template <typename... Parameters, void (*kernel)(Parameters...)>
struct simt_launcher<void (*)(Parameters...), kernel> {
    dim3 grid, block;
    unsigned int shared_bytes;
    cudaStream_t stream;

    __device__ __attribute__((always_inline, nodebug))
    simt_launcher(dim3 grid_, dim3 block_, size_t shared_bytes_ = 0, cudaStream_t stream_ = nullptr)
        : grid(grid_), block(block_), shared_bytes(static_cast<unsigned int>(shared_bytes_)),
          stream(stream_)
    {
    }

    /* The buffer has the layout of a struct whose members are the parameters. */
    __device__ __attribute__((always_inline, nodebug)) void
    operator()(Parameters... parameters) const
    {
        void *address =
            const_cast<void *>(simt_kernel_address<void (*)(Parameters...), kernel>::value);
        char *buffer =
            static_cast<char *>(__cudaCDP2GetParameterBufferV2(address, grid, block, shared_bytes));
        if (buffer == nullptr)
            return;
        store(buffer, 0, parameters...);
        __cudaCDP2LaunchDeviceV2(buffer, stream);
    }

  private:
    static __device__ __attribute__((always_inline, nodebug)) void store(char *, size_t)
    {
    }

    template <typename First, typename... More>
    static __device__ __attribute__((always_inline, nodebug)) void
    store(char *buffer, size_t offset, First first, More... more)
    {
        offset = (offset + alignof(First) - 1) / alignof(First) * alignof(First);
        *reinterpret_cast<First *>(buffer + offset) = first;
        store(buffer, offset + sizeof(First), more...);
    }
};

#endif

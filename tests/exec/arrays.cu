/* SPDX-License-Identifier: MIT
 *
 * CUDA arrays, textures and surfaces that are used correctly, and wrong uses of arrays.
 */
#include <cstdio>
#include <cstring>

static const int width = 8, height = 4, layers = 6;

static void check(bool is_right, int line)
{
    if (!is_right)
        printf("line %d is wrong\n", line);
}

#define CHECK(condition) check(condition, __LINE__)
#define GOOD(call) CHECK((call) == cudaSuccess)

/* ---- Objects ---- */

static cudaResourceDesc resource_of(cudaArray_t array)
{
    cudaResourceDesc made = {};

    made.resType = cudaResourceTypeArray;
    made.res.array.array = array;
    return made;
}

static cudaTextureDesc plain()
{
    cudaTextureDesc made = {};

    for (int d = 0; d < 3; d++)
        made.addressMode[d] = cudaAddressModeClamp;
    return made;
}

static cudaTextureObject_t texture_of(const cudaResourceDesc &resource,
                                      const cudaTextureDesc &texture)
{
    cudaTextureObject_t made = 0;

    GOOD(cudaCreateTextureObject(&made, &resource, &texture, nullptr));
    return made;
}

/* ---- Kernels ---- */

__global__ void read_plane(cudaTextureObject_t texture, float *out, float x, float y)
{
    out[threadIdx.x] = tex2D<float>(texture, x + threadIdx.x, y);
}

__global__ void read_late(cudaTextureObject_t texture, float *out)
{
    out[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, 0.5f); /* finding: race */
}

__global__ void read_volume(cudaTextureObject_t texture, float *out, float z)
{
    out[threadIdx.x] = tex3D<float>(texture, threadIdx.x + 0.5f, 1.5f, z);
}

__global__ void read_layer(cudaTextureObject_t texture, float *out, int layer)
{
    out[threadIdx.x] = tex2DLayered<float>(texture, threadIdx.x + 0.5f, 1.5f, layer);
}

__global__ void read_cube(cudaTextureObject_t texture, float *out)
{
    out[0] = texCubemap<float>(texture, 1, 0, 0);
    out[1] = texCubemap<float>(texture, 0, 0, -1);
}

__global__ void read_line(const cudaTextureObject_t *textures, float *out)
{
    out[threadIdx.x] = tex1Dfetch<float>(textures[1], threadIdx.x);
}

__global__ void read_color(cudaTextureObject_t texture, float4 *out)
{
    out[0] = tex2D<float4>(texture, 1.5f, 0.5f);
}

__global__ void write_surface(cudaSurfaceObject_t surface)
{
    surf2Dwrite<float>(10.0f * threadIdx.y + threadIdx.x, surface, threadIdx.x * 4, threadIdx.y);
}

__global__ void write_place(cudaSurfaceObject_t surface)
{
    surf2Dwrite<float>(threadIdx.x, surface, 0, 0); /* finding: race */
}

/* ---- Correct uses ---- */

static float plane[height][width];

static void use_plane(float *out)
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaChannelFormatDesc found;
    cudaExtent extent;
    unsigned int flags;
    cudaArray_t array, copied;
    cudaTextureObject_t texture;
    cudaResourceDesc resource;
    cudaTextureDesc reading = plain();
    float host[height][width] = {}, row[width];

    GOOD(cudaMallocArray(&array, &format, width, height));
    GOOD(cudaMallocArray(&copied, &format, width, height));
    GOOD(cudaArrayGetInfo(&found, &extent, &flags, array));
    CHECK(found.x == 32 && found.y == 0 && found.f == cudaChannelFormatKindFloat);
    CHECK(extent.width == width && extent.height == height && extent.depth == 0 && flags == 0);
    GOOD(cudaMemcpy2DToArray(array, 0, 0, plane, sizeof plane[0], sizeof plane[0], height,
                             cudaMemcpyHostToDevice));
    GOOD(cudaMemcpy2DArrayToArray(copied, 0, 0, array, 0, 0, sizeof plane[0], height));
    GOOD(cudaMemcpy2DToArray(copied, 4, 2, plane, sizeof plane[0], 8, 1, cudaMemcpyHostToDevice));
    GOOD(cudaMemcpy2DFromArray(host, sizeof host[0], copied, 0, 0, sizeof host[0], height,
                               cudaMemcpyDeviceToHost));
    CHECK(host[2][0] == plane[2][0] && host[2][1] == plane[0][0] && host[2][2] == plane[0][1]);
    CHECK(host[3][7] == plane[3][7]);

    reading.filterMode = cudaFilterModeLinear;
    reading.addressMode[1] = cudaAddressModeWrap; /* clamps, because of the coordinates */
    texture = texture_of(resource_of(array), reading);
    GOOD(cudaGetTextureObjectResourceDesc(&resource, texture));
    CHECK(resource.res.array.array == array);
    memset(&reading, 0, sizeof reading);
    GOOD(cudaGetTextureObjectTextureDesc(&reading, texture));
    CHECK(reading.filterMode == cudaFilterModeLinear);
    read_plane<<<1, width>>>(texture, out, 1, 1.5f);
    GOOD(cudaMemcpy(row, out, sizeof row, cudaMemcpyDeviceToHost));
    CHECK(row[0] == 10.5f && row[7] == 17);
    GOOD(cudaDestroyTextureObject(texture));
    GOOD(cudaFreeArray(array));
    GOOD(cudaFreeArray(copied));
    GOOD(cudaFreeArray(nullptr));
}

/* A volume, layers and a cubemap have the same texels. */
static void use_volume(float *out, unsigned int flags)
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const int rows = flags == 0 ? height : width;
    static float volume[layers * width * width];
    cudaArray_t array;
    cudaTextureDesc reading = plain();
    cudaTextureObject_t texture;
    cudaMemcpy3DParms copied = {};
    float row[width], part[2][2][2];

    for (int k = 0; k < layers * rows * width; k++)
        volume[k] = k;
    GOOD(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, rows, layers), flags));
    copied.srcPtr = make_cudaPitchedPtr(volume, width * sizeof(float), width, rows);
    copied.dstArray = array;
    copied.extent = make_cudaExtent(width, rows, layers);
    copied.kind = cudaMemcpyHostToDevice;
    GOOD(cudaMemcpy3D(&copied));

    reading.normalizedCoords = flags == cudaArrayCubemap;
    texture = texture_of(resource_of(array), reading);
    if (flags == 0)
        read_volume<<<1, width>>>(texture, out, 3.5f);
    else if (flags == cudaArrayLayered)
        read_layer<<<1, width>>>(texture, out, 3);
    else
        read_cube<<<1, 1>>>(texture, out);
    GOOD(cudaDeviceSynchronize());
    GOOD(cudaMemcpy(row, out, flags == cudaArrayCubemap ? 8 : sizeof row, cudaMemcpyDeviceToHost));
    if (flags == cudaArrayCubemap)
        CHECK(row[0] == 4 * width + 4 && row[1] == (5 * rows + 4) * width + 4);
    else
        CHECK(row[2] == (3 * rows + 1) * width + 2);

    copied = cudaMemcpy3DParms();
    copied.srcArray = array;
    copied.srcPos = make_cudaPos(3, 1, 4);
    copied.dstPtr = make_cudaPitchedPtr(part, 2 * sizeof(float), 2, 2);
    copied.extent = make_cudaExtent(2, 2, 2);
    copied.kind = cudaMemcpyDeviceToHost;
    GOOD(cudaMemcpy3D(&copied));
    CHECK(part[1][0][1] == (5 * rows + 1) * width + 4 &&
          part[0][1][0] == (4 * rows + 2) * width + 3);
    GOOD(cudaDestroyTextureObject(texture));
    GOOD(cudaFreeArray(array));
}

/* Textures of memory: a handle that a kernel reads from memory, and rows with a pitch. */
static void use_memory(float *out)
{
    cudaResourceDesc resource = {};
    cudaTextureObject_t textures[2] = {}, *handles, texture;
    float *memory, row[width];
    size_t pitch;

    GOOD(cudaMallocPitch(&memory, &pitch, sizeof plane[0], height));
    CHECK(pitch > sizeof plane[0]);
    GOOD(cudaMemcpy2D(memory, pitch, plane, sizeof plane[0], sizeof plane[0], height,
                      cudaMemcpyHostToDevice));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 5 * sizeof(float);
    textures[1] = texture_of(resource, plain());
    GOOD(cudaMalloc(&handles, sizeof textures));
    GOOD(cudaMemcpy(handles, textures, sizeof textures, cudaMemcpyHostToDevice));
    read_line<<<1, width>>>(handles, out);
    GOOD(cudaMemcpy(row, out, sizeof row, cudaMemcpyDeviceToHost));
    CHECK(row[4] == 4 && row[5] == 0); /* 0: outside */

    resource = cudaResourceDesc();
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    texture = texture_of(resource, plain());
    read_plane<<<1, width>>>(texture, out, 0.5f, 3.5f);
    GOOD(cudaMemcpy(row, out, sizeof row, cudaMemcpyDeviceToHost));
    CHECK(row[0] == 30 && row[7] == 37);
    GOOD(cudaDestroyTextureObject(textures[1]));
    GOOD(cudaDestroyTextureObject(texture));
    GOOD(cudaFree(handles));
    GOOD(cudaFree(memory));
}

/* Bytes that are read as floats, with wrapping. */
static void use_colors()
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
    const uchar4 colors[2] = {{0, 51, 102, 153}, {204, 255, 0, 51}};
    cudaArray_t array;
    cudaTextureDesc reading = plain();
    cudaTextureObject_t texture;
    float4 *out, color;

    reading.readMode = cudaReadModeNormalizedFloat;
    reading.normalizedCoords = 1;
    reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeWrap;
    GOOD(cudaMallocArray(&array, &format, 2, 1));
    GOOD(cudaMemcpy2DToArray(array, 0, 0, colors, sizeof colors, sizeof colors, 1,
                             cudaMemcpyHostToDevice));
    texture = texture_of(resource_of(array), reading);
    GOOD(cudaMalloc(&out, sizeof *out));
    read_color<<<1, 1>>>(texture, out);
    GOOD(cudaMemcpy(&color, out, sizeof color, cudaMemcpyDeviceToHost));
    CHECK(color.x == 204 / 255.0f && color.y == 1 && color.z == 0 && color.w == 51 / 255.0f);
    GOOD(cudaDestroyTextureObject(texture));
    GOOD(cudaFreeArray(array));
    GOOD(cudaFree(out));
}

static cudaSurfaceObject_t use_surface(cudaArray_t *array)
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc wanted, resource;
    cudaSurfaceObject_t surface;
    float host[height][width];

    GOOD(cudaMallocArray(array, &format, width, height, cudaArraySurfaceLoadStore));
    wanted = resource_of(*array);
    GOOD(cudaCreateSurfaceObject(&surface, &wanted));
    GOOD(cudaGetSurfaceObjectResourceDesc(&resource, surface));
    CHECK(resource.res.array.array == *array);
    write_surface<<<1, dim3(width, height)>>>(surface);
    GOOD(cudaMemcpy2DFromArray(host, sizeof host[0], *array, 0, 0, sizeof host[0], height,
                               cudaMemcpyDeviceToHost));
    CHECK(host[3][5] == 35);
    return surface;
}

/* ---- Wrong uses ---- */

static void misuse_arrays(float *out)
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const cudaExtent extent = make_cudaExtent(width, height, 0);
    cudaTextureDesc reading = plain();
    const cudaMemcpyKind to = cudaMemcpyHostToDevice, from = cudaMemcpyDeviceToHost;
    cudaMipmappedArray_t mipmaps;
    cudaError_t error;
    cudaArray_t array;
    cudaResourceDesc resource;
    cudaSurfaceObject_t surface;
    cudaTextureObject_t texture;
    float row[width];

    GOOD(cudaMallocArray(&array, &format, width, height));
    resource = resource_of(array);
    error = cudaMemcpyToArray(array, 4, 3, plane, 32, to); /* finding: invalid-call */
    CHECK(error == cudaErrorInvalidValue);
    error = cudaMemcpy2DToArray(array, 4, 0, plane, 32, 32, 1, to); /* finding: invalid-call */
    CHECK(error == cudaErrorInvalidValue);
    cudaMemcpy2DFromArray(row, 32, array, 0, 1, 32, 1, from); /* finding: uninitialized-read */
    error = cudaMallocArray(&array, &format, 1 << 20, 1);     /* finding: invalid-call */
    CHECK(error == cudaErrorInvalidValue);
    error = cudaCreateSurfaceObject(&surface, &resource); /* finding: invalid-call */
    CHECK(error == cudaErrorInvalidValue);
    reading.normalizedCoords = 1;
    reading.addressMode[1] = cudaAddressModeWrap;
    error = cudaCreateTextureObject(&texture, &resource, &reading, 0); /* finding: unsupported */
    CHECK(error == cudaErrorNotSupported);
    error = cudaMallocMipmappedArray(&mipmaps, &format, extent, 2); /* finding: unsupported */
    CHECK(error == cudaErrorNotSupported);

    texture = texture_of(resource, plain());
    read_plane<<<1, width>>>(texture, out, 0.5f, 0.5f);
    cudaMemcpy(row, out, sizeof row, cudaMemcpyDeviceToHost); /* finding: uninitialized-read */
    GOOD(cudaDestroyTextureObject(texture));
    GOOD(cudaFreeArray(array));
    CHECK(cudaFreeArray(array) == cudaErrorInvalidValue); /* finding: invalid-free */
    GOOD(cudaMallocArray(&array, &format, 3, 1));         /* finding: memory-leak */
}

/* A stream reads the array by a texture while another copies to it. */
static void copy_unordered(cudaArray_t array, float *out)
{
    cudaTextureObject_t texture = texture_of(resource_of(array), plain());
    cudaStream_t one, other;

    GOOD(cudaStreamCreate(&one));
    GOOD(cudaStreamCreate(&other));
    read_late<<<1, width, 0, one>>>(texture, out);
    GOOD(cudaMemcpy2DToArrayAsync(array, 0, 0, plane, sizeof plane[0], sizeof plane[0], height,
                                  cudaMemcpyHostToDevice, other));
    GOOD(cudaDeviceSynchronize());
    GOOD(cudaDestroyTextureObject(texture));
    GOOD(cudaStreamDestroy(one));
    GOOD(cudaStreamDestroy(other));
}

int main()
{
    cudaSurfaceObject_t surface;
    cudaArray_t array;
    float *out;

    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            plane[y][x] = 10 * y + x;
    GOOD(cudaMalloc(&out, width * sizeof *out));
    use_plane(out);
    use_volume(out, 0);
    use_volume(out, cudaArrayLayered);
    use_volume(out, cudaArrayCubemap);
    use_memory(out);
    use_colors();
    surface = use_surface(&array);
    misuse_arrays(out);
    write_place<<<1, 2>>>(surface);
    copy_unordered(array, out);
    GOOD(cudaDestroySurfaceObject(surface));
    GOOD(cudaFreeArray(array));
    GOOD(cudaFree(out));
    return 0;
}

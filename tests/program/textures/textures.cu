/* Kernels that read textures and write surfaces, and similar ones with a bug. */

#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define Y (blockIdx.y * blockDim.y + threadIdx.y)

__global__ void resize(cudaTextureObject_t image, float *out, int w, int h)
{
    int x = X, y = Y;
    if (x < w && y < h)
        out[y * w + x] = tex2D<float>(image, (x + 0.5f) / w, (y + 0.5f) / h);
}

__global__ void transpose(cudaTextureObject_t image, cudaSurfaceObject_t out, int w, int h)
{
    int x = X, y = Y;
    if (x < w && y < h)
        surf2Dwrite(tex2D<float>(image, x, y), out, y * (int)sizeof(float), x);
}

__global__ void lookUp(cudaTextureObject_t table, const float *in, float *out, int n)
{
    int i = X;
    if (i < n)
        out[i] = tex3D<float>(table, in[i], in[(i + 1) % n], in[(i + 2) % n]);
}

__global__ void sumLayers(cudaTextureObject_t images, float *out, int n, int layers)
{
    int i = X;
    float sum = 0;
    for (int k = 0; i < n && k < layers; k++)
        sum += tex1DLayered<float>(images, i + 0.5f, k);
    if (i < n)
        out[i] = sum;
}

__global__ void fetch(cudaTextureObject_t in, float *out, int n)
{
    int i = X;
    if (i < n)
        out[i] = tex1Dfetch<float>(in, n - 1 - i);
}

__global__ void colours(cudaTextureObject_t in, uchar4 *out, int w, int h)
{
    int x = X, y = Y;
    if (x >= w || y >= h)
        return;
    float4 c = tex2D<float4>(in, x + 0.25f, y + 0.75f);
    out[y * w + x] = make_uchar4(c.x * 255, c.y * 255, c.z * 255, c.w * 255);
}

/* Each thread reads its texel before it writes it. */
__global__ void invert(cudaSurfaceObject_t image, int w, int h)
{
    int x = X, y = Y;
    if (x < w && y < h) {
        unsigned value;
        surf2Dread(&value, image, x * 4, y);
        surf2Dwrite(~value, image, x * 4, y);
    }
}

__device__ cudaTextureObject_t shared_image;

__global__ void readsVariable(float *out, int n)
{
    int i = X;
    if (i < n)
        out[i] = tex1D<float>(shared_image, i);
}

/* ---- Bugs ---- */

/* x counts texels and not bytes. */
__global__ void countsTexels(cudaTextureObject_t image, cudaSurfaceObject_t out, int w, int h)
{
    int x = X, y = Y;
    if (x < w && y < h)
        surf2Dwrite(tex2D<float>(image, x, y), out, x, y);
}

__global__ void exchangesSizes(cudaTextureObject_t image, cudaSurfaceObject_t out, int w, int h)
{
    int x = X, y = Y;
    if (x < w && y < h)
        surf2Dwrite(tex2D<float>(image, x, y), out, x * (int)sizeof(float), y);
}

/* The texture may not show what the launch has written to the surface. */
__global__ void readsItsWrites(cudaSurfaceObject_t out, cudaTextureObject_t same, float *copy)
{
    int x = threadIdx.x;
    surf1Dwrite((float)x, out, x * 4);
    __syncthreads();
    copy[x] = tex1D<float>(same, x + 0.5f);
}

__global__ void readsWrittenMemory(float *x, cudaTextureObject_t same, float *copy)
{
    int i = threadIdx.x;
    x[i] = i;
    copy[i] = tex1Dfetch<float>(same, i);
}

/* Neighbours write the same texel. */
__global__ void writesTwice(cudaSurfaceObject_t out)
{
    int x = threadIdx.x;
    surf1Dwrite((float)x, out, x / 2 * 4);
}

__global__ void readsUnwritten(cudaSurfaceObject_t out, float *copy)
{
    int x = threadIdx.x;
    float value;
    surf1Dread(&value, out, x * 4);
    copy[x] = value + 1;
}

__global__ void readsOutside(cudaSurfaceObject_t in, float *copy)
{
    int x = threadIdx.x;
    float value;
    surf1Dread(&value, in, (x + 1) * 4);
    copy[x] = value;
}

__global__ void passesAnotherNumber(unsigned long long handle, float *copy)
{
    copy[threadIdx.x] = tex1D<float>(handle, threadIdx.x);
}

/* ---- Handles in structs and in arrays ---- */

struct Pair {
    cudaTextureObject_t front;
    float share;
    cudaTextureObject_t back;
};

__global__ void blend(Pair images, float *out, int w, int h)
{
    int x = X, y = Y;
    if (x < w && y < h)
        out[y * w + x] = tex2D<float>(images.front, x + 0.5f, y + 0.5f) +
                         images.share * tex2D<float>(images.back, x + 0.5f, y + 0.5f);
}

/* One image below the other. With a `last` of `count`, it reads a handle past the array. */
__global__ void stack(const cudaTextureObject_t *images, float *out, int w, int count, int last)
{
    int x = X;
    for (int k = 0; k < count && x < w; k++)
        out[k * w + x] = tex1D<float>(images[k == count - 1 ? last : k], x + 0.5f);
}

struct Row {
    int width;
    cudaTextureObject_t in;
    cudaSurfaceObject_t out;
    const float *add;
    int done;
};

/* Each block computes a row. With a `share` of 2, two threads write each texel. */
__global__ void addRows(Row *rows, int share)
{
    Row *row = &rows[blockIdx.x];
    int x = threadIdx.x / share;
    if (x < row->width)
        surf1Dwrite(tex1D<float>(row->in, x + 0.5f) + row->add[x], row->out, 4 * x);
    if (threadIdx.x == 0)
        row->done = row->width;
}

/* Sums a texture of n texels and one of half of them. */
__global__ void sumLevels(const cudaTextureObject_t *levels, float *out, int n)
{
    int i = X;
    if (i < n)
        out[i] = tex1D<float>(levels[0], i + 0.5f) + tex1D<float>(levels[1], i / 2 + 0.5f);
}

__constant__ cudaTextureObject_t lookUps[2];

__global__ void readsConstants(float *out, int n)
{
    int i = X;
    if (i < n)
        out[i] = tex1D<float>(lookUps[i % 2], i / 2 + 0.5f);
}

/* Kernels that read textures and write surfaces, and similar ones with a bug. */

__global__ void resize(cudaTextureObject_t image, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = tex2D<float>(image, (x + 0.5f) / w, (y + 0.5f) / h);
}

__global__ void transpose(cudaTextureObject_t image, cudaSurfaceObject_t out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        surf2Dwrite(tex2D<float>(image, x, y), out, y * (int)sizeof(float), x);
}

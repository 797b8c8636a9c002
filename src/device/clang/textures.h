/* SPDX-License-Identifier: MIT
 *
 * Texture and surface objects: CUDA C++ Programming Guide, texture functions and surface functions;
 * CUDA Runtime API.
 */
#ifndef SIMTCHECK_CLANG_TEXTURES_H
#define SIMTCHECK_CLANG_TEXTURES_H

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

enum cudaSurfaceBoundaryMode {
    cudaBoundaryModeZero,
    cudaBoundaryModeClamp,
    cudaBoundaryModeTrap,
};

/* ---- Texels ---- */

/* The type of the components of a texel in registers, and the texel from four of them. */
template <typename Texel>
struct simt_texel;

#define SIMT_TEXEL(type, component_type, ...)                                                      \
    template <>                                                                                    \
    struct simt_texel<type> {                                                                      \
        typedef component_type component;                                                          \
        static SIMT_TEXEL_ON_DEVICE type of(const component_type (&v)[4])                          \
        {                                                                                          \
            return __VA_ARGS__;                                                                    \
        }                                                                                          \
    };
#define SIMT_TEXEL_ON_DEVICE __inline__ __attribute__((device, always_inline, nodebug, unused))
#define SIMT_TEXELS(name, type, component_type)                                                    \
    SIMT_TEXEL(type, component_type, (type)v[0])                                                   \
    SIMT_TEXEL(name##1, component_type, {(type)v[0]})                                              \
    SIMT_TEXEL(name##2, component_type, {(type)v[0], (type)v[1]})                                  \
    SIMT_TEXEL(name##4, component_type, {(type)v[0], (type)v[1], (type)v[2], (type)v[3]})
SIMT_TEXEL(char, int, (char)v[0])
SIMT_TEXELS(char, signed char, int)
SIMT_TEXELS(uchar, unsigned char, unsigned int)
SIMT_TEXELS(short, short, int)
SIMT_TEXELS(ushort, unsigned short, unsigned int)
SIMT_TEXELS(int, int, int)
SIMT_TEXELS(uint, unsigned int, unsigned int)
SIMT_TEXELS(float, float, float)
#undef SIMT_TEXELS
#undef SIMT_TEXEL
#undef SIMT_TEXEL_ON_DEVICE

/* ---- Textures ---- */

#define SIMT_PARAMETERS(...) __VA_ARGS__
#define SIMT_READ_AS(name, type, letter, kind, before, after, parameters, operands, ...)           \
    SIMT_ON_DEVICE void simt_##name(type(&v)[4], cudaTextureObject_t texture, parameters)          \
    {                                                                                              \
        __asm__ volatile(before ".v4." kind after " {%0, %1, %2, %3}, [%[t], " operands ";"        \
                         : "=" letter(v[0]), "=" letter(v[1]), "=" letter(v[2]), "=" letter(v[3])  \
                         : [t] "l"(texture), __VA_ARGS__);                                         \
    }
#define SIMT_READ(name, before, after, parameters, names, operands, ...)                           \
    SIMT_READ_AS(name, float, "f", "f32", before, after, SIMT_PARAMETERS parameters, operands,     \
                 __VA_ARGS__)                                                                      \
    SIMT_READ_AS(name, int, "r", "s32", before, after, SIMT_PARAMETERS parameters, operands,       \
                 __VA_ARGS__)                                                                      \
    SIMT_READ_AS(name, unsigned int, "r", "u32", before, after, SIMT_PARAMETERS parameters,        \
                 operands, __VA_ARGS__)                                                            \
    template <typename Type>                                                                       \
    SIMT_ON_DEVICE Type name(cudaTextureObject_t texture, SIMT_PARAMETERS parameters)              \
    {                                                                                              \
        typename simt_texel<Type>::component v[4];                                                 \
        simt_##name(v, texture, SIMT_PARAMETERS names);                                            \
        return simt_texel<Type>::of(v);                                                            \
    }                                                                                              \
    template <typename Type>                                                                       \
    SIMT_ON_DEVICE void name(Type *texel, cudaTextureObject_t texture, SIMT_PARAMETERS parameters) \
    {                                                                                              \
        *texel = name<Type>(texture, SIMT_PARAMETERS names);                                       \
    }

SIMT_READ(tex1Dfetch, "tex.1d", ".s32", (int x), (x), "{%[x]}]", [x] "r"(x))
SIMT_READ(tex1D, "tex.1d", ".f32", (float x), (x), "{%[x]}]", [x] "f"(x))
SIMT_READ(tex2D, "tex.2d", ".f32", (float x, float y), (x, y),
          "{%[x], %[y]}]", [x] "f"(x), [y] "f"(y))
SIMT_READ(tex3D, "tex.3d", ".f32", (float x, float y, float z), (x, y, z),
          "{%[x], %[y], %[z], %[z]}]", [x] "f"(x), [y] "f"(y), [z] "f"(z))
SIMT_READ(tex1DLayered, "tex.a1d", ".f32", (float x, int layer), (x, layer),
          "{%[l], %[x]}]", [x] "f"(x), [l] "r"(layer))
SIMT_READ(tex2DLayered, "tex.a2d", ".f32", (float x, float y, int layer), (x, y, layer),
          "{%[l], %[x], %[y], %[y]}]", [x] "f"(x), [y] "f"(y), [l] "r"(layer))
SIMT_READ(texCubemap, "tex.cube", ".f32", (float x, float y, float z), (x, y, z),
          "{%[x], %[y], %[z], %[z]}]", [x] "f"(x), [y] "f"(y), [z] "f"(z))
SIMT_READ(texCubemapLayered, "tex.acube", ".f32", (float x, float y, float z, int layer),
          (x, y, z, layer),
          "{%[l], %[x], %[y], %[z]}]", [x] "f"(x), [y] "f"(y), [z] "f"(z), [l] "r"(layer))
SIMT_READ(tex1DLod, "tex.level.1d", ".f32", (float x, float level), (x, level),
          "{%[x]}], %[v]", [x] "f"(x), [v] "f"(level))
SIMT_READ(tex2DLod, "tex.level.2d", ".f32", (float x, float y, float level), (x, y, level),
          "{%[x], %[y]}], %[v]", [x] "f"(x), [y] "f"(y), [v] "f"(level))
SIMT_READ(tex3DLod, "tex.level.3d", ".f32", (float x, float y, float z, float level),
          (x, y, z, level),
          "{%[x], %[y], %[z], %[z]}], %[v]", [x] "f"(x), [y] "f"(y), [z] "f"(z), [v] "f"(level))
SIMT_READ(tex2DGrad, "tex.grad.2d", ".f32", (float x, float y, float2 dx, float2 dy),
          (x, y, dx, dy), "{%[x], %[y]}], {%[a], %[b]}, {%[c], %[d]}", [x] "f"(x), [y] "f"(y),
          [a] "f"(dx.x), [b] "f"(dx.y), [c] "f"(dy.x), [d] "f"(dy.y))
SIMT_READ(simt_gather_r, "tld4.r.2d", ".f32", (float x, float y), (x, y),
          "{%[x], %[y]}]", [x] "f"(x), [y] "f"(y))
SIMT_READ(simt_gather_g, "tld4.g.2d", ".f32", (float x, float y), (x, y),
          "{%[x], %[y]}]", [x] "f"(x), [y] "f"(y))
SIMT_READ(simt_gather_b, "tld4.b.2d", ".f32", (float x, float y), (x, y),
          "{%[x], %[y]}]", [x] "f"(x), [y] "f"(y))
SIMT_READ(simt_gather_a, "tld4.a.2d", ".f32", (float x, float y), (x, y),
          "{%[x], %[y]}]", [x] "f"(x), [y] "f"(y))
#undef SIMT_READ
#undef SIMT_READ_AS

template <typename Type>
SIMT_ON_DEVICE Type tex2Dgather(cudaTextureObject_t texture, float x, float y, int component = 0)
{
    return component == 0   ? simt_gather_r<Type>(texture, x, y)
           : component == 1 ? simt_gather_g<Type>(texture, x, y)
           : component == 2 ? simt_gather_b<Type>(texture, x, y)
                            : simt_gather_a<Type>(texture, x, y);
}

/* ---- Surfaces: the bits of 1 to 16 bytes ---- */

template <int bytes>
struct simt_surface_word;
template <>
struct simt_surface_word<1> {
    unsigned short word[1];
};
template <>
struct simt_surface_word<2> {
    unsigned short word[1];
};
template <>
struct simt_surface_word<4> {
    unsigned int word[1];
};
template <>
struct simt_surface_word<8> {
    unsigned long long word[1];
};
template <>
struct simt_surface_word<16> {
    unsigned long long word[2];
};

#define SIMT_SURFACE_MODE(name, mode, geometry, bytes, width, letter, parameters, operands, ...)   \
    SIMT_ON_DEVICE void simt_##name##read_##mode(simt_surface_word<bytes> &to,                     \
                                                 cudaSurfaceObject_t surface, parameters)          \
    {                                                                                              \
        __asm__ volatile("suld.b." geometry "." width "." #mode " {%[w]}, [%[s], " operands "];"   \
                         : [w] "=" letter(to.word[0])                                              \
                         : [s] "l"(surface), __VA_ARGS__                                           \
                         : "memory");                                                              \
    }                                                                                              \
    SIMT_ON_DEVICE void simt_##name##write_##mode(const simt_surface_word<bytes> &from,            \
                                                  cudaSurfaceObject_t surface, parameters)         \
    {                                                                                              \
        __asm__ volatile("sust.b." geometry "." width "." #mode " [%[s], " operands "], {%[w]};"   \
                         :                                                                         \
                         : [w] letter(from.word[0]), [s] "l"(surface), __VA_ARGS__                 \
                         : "memory");                                                              \
    }
#define SIMT_SURFACE_PAIR(name, mode, geometry, parameters, operands, ...)                         \
    SIMT_ON_DEVICE void simt_##name##read_##mode(simt_surface_word<16> &to,                        \
                                                 cudaSurfaceObject_t surface, parameters)          \
    {                                                                                              \
        __asm__ volatile("suld.b." geometry ".v2.b64." #mode " {%[w], %[v]}, [%[s], " operands     \
                         "];"                                                                      \
                         : [w] "=l"(to.word[0]), [v] "=l"(to.word[1])                              \
                         : [s] "l"(surface), __VA_ARGS__                                           \
                         : "memory");                                                              \
    }                                                                                              \
    SIMT_ON_DEVICE void simt_##name##write_##mode(const simt_surface_word<16> &from,               \
                                                  cudaSurfaceObject_t surface, parameters)         \
    {                                                                                              \
        __asm__ volatile(                                                                          \
            "sust.b." geometry ".v2.b64." #mode " [%[s], " operands "], {%[w], %[v]};"             \
            :                                                                                      \
            : [w] "l"(from.word[0]), [v] "l"(from.word[1]), [s] "l"(surface), __VA_ARGS__          \
            : "memory");                                                                           \
    }
#define SIMT_SURFACE_WIDTHS(name, mode, geometry, parameters, operands, ...)                       \
    SIMT_SURFACE_MODE(name, mode, geometry, 1, "b8", "h", SIMT_PARAMETERS parameters, operands,    \
                      __VA_ARGS__)                                                                 \
    SIMT_SURFACE_MODE(name, mode, geometry, 2, "b16", "h", SIMT_PARAMETERS parameters, operands,   \
                      __VA_ARGS__)                                                                 \
    SIMT_SURFACE_MODE(name, mode, geometry, 4, "b32", "r", SIMT_PARAMETERS parameters, operands,   \
                      __VA_ARGS__)                                                                 \
    SIMT_SURFACE_MODE(name, mode, geometry, 8, "b64", "l", SIMT_PARAMETERS parameters, operands,   \
                      __VA_ARGS__)                                                                 \
    SIMT_SURFACE_PAIR(name, mode, geometry, SIMT_PARAMETERS parameters, operands, __VA_ARGS__)
#define SIMT_SURFACE(name, geometry, parameters, names, operands, ...)                             \
    SIMT_SURFACE_WIDTHS(name, trap, geometry, parameters, operands, __VA_ARGS__)                   \
    SIMT_SURFACE_WIDTHS(name, clamp, geometry, parameters, operands, __VA_ARGS__)                  \
    SIMT_SURFACE_WIDTHS(name, zero, geometry, parameters, operands, __VA_ARGS__)                   \
    template <typename Type>                                                                       \
    SIMT_ON_DEVICE Type name##read(cudaSurfaceObject_t surface, SIMT_PARAMETERS parameters,        \
                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)            \
    {                                                                                              \
        simt_surface_word<sizeof(Type)> word;                                                      \
        Type value;                                                                                \
        if (mode == cudaBoundaryModeTrap)                                                          \
            simt_##name##read_trap(word, surface, SIMT_PARAMETERS names);                          \
        else if (mode == cudaBoundaryModeClamp)                                                    \
            simt_##name##read_clamp(word, surface, SIMT_PARAMETERS names);                         \
        else                                                                                       \
            simt_##name##read_zero(word, surface, SIMT_PARAMETERS names);                          \
        __builtin_memcpy(&value, &word, sizeof value);                                             \
        return value;                                                                              \
    }                                                                                              \
    template <typename Type>                                                                       \
    SIMT_ON_DEVICE void name##read(Type *value, cudaSurfaceObject_t surface,                       \
                                   SIMT_PARAMETERS parameters,                                     \
                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)            \
    {                                                                                              \
        *value = name##read<Type>(surface, SIMT_PARAMETERS names, mode);                           \
    }                                                                                              \
    template <typename Type>                                                                       \
    SIMT_ON_DEVICE void name##write(Type value, cudaSurfaceObject_t surface,                       \
                                    SIMT_PARAMETERS parameters,                                    \
                                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)           \
    {                                                                                              \
        simt_surface_word<sizeof(Type)> word = {};                                                 \
        __builtin_memcpy(&word, &value, sizeof value);                                             \
        if (mode == cudaBoundaryModeTrap)                                                          \
            simt_##name##write_trap(word, surface, SIMT_PARAMETERS names);                         \
        else if (mode == cudaBoundaryModeClamp)                                                    \
            simt_##name##write_clamp(word, surface, SIMT_PARAMETERS names);                        \
        else                                                                                       \
            simt_##name##write_zero(word, surface, SIMT_PARAMETERS names);                         \
    }

SIMT_SURFACE(surf1D, "1d", (int x), (x), "{%[x]}", [x] "r"(x))
SIMT_SURFACE(surf2D, "2d", (int x, int y), (x, y), "{%[x], %[y]}", [x] "r"(x), [y] "r"(y))
SIMT_SURFACE(surf3D, "3d", (int x, int y, int z), (x, y, z),
             "{%[x], %[y], %[z], %[z]}", [x] "r"(x), [y] "r"(y), [z] "r"(z))
SIMT_SURFACE(surf1DLayered, "a1d", (int x, int layer), (x, layer),
             "{%[l], %[x]}", [x] "r"(x), [l] "r"(layer))
SIMT_SURFACE(surf2DLayered, "a2d", (int x, int y, int layer), (x, y, layer),
             "{%[l], %[x], %[y], %[y]}", [x] "r"(x), [y] "r"(y), [l] "r"(layer))
SIMT_SURFACE(surfCubemap, "a2d", (int x, int y, int face), (x, y, face),
             "{%[l], %[x], %[y], %[y]}", [x] "r"(x), [y] "r"(y), [l] "r"(face))
#undef SIMT_SURFACE
#undef SIMT_SURFACE_WIDTHS
#undef SIMT_SURFACE_PAIR
#undef SIMT_SURFACE_MODE
#undef SIMT_PARAMETERS

#endif

/* SPDX-License-Identifier: MIT
 *
 * Numbers of half precision: CUDA Math API, half precision intrinsics. Each operation is made in
 * double precision and rounded once to nearest, as IEEE 754 has it.
 */
#ifndef SIMTCHECK_KERNELS_CUDA_CUDA_FP16_H
#define SIMTCHECK_KERNELS_CUDA_CUDA_FP16_H

namespace simt_cuda
{

/* The bits of the nearest half, ties to even. */
inline unsigned short half_bits(double x)
{
    constexpr unsigned long long MAGNITUDE = ~0ull >> 1;
    unsigned long long bits = bits_as<unsigned long long>(x), magnitude = bits & MAGNITUDE;
    unsigned short sign = static_cast<unsigned short>(bits >> 48 & 0x8000);
    double size = bits_as<double>(magnitude);

    if (x != x)
        return 0x7fff;
    if (size >= 65520) /* half way from the largest to what would come next */
        return static_cast<unsigned short>(sign | 0x7c00);
    if (size < 0x1p-14)
        return static_cast<unsigned short>(sign | static_cast<int>(nearbyint(size * 0x1p24)));
    magnitude += (1ull << 41) - 1 + (magnitude >> 42 & 1);
    return static_cast<unsigned short>(sign | ((magnitude >> 42) - ((1023ull - 15) << 10)));
}

inline float half_value(unsigned short bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent == 0    ? fraction * 0x1p-24
                  : exponent == 31 ? (fraction != 0 ? static_cast<double>(NAN) : INFINITY)
                                   : ldexp(1024 + fraction, exponent - 25);

    return static_cast<float>(bits & 0x8000 ? -size : size);
}

/* a * b + c, of which the last bit says that there is more: so rounding it again is no harm. */
inline double fused(double a, double b, double c)
{
    double product = a * b, sum = product + c, part = sum - product;
    double left = (product - (sum - part)) + (c - part);
    unsigned long long bits = bits_as<unsigned long long>(sum);

    if (!(left != 0) || sum != sum || (bits & 1) || left != left)
        return sum;
    return bits_as<double>((left > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

} // namespace simt_cuda

struct __half {
    unsigned short __x;

    __half() = default;
    __half(float x) : __x(simt_cuda::half_bits(static_cast<double>(x)))
    {
    }
    __half(double x) : __x(simt_cuda::half_bits(x))
    {
    }
    __half(int x) : __x(simt_cuda::half_bits(x))
    {
    }
    __half(unsigned int x) : __x(simt_cuda::half_bits(x))
    {
    }
    operator float() const
    {
        return simt_cuda::half_value(__x);
    }
};

struct __attribute__((aligned(4))) __half2 {
    __half x, y;
};

typedef __half half;
typedef __half2 half2;

/* ---- Conversions ---- */

static inline __half __ushort_as_half(unsigned short bits)
{
    return simt_cuda::bits_as<__half>(bits);
}

static inline unsigned short __half_as_ushort(__half x)
{
    return x.__x;
}

static inline __half __float2half(float x)
{
    return __half(x);
}

static inline __half __float2half_rn(float x)
{
    return __half(x);
}

static inline __half __double2half(double x)
{
    return __half(x);
}

static inline float __half2float(__half x)
{
    return x;
}

static inline __half __int2half_rn(int x)
{
    return __half(x);
}

static inline __half __uint2half_rn(unsigned int x)
{
    return __half(x);
}

static inline int __half2int_rz(__half x)
{
    return __float2int_rz(x);
}

static inline int __half2int_rn(__half x)
{
    return __float2int_rn(x);
}

/* ---- Operations ---- */

static inline __half __hadd(__half a, __half b)
{
    return __half(static_cast<double>(float(a)) + static_cast<double>(float(b)));
}

static inline __half __hsub(__half a, __half b)
{
    return __half(static_cast<double>(float(a)) - static_cast<double>(float(b)));
}

static inline __half __hmul(__half a, __half b)
{
    return __half(static_cast<double>(float(a)) * static_cast<double>(float(b)));
}

static inline __half __hdiv(__half a, __half b)
{
    return __half(static_cast<double>(float(a)) / static_cast<double>(float(b)));
}

static inline __half __hfma(__half a, __half b, __half c)
{
    return __half(simt_cuda::fused(float(a), float(b), float(c)));
}

static inline __half __hneg(__half a)
{
    return __ushort_as_half(static_cast<unsigned short>(a.__x ^ 0x8000));
}

static inline __half __habs(__half a)
{
    return __ushort_as_half(a.__x & 0x7fff);
}

static inline __half __hmin(__half a, __half b)
{
    return __half(fminf(a, b));
}

static inline __half __hmax(__half a, __half b)
{
    return __half(fmaxf(a, b));
}

static inline bool __hisnan(__half a)
{
    return float(a) != float(a);
}

static inline int __hisinf(__half a)
{
    return (a.__x & 0x7fff) != 0x7c00 ? 0 : a.__x & 0x8000 ? -1 : 1;
}

static inline bool __heq(__half a, __half b)
{
    return float(a) == float(b);
}

static inline bool __hne(__half a, __half b)
{
    return float(a) < float(b) || float(a) > float(b);
}

static inline bool __hlt(__half a, __half b)
{
    return float(a) < float(b);
}

static inline bool __hle(__half a, __half b)
{
    return float(a) <= float(b);
}

static inline bool __hgt(__half a, __half b)
{
    return float(a) > float(b);
}

static inline bool __hge(__half a, __half b)
{
    return float(a) >= float(b);
}

static inline __half hsqrt(__half a)
{
    return __half(sqrt(static_cast<double>(float(a))));
}

static inline __half hrcp(__half a)
{
    return __half(1 / (static_cast<double>(float(a))));
}

static inline __half hrsqrt(__half a)
{
    return __half(1 / sqrt(static_cast<double>(float(a))));
}

static inline __half hexp(__half a)
{
    return __half(exp(static_cast<double>(float(a))));
}

static inline __half hexp2(__half a)
{
    return __half(exp2(static_cast<double>(float(a))));
}

static inline __half hlog(__half a)
{
    return __half(log(static_cast<double>(float(a))));
}

static inline __half hlog2(__half a)
{
    return __half(log2(static_cast<double>(float(a))));
}

static inline __half hsin(__half a)
{
    return __half(sin(static_cast<double>(float(a))));
}

static inline __half hcos(__half a)
{
    return __half(cos(static_cast<double>(float(a))));
}

static inline __half hfloor(__half a)
{
    return __half(floor(static_cast<double>(float(a))));
}

static inline __half hceil(__half a)
{
    return __half(ceil(static_cast<double>(float(a))));
}

static inline __half htrunc(__half a)
{
    return __half(trunc(static_cast<double>(float(a))));
}

static inline __half hrint(__half a)
{
    return __half(nearbyint(static_cast<double>(float(a))));
}

static inline __half operator+(const __half &a, const __half &b)
{
    return __hadd(a, b);
}

static inline __half &operator+=(__half &a, const __half &b)
{
    return a = __hadd(a, b);
}

static inline __half operator-(const __half &a, const __half &b)
{
    return __hsub(a, b);
}

static inline __half &operator-=(__half &a, const __half &b)
{
    return a = __hsub(a, b);
}

static inline __half operator*(const __half &a, const __half &b)
{
    return __hmul(a, b);
}

static inline __half &operator*=(__half &a, const __half &b)
{
    return a = __hmul(a, b);
}

static inline __half operator/(const __half &a, const __half &b)
{
    return __hdiv(a, b);
}

static inline __half &operator/=(__half &a, const __half &b)
{
    return a = __hdiv(a, b);
}

static inline __half operator-(const __half &a)
{
    return __hneg(a);
}

static inline bool operator==(const __half &a, const __half &b)
{
    return __heq(a, b);
}

static inline bool operator<(const __half &a, const __half &b)
{
    return __hlt(a, b);
}

static inline bool operator<=(const __half &a, const __half &b)
{
    return __hle(a, b);
}

static inline bool operator>(const __half &a, const __half &b)
{
    return __hgt(a, b);
}

static inline bool operator>=(const __half &a, const __half &b)
{
    return __hge(a, b);
}

static inline bool operator!=(const __half &a, const __half &b)
{
    return float(a) != float(b);
}

/* ---- Pairs ---- */

static inline __half2 __halves2half2(__half low, __half high)
{
    return {low, high};
}

static inline __half2 make_half2(__half low, __half high)
{
    return {low, high};
}

static inline __half2 __half2half2(__half x)
{
    return {x, x};
}

static inline __half2 __float2half2_rn(float x)
{
    return {__half(x), __half(x)};
}

static inline __half2 __floats2half2_rn(float x, float y)
{
    return {__half(x), __half(y)};
}

static inline __half2 __float22half2_rn(float2 x)
{
    return {__half(x.x), __half(x.y)};
}

static inline float2 __half22float2(__half2 x)
{
    return {float(x.x), float(x.y)};
}

static inline __half __low2half(__half2 x)
{
    return x.x;
}

static inline __half __high2half(__half2 x)
{
    return x.y;
}

static inline float __low2float(__half2 x)
{
    return x.x;
}

static inline float __high2float(__half2 x)
{
    return x.y;
}

static inline __half2 __hadd2(__half2 a, __half2 b)
{
    return {__hadd(a.x, b.x), __hadd(a.y, b.y)};
}

static inline __half2 operator+(const __half2 &a, const __half2 &b)
{
    return __hadd2(a, b);
}

static inline __half2 __hsub2(__half2 a, __half2 b)
{
    return {__hsub(a.x, b.x), __hsub(a.y, b.y)};
}

static inline __half2 operator-(const __half2 &a, const __half2 &b)
{
    return __hsub2(a, b);
}

static inline __half2 __hmul2(__half2 a, __half2 b)
{
    return {__hmul(a.x, b.x), __hmul(a.y, b.y)};
}

static inline __half2 operator*(const __half2 &a, const __half2 &b)
{
    return __hmul2(a, b);
}

static inline __half2 __h2div(__half2 a, __half2 b)
{
    return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)};
}

static inline __half2 operator/(const __half2 &a, const __half2 &b)
{
    return __h2div(a, b);
}

static inline __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}

#endif

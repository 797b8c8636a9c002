/* SPDX-License-Identifier: MIT
 *
 * The C++ library's header of this name writes __attribute__((__noinline__)), and CUDA's
 * __noinline__ is a macro for clang 14. The macro is set aside while the header is read.
 */
#pragma clang system_header
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")

/* SPDX-License-Identifier: MIT
 *
 * The C++ library's header of this name uses __attribute__((__noinline__)). For clang 14, CUDA's
 * __noinline__ is a macro. The macro is undefined while the header is read.
 */
#pragma clang system_header
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")

/* SPDX-License-Identifier: MIT
 *
 * PTX that a program was built with.
 */
#ifndef SIMTCHECK_SIM_EMBEDDED_H
#define SIMTCHECK_SIM_EMBEDDED_H

struct embedded_ptx {
    const char *path, *text, *end;
};

/* Bounds of the section that has them, where there is one. */
extern const struct embedded_ptx *const __start_simt_ptx[] __attribute__((weak));
extern const struct embedded_ptx *const __stop_simt_ptx[] __attribute__((weak));

#endif

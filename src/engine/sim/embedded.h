/* SPDX-License-Identifier: MIT
 *
 * PTX that is embedded in a program at build time.
 */
#ifndef SIMTCHECK_SIM_EMBEDDED_H
#define SIMTCHECK_SIM_EMBEDDED_H

struct embedded_ptx {
    const char *path, *text, *end;
};

/* Bounds of the section with the embedded PTX. They are null if none exists. */
extern const struct embedded_ptx *const __start_simt_ptx[] __attribute__((weak));
extern const struct embedded_ptx *const __stop_simt_ptx[] __attribute__((weak));

#endif

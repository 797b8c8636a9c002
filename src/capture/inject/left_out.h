/* SPDX-License-Identifier: MIT
 *
 * What the capture tells in capture.json beside the launches: this process, and the launches that
 * it leaves out.
 */
#ifndef SIMTCHECK_CAPTURE_LEFT_OUT_H
#define SIMTCHECK_CAPTURE_LEFT_OUT_H

/* Counts a launch that is not captured. A new reason is in capture.json at once; the counts, when
 * the program ends. */
void left_out(const char *folder, const char *kernel, const char *reason);

/* Adds this process to capture.json. */
void left_out_begin(const char *folder, const char *gpu, unsigned int capability,
                    int driver_version);

/* Writes the counts. */
void left_out_end(const char *folder);

#endif

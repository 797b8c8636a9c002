/* SPDX-License-Identifier: MIT
 *
 * SHA-256, by libcrypto.
 */
#ifndef SIMTCHECK_IDENTITY_DIGEST_H
#define SIMTCHECK_IDENTITY_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DIGEST_TEXT = 65 };

/* Writes the digest of the bytes in hexadecimal digits. */
void digest_bytes(const void *data, size_t size, char text[DIGEST_TEXT]);

/* Writes the digest and the size of a file. Returns false with errno set if it cannot be read. */
bool digest_file(const char *path, char text[DIGEST_TEXT], uint64_t *size);

#endif

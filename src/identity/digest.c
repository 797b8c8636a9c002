/* SPDX-License-Identifier: MIT */
#include "digest.h"

#include "error_report.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

/* libcrypto fails when memory runs out, or when its configuration forbids SHA-256. */
static void expect(bool good)
{
    if (good)
        return;
    error_report("libcrypto cannot compute SHA-256");
    exit(3);
}

static EVP_MD_CTX *start(void)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();

    expect(context != NULL && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1);
    return context;
}

static void end(EVP_MD_CTX *context, char text[DIGEST_TEXT])
{
    unsigned char digest[EVP_MAX_MD_SIZE];

    expect(EVP_DigestFinal_ex(context, digest, NULL) == 1);
    EVP_MD_CTX_free(context);
    for (size_t k = 0; k < (DIGEST_TEXT - 1) / 2; k++)
        snprintf(text + 2 * k, 3, "%02x", digest[k]);
}

void digest_bytes(const void *data, size_t size, char text[DIGEST_TEXT])
{
    EVP_MD_CTX *context = start();

    expect(EVP_DigestUpdate(context, data, size) == 1);
    end(context, text);
}

bool digest_file(const char *path, char text[DIGEST_TEXT], uint64_t *size)
{
    enum { PIECE = 1 << 16 };
    static unsigned char piece[PIECE];
    FILE *from = fopen(path, "rb");
    EVP_MD_CTX *context;
    size_t length;
    bool good;

    if (from == NULL)
        return false;
    context = start();
    *size = 0;
    while ((length = fread(piece, 1, sizeof piece, from)) > 0) {
        expect(EVP_DigestUpdate(context, piece, length) == 1);
        *size += length;
    }
    good = !ferror(from);
    fclose(from);
    end(context, text);
    if (!good)
        errno = EIO;
    return good;
}

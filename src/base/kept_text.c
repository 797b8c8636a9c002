/* SPDX-License-Identifier: MIT */
#include "kept_text.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

const char *kept_text(const char *text, size_t length)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static void *all;
    char *copy = strndup(text, length), **kept;

    pthread_mutex_lock(&lock);
    kept = copy != NULL ? tsearch(copy, &all, compare) : NULL;
    pthread_mutex_unlock(&lock);
    if (kept == NULL)
        abort(); /* out of memory */
    text = *kept;
    if (text != copy)
        free(copy);
    return text;
}

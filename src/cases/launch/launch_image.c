/* SPDX-License-Identifier: MIT */
#include "launch_image.h"

#include "error_report.h"
#include "launch_text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096 };

static uint64_t take_pages(uint64_t *end, uint64_t bytes)
{
    uint64_t start = *end;

    *end += (bytes + PAGE - 1) / PAGE * PAGE;
    return start;
}

void launch_image_lay_out(struct launch_image *image)
{
    uint64_t end = 0;

    take_pages(&end, sizeof *image);
    for (uint32_t k = 0; k < image->invocation.buffer_count; k++) {
        struct image_buffer *buffer = &image->buffers[k];
        uint64_t bytes = buffer_bytes(&image->invocation.buffers[k]);
        buffer->before = take_pages(&end, bytes);
        buffer->after = buffer->is_changed ? take_pages(&end, bytes) : buffer->before;
    }
    image->bytes = end;
}

/* Makes the pointers of the invocation those of this process. */
static void bind(struct launch_image *image)
{
    struct invocation *invocation = &image->invocation;

    invocation->kernel = image->kernel;
    invocation->allowed = NULL;
    for (uint32_t k = 0; k < invocation->buffer_count; k++) {
        const struct image_buffer *from = &image->buffers[k];
        struct buffer *buffer = &invocation->buffers[k];
        buffer->name = from->name;
        buffer->variable = from->variable[0] != '\0' ? from->variable : NULL;
        buffer->data = (const char *)image + from->before;
    }
}

struct launch_image *launch_image_open(const char *path, char *error, size_t error_size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct launch_image *image = MAP_FAILED;
    struct stat status;

    if (file >= 0 && fstat(file, &status) == 0 && (size_t)status.st_size >= sizeof *image)
        image = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_NORESERVE, file, 0);
    if (image == MAP_FAILED)
        error_write(error, error_size, "cannot read '%s': %s", path, strerror(errno));
    if (file >= 0)
        close(file);
    if (image == MAP_FAILED)
        return NULL;
    bind(image);
    return image;
}

void launch_image_close(struct launch_image *image)
{
    if (image != NULL)
        munmap(image, image->bytes);
}

void launch_image_invoke(const struct variant *variant, const struct shape *shape,
                         struct invocation *out)
{
    (void)shape;
    *out = variant->launch->image->invocation;
    out->allowed = &variant->launch->allowed;
}

bool launch_is_captured(const struct variant *variant)
{
    return variant->launch != NULL && variant->launch->image != NULL;
}

const void *launch_image_after(const struct variant *variant, uint32_t k)
{
    const struct launch_image *image = variant->launch->image;

    return (const char *)image + image->buffers[k].after;
}

bool launch_image_expect(const struct expectation *expectation)
{
    for (uint32_t k = 0; k < expectation->invocation->buffer_count; k++)
        memcpy(expectation->arrays[k], launch_image_after(expectation->variant, k),
               buffer_bytes(&expectation->invocation->buffers[k]));
    return true;
}

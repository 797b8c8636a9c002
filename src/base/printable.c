/* SPDX-License-Identifier: MIT */
#include "printable.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Returns the length of a control character in UTF-8, or 0 for another character. Those that change
 * the direction of text are U+202A to U+202E and U+2066 to U+2069. */
static size_t control_length(const char *at, size_t length)
{
    unsigned char first = (unsigned char)at[0], second = length > 1 ? (unsigned char)at[1] : 0,
                  third = length > 2 ? (unsigned char)at[2] : 0;

    if (first == 0xe2 && ((second == 0x80 && third >= 0xaa && third <= 0xae) ||
                          (second == 0x81 && third >= 0xa6 && third <= 0xa9)))
        return 3;
    if (first == 0xc2 && second >= 0x80 && second < 0xa0)
        return 2;
    return (first < 0x20 && first != '\n' && first != '\t') || first == 0x7f;
}

static bool write_all(int descriptor, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t written = write(descriptor, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text += written;
        length -= (size_t)written;
    }
    return true;
}

bool printable_write(int descriptor, const char *text, size_t length)
{
    size_t plain = 0, control;
    char word[8];

    while (plain < length) {
        control = control_length(text + plain, length - plain);
        if (control == 0) {
            plain++;
            continue;
        }
        if (control == 3)
            snprintf(word, sizeof word, "\\u20%02x",
                     (text[plain + 1] & 3) << 6 | (text[plain + 2] & 0x3f));
        else
            snprintf(word, sizeof word, "\\x%02x", (unsigned char)text[plain + control - 1]);
        if (!write_all(descriptor, text, plain) || !write_all(descriptor, word, strlen(word)))
            return false;
        text += plain + control;
        length -= plain + control;
        plain = 0;
    }
    return write_all(descriptor, text, length);
}

static ssize_t write_output(void *cookie, const char *text, size_t length)
{
    (void)cookie;
    return printable_write(STDOUT_FILENO, text, length) ? (ssize_t)length : 0;
}

void printable_output(void)
{
    FILE *printable = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_output});

    if (printable == NULL)
        return;
    setvbuf(printable, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
    stdout = printable;
}

/* Returns the descriptor of a file. That of printable output is not known to its stream. */
static int descriptor_of(FILE *to)
{
    return to == stdout ? STDOUT_FILENO : fileno(to);
}

void printable_sequence(FILE *to, const char *sequence)
{
    fflush(to);
    if (to == stdout)
        write_all(STDOUT_FILENO, sequence, strlen(sequence));
    else
        fputs(sequence, to);
}

unsigned int printable_columns(FILE *to)
{
    struct winsize size = {.ws_col = 0};

    if (!isatty(descriptor_of(to)))
        return 0;
    return ioctl(descriptor_of(to), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

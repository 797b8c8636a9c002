/* SPDX-License-Identifier: MIT */
#include "atomic_file.h"

#include "error_report.h"
#include "interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the descriptor of standard output or error if the path leads to the same file; else
 * -1. */
static int own_stream(const char *path)
{
    struct stat status, own;

    for (int stream = STDOUT_FILENO; stream <= STDERR_FILENO; stream++)
        if (stat(path, &status) == 0 && fstat(stream, &own) == 0 && own.st_dev == status.st_dev &&
            own.st_ino == status.st_ino)
            return stream;
    return -1;
}

bool file_stays_in_place(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && (own_stream(path) >= 0 || !S_ISREG(status.st_mode));
}

/* Writes to a stream of that descriptor, and closes it. */
static bool write_all(file_writer *write, const void *what, int descriptor)
{
    FILE *stream = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    bool good = stream != NULL && write(what, stream);

    if (stream == NULL && descriptor >= 0)
        close(descriptor);
    else if (stream != NULL && fclose(stream) != 0)
        good = false;
    return good;
}

/* Gives the nameless file `held` the name `name`, then renames it to `path`. */
static bool name_twice(const char *held, const char *name, const char *path)
{
    if (linkat(AT_FDCWD, held, AT_FDCWD, name, AT_SYMLINK_FOLLOW) != 0)
        return false;
    if (rename(name, path) == 0)
        return true;
    unlink(name);
    return false;
}

/* Writes the path of a temporary file beside the path, with that suffix. The path's own name may
 * leave no room for one. Returns false with errno set if it is too long. */
static bool name_beside(const char *path, const char *suffix, char *name, size_t size)
{
    const char *slash = strrchr(path, '/');
    int folder = slash != NULL ? (int)(slash + 1 - path) : 0;

    errno = ENAMETOOLONG;
    return (size_t)snprintf(name, size, "%.*s.simtcheck.%s", folder, path, suffix) < size;
}

/* Links the file at once if the name is free. Otherwise another process links and renames it, so
 * that a kill of this one between the two steps leaves no temporary file. */
static bool name_file(int descriptor, const char *path)
{
    char held[32], number[16], name[PATH_MAX];
    volatile bool good = false;
    pid_t child;

    snprintf(held, sizeof held, "/proc/self/fd/%d", descriptor);
    if (linkat(AT_FDCWD, held, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0)
        return true;
    snprintf(number, sizeof number, "%d", (int)getpid());
    if (!name_beside(path, number, name, sizeof name))
        return false;
    child = vfork();
    if (child < 0)
        return name_twice(held, name, path);
    if (child == 0) {
        good = name_twice(held, name, path);
        _exit(0);
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    return good;
}

/* Gives the new file the permissions of the one that it replaces. */
static void keep_mode(const char *path, int descriptor)
{
    struct stat status;

    if (descriptor >= 0 && stat(path, &status) == 0)
        fchmod(descriptor, status.st_mode & 0777);
}

/* Writes to a nameless file and names it when it is complete. A program that is killed leaves no
 * partial file. Not every file system supports it. */
static bool write_nameless(file_writer *write, const void *what, const char *path)
{
    const char *slash = strrchr(path, '/');
    int length = slash == NULL || slash == path ? 1 : (int)(slash - path), descriptor, held;
    char folder[PATH_MAX];
    bool good;

    snprintf(folder, sizeof folder, "%.*s", length, slash != NULL ? path : ".");
    descriptor = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    held = descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0) : -1;
    keep_mode(path, descriptor);
    good = write_all(write, what, descriptor) && held >= 0 && name_file(held, path);
    if (held >= 0)
        close(held);
    return good;
}

/* For other file systems: writes a temporary file beside the path, then renames it. */
static bool write_named(file_writer *write, const void *what, const char *path)
{
    char partial[PATH_MAX];
    mode_t mask = umask(0);
    int descriptor;
    bool good;

    umask(mask);
    if (!name_beside(path, "XXXXXX", partial, sizeof partial))
        return false;
    descriptor = mkstemp(partial);
    if (descriptor >= 0)
        fchmod(descriptor, 0666 & ~mask);
    keep_mode(path, descriptor);
    good = write_all(write, what, descriptor) && rename(partial, path) == 0;
    if (!good && descriptor >= 0) {
        int why = errno;
        unlink(partial);
        errno = why;
    }
    return good;
}

/* Finds where a path leads. A link may lead to a file that does not exist yet. */
static const char *follow(const char *path, char target[PATH_MAX])
{
    char text[PATH_MAX], folder[PATH_MAX];
    ssize_t length;
    const char *slash = strrchr(path, '/');

    if (realpath(path, target) != NULL)
        return target;
    length = readlink(path, text, sizeof text - 1);
    if (length <= 0)
        return path;
    text[length] = '\0';
    snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash + 1 - path) : 0, path);
    if (snprintf(target, PATH_MAX, "%s%s", text[0] == '/' ? "" : folder, text) >= PATH_MAX)
        return path;
    return target;
}

bool file_replace(file_writer *write, const void *what, const char *link)
{
    char target[PATH_MAX];
    const char *path = follow(link, target);
    sigset_t before;
    bool good;

    interrupt_hold(&before);
    good = write_nameless(write, what, path) || write_named(write, what, path);
    interrupt_release(&before); /* It does not change errno. */
    return good;
}

/* Writes to the open stream if the path leads to it. Once closed, it could not be opened again by
 * name if another file took its place. */
bool file_write_in_place(file_writer *write, const void *what, const char *path)
{
    int own = own_stream(path), descriptor;

    fflush(stdout); /* Flushes first, in case the path leads to it, too. */
    descriptor = own >= 0 ? fcntl(own, F_DUPFD_CLOEXEC, 0)
                          : open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC);
    if (own < 0 && descriptor >= 0)
        fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
    return write_all(write, what, descriptor);
}

bool file_report_error(const char *path)
{
    const char *advice = "choose a file in a writable folder";

    if (errno == ENOSPC || errno == EFBIG || errno == EDQUOT)
        advice = "free some space, or choose a file on another file system";
    else if (errno == ENXIO)
        advice = "no process reads from this pipe: start the reader first";
    return error_report("cannot write '%s': %s: %s", path, strerror(errno), advice);
}

bool file_can_be_written(const char *path)
{
    struct stat status;

    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    return access(path, W_OK) == 0;
}

bool file_write(file_writer *write, const void *what, const char *path)
{
    return (file_stays_in_place(path) ? file_write_in_place(write, what, path)
                                      : file_replace(write, what, path)) ||
           file_report_error(path);
}

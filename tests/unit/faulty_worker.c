/* SPDX-License-Identifier: MIT
 *
 * A worker that fails as the environment says, or else runs the real one. FAULTS lists what to do
 * at each start. The length of the file STARTS counts the starts. WORKER is the real program.
 */
#include "wire.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sets the word for this start. It is empty after the end of the list. */
static void choose(char *word, size_t size)
{
    int starts = open(getenv("STARTS"), O_WRONLY | O_APPEND | O_CREAT, 0600);
    const char *faults = getenv("FAULTS");
    off_t end;

    word[0] = '\0';
    if (starts < 0 || write(starts, ".", 1) != 1)
        return;
    end = lseek(starts, 0, SEEK_CUR); /* the end of its own byte, whatever others write */
    close(starts);
    for (off_t k = 1; k < end && faults != NULL; k++) {
        faults = strchr(faults, ' ');
        faults += faults != NULL;
    }
    if (faults != NULL)
        snprintf(word, size, "%.*s", (int)strcspn(faults, " "), faults);
}

/* Prints a line. '_' stands for a blank. */
static void say(const char *text)
{
    for (; *text != '\0'; text++)
        dprintf(WORKER_ANSWER_FD, "%c", *text == '_' ? '\t' : *text);
    dprintf(WORKER_ANSWER_FD, "\n");
}

int main(int argc, char **argv)
{
    char word[64], line[WORKER_LINE];
    const char *argument;

    (void)argc;
    choose(word, sizeof word);
    if (word[0] == '\0') {
        execv(getenv("WORKER"), argv);
        return 127;
    }
    argument = strchr(word, ':');
    if (strncmp(word, "before:", 7) == 0) {
        say(argument + 1);
        return 0;
    }
    if (strcmp(word, "early") == 0)
        return 1;
    if (strcmp(word, "never") == 0)
        for (;;)
            pause();
    dprintf(WORKER_ANSWER_FD, "ready\t%s\t1\tfaulty\n", build_identity);
    if (fgets(line, sizeof line, stdin) == NULL)
        return 0;
    if (strcmp(word, "silent") == 0)
        for (;;)
            pause();
    if (strcmp(word, "exit") == 0)
        return 5;
    if (strncmp(word, "signal:", 7) == 0)
        raise(atoi(argument + 1));
    if (strncmp(word, "answer:", 7) == 0)
        say(argument + 1);
    while (fgets(line, sizeof line, stdin) != NULL)
        ;
    return 0;
}

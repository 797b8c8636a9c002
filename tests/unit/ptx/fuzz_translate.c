/* SPDX-License-Identifier: MIT
 *
 * fuzz_translate COUNT SEED FILE.ptx ...: translates so many mutants of the files, numbered from
 * SEED on. Each must be refused with one sentence or become C, in a second of the processor's time;
 * of those that become C, one in EVERY is compiled. Exit status 0; 1 when one is wrong.
 *
 * A mutant depends on its number and the files alone: COUNT 1 and its number as SEED give it again,
 * and COUNT 0 prints it.
 */
#include "mutate.h"
#include "translated.h"

#include <ctype.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EVERY = 100, SECONDS = 1, PATIENCE = 20 }; /* patience: seconds until a hang is one */

static const char path[] = "mutant.ptx";

struct tally {
    uint64_t refused, accepted, compiled;
    double longest; /* seconds */
    uint64_t slowest;
    struct units units;
    uint64_t numbers[MAX_UNITS]; /* of the mutants that the units come of */
};

/* For the handlers of signals. */
static volatile uint64_t current;

static void on_signal(int number)
{
    char text[96];
    int length = snprintf(text, sizeof text, "mutant %" PRIu64 ": signal %d\n", current, number);

    if (length > 0 && write(STDERR_FILENO, text, (size_t)length) < 0)
        _exit(3);
    signal(number, SIG_DFL);
    raise(number);
}

static double processor_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* "mutant.ptx:LINE: " and something behind it, in one line of printable characters. */
static bool is_sentence(const char *error)
{
    size_t digits, length = strlen(error);

    if (length + 1 >= TRANSLATED_ERROR || strncmp(error, path, sizeof path - 1) != 0 ||
        error[sizeof path - 1] != ':')
        return false;
    digits = strspn(error + sizeof path, "0123456789");
    if (digits == 0 || strncmp(error + sizeof path + digits, ": ", 2) != 0 ||
        error[sizeof path + digits + 2] == '\0')
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isprint((unsigned char)error[i]))
            return false;
    return true;
}

static bool compile(struct tally *tally)
{
    size_t count = tally->units.count;

    if (units_compile(&tally->units)) {
        tally->compiled += count;
        return true;
    }
    for (size_t u = 0; u < count; u++)
        fprintf(stderr, "%zu.c there is of mutant %" PRIu64 "\n", u, tally->numbers[u]);
    return false;
}

static bool take_accepted(struct tally *tally, const char *c)
{
    if (tally->accepted++ % EVERY != 0)
        return true;
    tally->numbers[tally->units.count] = current;
    if (!units_add(&tally->units, c)) {
        perror("a file of C");
        return false;
    }
    return tally->units.count < MAX_UNITS || compile(tally);
}

static bool try_mutant(struct tally *tally, const struct text *mutant)
{
    char error[TRANSLATED_ERROR], *c;
    double start = processor_seconds(), seconds;
    bool good = true;

    alarm(PATIENCE);
    c = translated(path, mutant->at, mutant->size, error);
    alarm(0);
    seconds = processor_seconds() - start;
    if (seconds > tally->longest) {
        tally->longest = seconds;
        tally->slowest = current;
    }
    if (seconds > SECONDS) {
        fprintf(stderr, "mutant %" PRIu64 " takes %.1f s\n", current, seconds);
        good = false;
    }
    if (c != NULL) {
        good = take_accepted(tally, c) && good;
    } else {
        tally->refused++;
        if (!is_sentence(error)) {
            fprintf(stderr, "mutant %" PRIu64 " is refused so: %s\n", current, error);
            good = false;
        }
    }
    free(c);
    return good;
}

static bool read_sample(struct sample *sample, const char *name)
{
    FILE *from = fopen(name, "rb");
    char piece[65536];
    size_t got;
    bool good;

    if (from == NULL)
        return false;
    text_put(&sample->whole, "", 0);
    while ((got = fread(piece, 1, sizeof piece, from)) > 0)
        text_put(&sample->whole, piece, got);
    good = !ferror(from);
    fclose(from);
    sample_part(sample);
    return good;
}

static void make(struct text *mutant, uint64_t number, const struct sample *samples, size_t count)
{
    struct random random = {number * UINT64_C(0xd1342543de82ef95)};

    current = number;
    mutate(mutant, &random, samples, count);
}

static bool run(uint64_t count, uint64_t seed, const struct sample *samples, size_t sample_count)
{
    struct text mutant = {0};
    struct tally tally = {0};
    bool good = true;

    if (count == 0) {
        make(&mutant, seed, samples, sample_count);
        fwrite(mutant.at, 1, mutant.size, stdout);
    }
    for (uint64_t number = seed; number - seed < count; number++) {
        make(&mutant, number, samples, sample_count);
        good = try_mutant(&tally, &mutant) && good;
    }
    good = compile(&tally) && good;
    if (count > 0)
        printf("%" PRIu64 " mutants: %" PRIu64 " refused, %" PRIu64 " accepted, of which %" PRIu64
               " compiled; %.0f ms at most, mutant %" PRIu64 "\n",
               count, tally.refused, tally.accepted, tally.compiled, 1e3 * tally.longest,
               tally.slowest);
    free(mutant.at);
    return good;
}

int main(int argc, char **argv)
{
    size_t count = argc > 3 ? (size_t)argc - 3 : 0;
    struct sample *samples = calloc(count + 1, sizeof *samples);
    bool good = samples != NULL;

    if (count == 0) {
        fprintf(stderr, "usage: fuzz_translate COUNT SEED FILE.ptx ...\n");
        free(samples);
        return 2;
    }
    signal(SIGALRM, on_signal);
    signal(SIGSEGV, on_signal);
    signal(SIGABRT, on_signal);
    for (size_t s = 0; good && s < count; s++) {
        good = read_sample(&samples[s], argv[s + 3]);
        if (!good)
            perror(argv[s + 3]);
    }
    good = good && run(strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10), samples, count);
    for (size_t s = 0; good && s < count; s++)
        sample_free(&samples[s]);
    free(samples);
    return good ? 0 : 1;
}

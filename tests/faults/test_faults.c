/* SPDX-License-Identifier: MIT
 *
 * test_faults [--times N] [--seed S] [--kind GLOB] [--table FILE] [--program PATH] [--gpu]
 * [--verbose]
 *
 * Tries each kind of fault N times (default 1), and prints a row for each. A trial depends on the
 * seed, its kind and its number. `--program` names a program that runs instead of each program
 * under test, and gets that one's path in REAL_PROGRAM.
 *
 * Exits with 0 if all is well. Exits with 1 if a fault was not named or had an effect too rarely,
 * or if something was lost, wrong or left over. Exits with 77 with --gpu if not all kinds could be
 * tried.
 */
#include "faults.h"

#include "check.h"
#include "fnv.h"

#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

static const struct kind *const tables[] = {kernel_kinds,    worker_kinds, limit_kinds,
                                            interrupt_kinds, reader_kinds, gpu_kinds};

struct settings {
    unsigned long times, seed;
    const char *glob;
    FILE *table;                 /* null: none */
    struct test_part part;       /* of each table */
    bool gpu, verbose, no_clock; /* no_clock: skip faults at timed moments */
};

/* Sums over all trials of a kind. */
struct sums {
    unsigned int times, had_effect, named, lost, wrong, left;
};

enum { UNAVAILABLE = 77 };

static bool is_clean(const struct judged *judged)
{
    return judged->lost + judged->wrong + judged->left == 0;
}

static uint64_t seed_of(const struct settings *settings, const struct kind *kind,
                        unsigned int number)
{
    uint64_t hash = fnv_bytes(FNV_OFFSET_BASIS ^ settings->seed, kind->name, strlen(kind->name));

    return hash + number * UINT64_C(0x632be59bd9b4e019);
}

static void report_trial(const struct settings *settings, const struct trial *trial,
                         const struct judged *judged, unsigned int number)
{
    bool good = (judged->named || !judged->had_effect) && is_clean(judged);

    if (good && !settings->verbose)
        return;
    printf("    %s, seed %lu, number %u: status %d, %snamed, %u lost, %u wrong, %u left%s%s\n",
           trial->kind->name, settings->seed, number, trial->status,
           !judged->had_effect ? "no fault came, "
           : judged->named     ? ""
                               : "NOT ",
           judged->lost, judged->wrong, judged->left, judged->left > 0 ? ": " : "",
           trial->leftovers);
    if (!good)
        printf("---- what it said\n%.*s----\n", settings->verbose ? 8000 : 800, trial->output);
}

/* Runs one trial. If the fault has no effect, it may have come too late, or hit a worker that had
 * just finished. The trial then repeats at another moment. If an early end was expected, it repeats
 * at the same moment, because the signal may have been handled after the last case. A fault that
 * should have had an effect MAX_SURE times counts as one that was not named. */
static struct judged try_once(const struct settings *settings, const struct trial *whole,
                              unsigned int number, struct trial *trial)
{
    enum { MOMENTS = 8, MAX_SURE = 3, NEXT_MOMENT = 1000 };
    unsigned int sure = 0, moment = 0;
    struct judged judged;

    for (unsigned int tried = 1;; tried++) {
        *trial =
            (struct trial){.random = seed_of(settings, whole->kind, number + moment * NEXT_MOMENT),
                           .whole = whole->whole,
                           .answers = whole->answers};
        trial_run(trial, whole->kind, true);
        judged = trial_judge(trial, whole);
        sure += !judged.had_effect && judged.is_sure;
        if (judged.had_effect || !is_clean(&judged) || tried == MOMENTS || sure == MAX_SURE)
            break;
        moment += whole->kind->ends != ENDS_EARLY || !judged.is_sure;
        trial_free(trial);
    }
    if (sure == MAX_SURE && !judged.had_effect) {
        judged.had_effect = true;
        judged.named = false;
    }
    judged.named = judged.named && judged.had_effect;
    return judged;
}

/* Returns false if the clean run cannot serve as a reference. */
static bool try_whole(const struct settings *settings, const struct kind *kind, struct trial *whole,
                      bool *untried)
{
    const char *obstacle;

    *whole = (struct trial){.random = settings->seed};
    trial_run(whole, kind, false);
    if (settings->verbose)
        printf("    %s: without a fault %.3f s, %ld answers, status %d\n", kind->name, whole->whole,
               whole->answers, whole->status);
    *untried = whole->status == UNAVAILABLE && kind->may_be_skipped;
    obstacle = reference_obstacle(whole);
    if (*untried)
        printf("%-22s not tried here: what it runs is not there\n", kind->name);
    else if (obstacle != NULL)
        printf("%-22s FAILS without a fault, status %d: %s\n---- what it said\n%.800s----\n",
               kind->name, whole->status, obstacle, whole->output);
    return *untried || obstacle == NULL;
}

static bool try_kind(const struct settings *settings, const struct kind *kind, struct sums *sums)
{
    struct trial whole;
    bool untried, good;

    if (settings->times < kind->least) {
        printf("%-22s not tried: it waits for long, and is tried with --times %u\n", kind->name,
               kind->least);
        return true;
    }
    good = try_whole(settings, kind, &whole, &untried);
    for (unsigned int number = 0; good && !untried && number < settings->times; number++) {
        struct trial trial;
        struct judged judged = try_once(settings, &whole, number, &trial);
        report_trial(settings, &trial, &judged, number);
        sums->times++;
        sums->had_effect += judged.had_effect;
        sums->named += judged.named;
        sums->lost += judged.lost;
        sums->wrong += judged.wrong;
        sums->left += judged.left;
        trial_free(&trial);
    }
    trial_free(&whole);
    return good;
}

/* Prints the kind's row. Returns true if nothing is wrong and the fault had an effect in at least
 * three of four trials. */
static bool report_kind(const struct settings *settings, const struct kind *kind,
                        const struct sums *sums)
{
    bool is_tried = sums->had_effect > 0 && 4 * sums->had_effect >= 3 * sums->times;

    printf("%-22s %5u %5u %5u %5u %5u %5u  %s%s\n", kind->name, sums->times, sums->had_effect,
           sums->named, sums->lost, sums->wrong, sums->left, kind->what,
           is_tried ? "" : ": CAME TOO SELDOM");
    fflush(stdout);
    if (settings->table != NULL)
        fprintf(settings->table, "| %s | %s | %u | %u | %u | %u | %u | %u |\n", kind->name,
                kind->what, sums->times, sums->had_effect, sums->named, sums->lost, sums->wrong,
                sums->left);
    return is_tried && sums->named == sums->had_effect &&
           sums->lost + sums->wrong + sums->left == 0;
}

static bool is_wanted(const struct settings *settings, const struct kind *kind)
{
    return kind->by_gpu == settings->gpu && !(settings->no_clock && kind->inject != NULL) &&
           fnmatch(settings->glob, kind->name, 0) == 0;
}

static bool is_any_wanted(const struct settings *settings)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct kind *kind = tables[t]; kind->name != NULL; kind++)
            if (is_wanted(settings, kind))
                return true;
    return false;
}

static bool try_table(const struct settings *settings, const struct kind *kinds, bool *untried)
{
    bool good = true;

    for (const struct kind *kind = kinds; kind->name != NULL; kind++) {
        struct sums sums = {.times = 0};
        const char *obstacle;
        if (!is_wanted(settings, kind) ||
            !test_part_has(settings->part, (unsigned int)(kind - kinds)))
            continue;
        obstacle = kind->obstacle != NULL ? kind->obstacle() : NULL;
        if (obstacle != NULL) {
            printf("%-22s not tried here: %s\n", kind->name, obstacle);
            *untried = true;
            continue;
        }
        good = try_kind(settings, kind, &sums) && good;
        if (sums.times > 0)
            good = report_kind(settings, kind, &sums) && good;
    }
    return good;
}

static bool read_number(const char *word, unsigned long *number)
{
    char *end;

    errno = 0;
    *number = strtoul(word, &end, 10);
    return errno == 0 && end != word && *end == '\0' && word[0] != '-';
}

static bool read_settings(int argc, char **argv, struct settings *settings)
{
    static const struct option rows[] = {{"times", required_argument, NULL, 't'},
                                         {"seed", required_argument, NULL, 's'},
                                         {"kind", required_argument, NULL, 'k'},
                                         {"table", required_argument, NULL, 'f'},
                                         {"program", required_argument, NULL, 'p'},
                                         {"gpu", no_argument, NULL, 'g'},
                                         {"verbose", no_argument, NULL, 'v'},
                                         {"no-clock", no_argument, NULL, 'c'},
                                         {NULL, 0, NULL, 0}};
    bool good = true;
    int code;

    while (good && (code = getopt_long(argc, argv, "", rows, NULL)) != -1) {
        if (code == 't' || code == 's')
            good = read_number(optarg, code == 't' ? &settings->times : &settings->seed);
        else if (code == 'k')
            settings->glob = optarg;
        else if (code == 'f')
            good = (settings->table = fopen(optarg, "w")) != NULL;
        else if (code == 'p')
            fault_program = optarg;
        else if (code == 'g')
            settings->gpu = true;
        else if (code == 'c')
            settings->no_clock = true;
        else if (code == 'v')
            settings->verbose = true;
        else
            good = false;
    }
    return good && optind == argc;
}

int main(int argc, char **argv)
{
    struct settings settings = {.times = 1,
                                .seed = (unsigned long)time(NULL),
                                .glob = "*",
                                .part = test_part_read(getenv("SIMTCHECK_TEST_PART"))};
    bool good = true, untried = false;

    if (!read_settings(argc, argv, &settings)) {
        fprintf(stderr,
                "usage: %s [--times N] [--seed S] [--kind GLOB] [--table FILE] "
                "[--program PATH] [--gpu] [--no-clock] [--verbose]\n",
                argv[0]);
        return 2;
    }
    if (!is_any_wanted(&settings)) {
        fprintf(stderr, "%s: no kind is called '%s'%s\n", argv[0], settings.glob,
                settings.gpu ? ": of those with a GPU" : ": those with one are tried by --gpu");
        return 2;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* adopts and counts processes that programs leave behind */
    signals_default();                /* children get interrupts from their first moment on */
    signal(SIGPIPE, SIG_IGN);
    printf("seed %lu, %lu times each\n%-22s %5s %5s %5s %5s %5s %5s\n", settings.seed,
           settings.times, "kind", "times", "came", "named", "lost", "wrong", "left");
    fflush(stdout);
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        good = try_table(&settings, tables[t], &untried) && good;
    if (settings.table != NULL && fclose(settings.table) != 0)
        good = false;
    return !good ? 1 : settings.gpu && untried ? 77 : 0;
}

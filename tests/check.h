/* SPDX-License-Identifier: MIT
 *
 * What every test program needs: CMocka, and running the programs under test.
 */
#ifndef SIMTCHECK_TESTS_CHECK_H
#define SIMTCHECK_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

/* Defines a test. tests_run() runs the tests of a program in the order in which its file has them.
 */
#define TEST(name)                                                                                 \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        test_add(#name, name);                                                                     \
    }                                                                                              \
    static void name(__attribute__((unused)) void **state)

void test_add(const char *name, CMUnitTestFunction function);

/* Returns the exit status. The last two may be null. */
int tests_run(const char *group, CMFixtureFunction set_up, CMFixtureFunction tear_down);

/* The main function of a test program that needs no more than that. */
#define TEST_MAIN(group, set_up, tear_down)                                                        \
    int main(void)                                                                                 \
    {                                                                                              \
        return tests_run(group, set_up, tear_down);                                                \
    }

/* What a program printed, standard output and error together, and its exit status; 128 + the
 * signal's number when it died of one. The caller frees `output`. */
struct ended {
    int status;
    char *output;
};

/* In the child, before the program, or before all children: they hear interrupts, whatever whoever
 * started the tests has had ignored. */
void signals_default(void);

/* Runs a program to its end. `arguments` starts with its path and ends with null. */
struct ended program_run(const char *const arguments[]);

/* Runs a program with the words of a line that printf() makes. Blanks part the words, and single
 * quotes hold blanks together. The first word is a command of simtcheck, or a program: `seeded`, or
 * a path that begins with '/'. */
struct ended run_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Runs it likewise, and fails the test unless it ends with that status and prints each of the texts
 * of `says`, which '|' parts; a text behind '!' is one that it must not print. */
void expect_run(int status, const char *says, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same of what has been run. Frees its output. */
void expect_ended(struct ended ended, int status, const char *says);

/* A temporary folder of the test program: for cmocka_run_group_tests(). folder_make() unsets
 * SIMTCHECK_REQUIRE, too. */
extern char folder[32];
int folder_make(void **state);
int folder_remove(void **state);

/* The path of a file in the folder, which stays until sixteen more have been asked for. */
const char *in_folder(const char *name);

/* Runs it with its standard error on a terminal; `output` is what that showed. */
struct ended program_on_terminal(const char *const arguments[]);

/* Starts it, sends the signal as soon as the file holds the text, and waits for the end. The
 * program is traced: it cannot go on between the two. It prints less than a pipe holds. */
struct ended program_interrupt(const char *const arguments[], const char *path, const char *text,
                               int signal_number);

/* Starts it in a process group of its own, sends the group the signal as a terminal does, and waits
 * for the end. The moment is a stop of the program or of its child, before or after a system call:
 * the first has number 1. The program prints less than a pipe holds. */
struct ended program_stop(const char *const arguments[], unsigned int number, int signal_number);

/* Runs a command with "--json FILE" added, and returns the JSON and the exit status. Null when
 * there is no JSON. What was printed is shown when the status is not 0. The caller drops the JSON.
 */
json_t *program_report_any(const char *const arguments[], int *status);

/* The same for a command that must end with that status: null when it ends with another. */
json_t *program_report(const char *const arguments[], int status);

/* The same of the words of a line, as run_line() has them. */
json_t *report_line(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The result row of that id and form; null when there is none. Borrowed. */
json_t *report_find(const json_t *report, const char *id, const char *kind);

long long report_number(const json_t *object, const char *key);
const char *report_text(const json_t *object, const char *key);

/* A folder with a copy of `seeded` beside workers of which those of `engines`, which ends with
 * null, are the simulator's twin, and play GPUs. False when it cannot be made. */
struct twin {
    char folder[32], program[64];
};
bool twin_make(struct twin *twin, const char *const engines[]);
bool twin_remove(const struct twin *twin);

/* What a file of JSON holds; the test fails where it cannot be read. The caller drops it. */
json_t *json_read(const char *path);

/* Runs `simtcheck compare` of two snapshots. */
struct ended snapshots_compare(const char *before, const char *after);

/* Writes a file that holds the text and no more. Returns its path. */
const char *text_write(const char *path, const char *text);

/* What a file holds; the test fails where it cannot be read or is empty. The caller frees it. */
char *text_read(const char *path);

/* Writes a value to a file, and drops it. */
void json_save(json_t *value, const char *path);

/* The member or item that a path such as "run/results/0/verdict" names; null: there is none. */
json_t *json_at(json_t *value, const char *path);

/* Sets what the path names to a value in JSON, adds it, or removes it with null. */
void json_put(json_t *value, const char *path, const char *text);

/* Writes a script for bash into the folder, for a tool that is not at hand, and returns its path as
 * in_folder() does. */
const char *script_make(const char *name, const char *text);

/* The program under test: SIMTCHECK, or what the environment names in SIMTCHECK_PROGRAM. */
const char *simtcheck_program(void);

/* I/N, the Ith of N parts, from 1, of a program's tests, dealt out by their turns from 0; null is
 * all of them. Ends the program with 2 where the text is no such part. */
struct test_part {
    unsigned int index, count;
};
struct test_part test_part_read(const char *text);
bool test_part_has(struct test_part part, unsigned int turn);

/* True when the engine is here. Else the test program must end with 77, which CTest counts as
 * skipped, before CMocka runs: CMocka's own skip() ends with 0. An engine that SIMTCHECK_REQUIRE
 * names is taken to be here, for the tests are to fail without it; `cuda` names cuda-stress too.
 */
bool engine_is_available(const char *engine);

#endif

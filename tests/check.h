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

/* Runs the part SIMTCHECK_TEST_PART of the tests, as test_part_read() reads it. Returns the exit
 * status. The last two may be null. */
int tests_run(const char *group, CMFixtureFunction set_up, CMFixtureFunction tear_down);

/* The main function of a test program that needs no other set-up. */
#define TEST_MAIN(group, set_up, tear_down)                                                        \
    int main(void)                                                                                 \
    {                                                                                              \
        return tests_run(group, set_up, tear_down);                                                \
    }

/* Contains what a program printed, standard output and error together, and its exit status. The
 * status is 128 + the signal's number if a signal ended the program. The caller frees `output`. */
struct ended {
    int status;
    char *output;
};

/* Resets interrupts to their defaults, even if the process that started the tests ignores them.
 * Call it in the child before the program starts, or before all children. */
void signals_default(void);

/* Runs a program to its end. `arguments` starts with its path and ends with null. */
struct ended program_run(const char *const arguments[]);

/* Runs a program with the words of a line that printf() formats. Blanks separate words, and single
 * quotes keep blanks in a word. The first word is a command of simtcheck or a program: `seeded`, or
 * a path that begins with '/'. If SIMTCHECK_TEST_COMPILER is set, `check` of a file
 * that is no PTX uses that compiler alone. */
struct ended run_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Removes the seconds from the verdict of a command on the simulator: "1 row, simulator, 0.2 s". */
void remove_time(char *output);

/* Runs a line as run_line() does. Fails the test unless the program ends with `status` and prints
 * each text in `says`. '|' separates the texts; a text after '!' must not be printed. */
void expect_run(int status, const char *says, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Checks the result of a finished run as expect_run() does. Frees its output. */
void expect_ended(struct ended ended, int status, const char *says);

/* The temporary folder of the test program. The two functions are the fixtures of
 * cmocka_run_group_tests(). folder_make() also unsets SIMTCHECK_REQUIRE. */
extern char folder[32];
int folder_make(void **state);
int folder_remove(void **state);

/* Returns the path of a file in the folder. The string is valid for sixteen more calls. */
const char *in_folder(const char *name);

/* Runs a program with its standard error on a terminal; `output` is what the terminal showed. */
struct ended program_on_terminal(const char *const arguments[]);

/* Starts a program, sends the signal as soon as the file holds the text, and waits for the end. The
 * program is traced, so it stays stopped between the two. Its output must fit in a pipe. */
struct ended program_interrupt(const char *const arguments[], const char *path, const char *text,
                               int signal_number);

/* Starts a program in its own process group, sends the group the signal as a terminal does, and
 * waits for the end. `number` is the stop at which the signal arrives, counted from 1. The program
 * and its children stop before and after each system call. The output must fit in a pipe. */
struct ended program_stop(const char *const arguments[], unsigned int number, int signal_number);

/* Runs a command with "--json FILE" added, and returns the JSON and the exit status. Returns null
 * if there is no JSON. Prints the command's output if the status is not 0. The caller drops the
 * JSON. */
json_t *program_report_any(const char *const arguments[], int *status);

/* Does the same for a command that must end with `status`. Returns null if it ends with another. */
json_t *program_report(const char *const arguments[], int status);

/* Does the same for the words of a line, as run_line() splits them. */
json_t *report_line(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the result row of a kernel and variant, or null. The reference is borrowed. */
json_t *report_find(const json_t *report, const char *id, const char *kind);

long long report_number(const json_t *object, const char *key);
const char *report_text(const json_t *object, const char *key);

/* Describes a folder with a copy of `seeded` and its workers. The workers of `engines`, a list that
 * ends with null, are the simulator's twin and stand in for GPUs. Functions return false on error.
 */
struct twin {
    char folder[32], program[64];
};
bool twin_make(struct twin *twin, const char *const engines[]);
bool twin_remove(const struct twin *twin);

/* Returns the JSON in a file. Fails the test if it cannot be read. The caller drops the value. */
json_t *json_read(const char *path);

/* Runs `simtcheck compare` on two snapshots. */
struct ended snapshots_compare(const char *before, const char *after);

/* Writes a file that holds exactly the text. Returns `path`. */
const char *text_write(const char *path, const char *text);

/* Returns the content of a file. Fails the test if it is empty or unreadable. The caller frees it.
 */
char *text_read(const char *path);

/* Writes a value to a file, and drops the value. */
void json_save(json_t *value, const char *path);

/* Returns the member or item at a path such as "run/results/0/verdict", or null. */
json_t *json_at(json_t *value, const char *path);

/* Sets or adds the member at the path; `text` is its value in JSON. A null `text` removes it. */
void json_put(json_t *value, const char *path, const char *text);

/* Writes a bash script into the folder, as a stand-in for a missing tool. Returns its path as
 * in_folder() does. */
const char *script_make(const char *name, const char *text);

/* Returns the program under test: SIMTCHECK_PROGRAM from the environment, or else SIMTCHECK. */
const char *simtcheck_program(void);

/* Part I of N, from 1, of a program's tests, or with `not` all but that part. The tests are
 * numbered from 0 and dealt to the parts in turn. A null text means all tests. Any other text ends
 * the program with status 2. */
struct test_part {
    unsigned int index, count;
    bool is_others;
};
struct test_part test_part_read(const char *text);
bool test_part_has(struct test_part part, unsigned int turn);

/* Returns true if the engine is available. Otherwise the test program must exit with 77 before
 * CMocka runs; CTest counts that as skipped. CMocka's own skip() exits with 0.
 *
 * An engine in SIMTCHECK_REQUIRE always counts as available, so that its tests fail when it is
 * missing. `cuda` includes cuda-stress. */
bool engine_is_available(const char *engine);

#endif

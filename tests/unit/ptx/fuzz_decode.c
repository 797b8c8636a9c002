/* SPDX-License-Identifier: MIT
 *
 * fuzz_decode COUNT SEED FILE.ptx ...: decodes COUNT mutants of the files, numbered from SEED on.
 * The decoder must reject a mutant with one sentence, or produce code with valid targets and
 * frames. It has one second of processor time. Exit status 0, or 1 if a mutant fails.
 *
 * A mutant depends only on its number and the files. COUNT 1 with its number as SEED repeats it,
 * and COUNT 0 prints it.
 */
#include "decode.h"
#include "mutate.h"

#include <ctype.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ERROR_SIZE = 512, SECONDS = 1, PATIENCE = 20 }; /* patience: seconds until a run hangs */

static const char path[] = "mutant.ptx";

struct tally {
    uint64_t rejected, accepted;
    double longest; /* seconds */
    uint64_t slowest;
};

/* For signal handlers. */
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

/* Returns true if the error is "FILE:LINE: " and more text, in one line without control
 * characters. FILE may contain colons. */
static bool is_sentence(const char *error)
{
    size_t length = strlen(error);
    bool has_line = false;

    for (const char *at = strchr(error, ':'); at != NULL; at = strchr(at + 1, ':')) {
        size_t digits = strspn(at + 1, "0123456789");

        has_line |= at > error && digits > 0 && strncmp(at + 1 + digits, ": ", 2) == 0 &&
                    at[1 + digits + 2] != '\0';
    }
    for (size_t i = 0; i < length; i++)
        if (iscntrl((unsigned char)error[i]))
            return false;
    return has_line && length + 1 < ERROR_SIZE;
}

/* Slot 0 means none. */
static bool is_slot(const struct function_code *code, uint32_t slot)
{
    return slot == 0 || (slot >= sizeof(struct head) && slot < code->frame_bytes);
}

static bool is_variable(const struct function_code *code, const struct call_variable *variable)
{
    return variable->is_local ? variable->slot + variable->bytes <= code->local_bytes
                              : is_slot(code, variable->slot) &&
                                    variable->slot + LANES * variable->bytes <= code->frame_bytes;
}

static bool is_sound_call(const struct function_code *code, const struct call_code *call)
{
    bool good = true;

    for (uint32_t p = 0; p < call->parameter_count; p++)
        good = good && is_variable(code, &call->parameters[p]);
    for (uint32_t r = 0; r < call->result_count; r++)
        good = good && is_variable(code, &call->results[r]);
    return good;
}

/* Returns true if an access to a parameter, or to a variable in the frame, stays within it. */
static bool is_within(const struct function_code *code, const struct op *op)
{
    uint64_t offset = (uint64_t)op->offset, bytes = (uint64_t)op->count * op->bytes;

    if (op->kind == OP_ENTRY_LOAD)
        return offset + bytes >= bytes && offset + bytes <= code->parameter_bytes;
    if (op->kind == OP_VARIABLE_LOAD || op->kind == OP_VARIABLE_STORE)
        return offset + bytes >= bytes && offset + bytes <= op->truth &&
               op->a + (uint64_t)LANES * op->truth <= code->frame_bytes;
    return true;
}

static bool is_sound_op(const struct function_code *code, const struct op *op)
{
    bool good = is_slot(code, op->d) && is_slot(code, op->a) && is_slot(code, op->b) &&
                is_slot(code, op->c) && is_slot(code, op->e) && is_slot(code, op->guard) &&
                is_slot(code, op->d2) && is_slot(code, op->carry) &&
                (op->kind != OP_BRANCH || op->target < code->op_count) &&
                (op->kind != OP_COMPUTE || op->run != NULL) &&
                (op->call == NULL || is_sound_call(code, op->call)) && is_within(code, op);

    for (uint32_t p = 0; op->parts != NULL && p < op->count; p++)
        good = good && is_slot(code, op->parts[p]);
    for (uint32_t t = 0; op->kind == OP_SWITCH && t < op->targets->count; t++)
        good = good && op->targets->targets[t] < code->op_count;
    return good;
}

/* Returns true if every slot of every op lies in its frame, and every target in its function. */
static bool is_sound(const struct module_code *code)
{
    bool good = true;

    for (size_t f = 0; f < code->module.function_count; f++)
        for (uint32_t k = 0; k < code->functions[f].op_count; k++)
            good = good && is_sound_op(&code->functions[f], &code->functions[f].ops[k]);
    return good;
}

/* Copies the text exactly, so that AddressSanitizer detects reads past its end. */
static char *exact_copy(const struct text *mutant)
{
    char *copy = malloc(mutant->size > 0 ? mutant->size : 1);

    if (copy == NULL)
        abort();
    memcpy(copy, mutant->at, mutant->size);
    return copy;
}

static bool report_problem(const char *what)
{
    fprintf(stderr, "mutant %" PRIu64 " %s\n", current, what);
    return false;
}

static bool try_mutant(struct tally *tally, const struct text *mutant)
{
    struct module_code code;
    char error[ERROR_SIZE] = "", *copy = exact_copy(mutant);
    double start = processor_seconds(), seconds;
    bool accepted, good = true;

    alarm(PATIENCE);
    accepted = decode_alone(&code, path, copy, mutant->size, error, sizeof error);
    alarm(0);
    seconds = processor_seconds() - start;
    if (seconds > tally->longest) {
        tally->longest = seconds;
        tally->slowest = current;
    }
    tally->accepted += accepted;
    tally->rejected += !accepted;
    if (seconds > SECONDS)
        good = report_problem("takes more than a second");
    if (accepted && !is_sound(&code))
        good = report_problem("decodes to code that names missing objects");
    if (!accepted && !is_sentence(error))
        good = report_problem("is rejected without a full sentence:"),
        fprintf(stderr, "%s\n", error);
    decode_alone_free(&code);
    free(copy);
    return good;
}

/* Drops the folders from a line `.file 1 "/folder/file"`, so that the mutants are the same in
 * every checkout. */
static void put_line(struct text *text, const char *line)
{
    const char *quote = strchr(line, '"'), *slash = strrchr(line, '/');

    if (strncmp(line, "\t.file\t", 7) == 0 && quote != NULL && slash != NULL) {
        text_put(text, line, (size_t)(quote + 1 - line));
        line = slash + 1;
    }
    text_put(text, line, strlen(line));
}

static bool read_sample(struct sample *sample, const char *name)
{
    FILE *from = fopen(name, "rb");
    char *line = NULL;
    size_t room = 0;
    bool good;

    if (from == NULL)
        return false;
    text_put(&sample->whole, "", 0);
    while (getline(&line, &room, from) >= 0)
        put_line(&sample->whole, line);
    free(line);
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
    if (count > 0)
        printf("%" PRIu64 " mutants: %" PRIu64 " rejected, %" PRIu64
               " accepted; %.0f ms at most, mutant %" PRIu64 "\n",
               count, tally.rejected, tally.accepted, 1e3 * tally.longest, tally.slowest);
    free(mutant.at);
    return good;
}

int main(int argc, char **argv)
{
    size_t count = argc > 3 ? (size_t)argc - 3 : 0;
    struct sample *samples = calloc(count + 1, sizeof *samples);
    bool good = samples != NULL;

    if (count == 0) {
        fprintf(stderr, "usage: fuzz_decode COUNT SEED FILE.ptx ...\n");
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

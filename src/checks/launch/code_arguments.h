/* SPDX-License-Identifier: MIT
 *
 * Arguments that only the code has: functions, lambdas and objects. The compiler stores each in a
 * variable of the parameter's type, because the address of a __device__ function exists only on
 * the device.
 */
#ifndef SIMTCHECK_CHECKS_CODE_ARGUMENTS_H
#define SIMTCHECK_CHECKS_CODE_ARGUMENTS_H

#include "entry.h"
#include "json_model.h"
#include "launch_text.h"

/* C++ that the functions below need, after the text of user_code.c. */
extern const char code_arguments_text[];

/* Writes C++ whose value is name `name` of the launch. A lambda is the result of a function, which
 * code_arguments_write_lambdas() defines. */
bool code_argument_is_lambda(const struct launch_text *launch, uint32_t name);
enum { TERM_TEXT = NAME_TEXT + 32 };
void code_argument_term(const struct launch_text *launch, uint32_t name, char term[TERM_TEXT]);
void code_arguments_write_lambdas(FILE *to, const struct launch_text *launch);

/* Writes the variables of a call's arguments. `address` is C++ for the address of its kernel. */
void code_arguments_write(FILE *to, const struct launch_text *launch, uint32_t call,
                          const char *address, struct memory *memory);

/* Sets argument->given if the argument is in such a variable, of so many bytes. Returns false if
 * the variable has another size. */
bool code_argument_bind(struct launch_text *launch, struct launch_argument *argument,
                        const struct entries *entries, uint64_t bytes);

#endif

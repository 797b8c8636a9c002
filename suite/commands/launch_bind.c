/* SPDX-License-Identifier: MIT */
#include "launch_bind.h"

#include "complain.h"

bool launch_read(const char *text, struct launch_text *launch)
{
    char error[256];
    size_t column;

    if (launch_parse(text, launch, &column, error, sizeof error))
        return true;
    return complain("column %zu of the launch: %s\n    %s\n    %*s^", column, error, text,
                    (int)column - 1, "");
}

bool launch_bind(struct launch_text *launch, const char *ptx, const char *name, struct entry *entry)
{
    char error[512];

    if (!entry_read(ptx, name, entry, error, sizeof error))
        return complain("%s: %s", launch->kernel, error);
    if (entry->parameter_count != launch->argument_count)
        return complain("%s takes %zu arguments, and the launch has %u", launch->kernel,
                        entry->parameter_count, launch->argument_count);
    for (uint32_t a = 0; a < launch->argument_count; a++) {
        struct launch_argument *argument = &launch->arguments[a];
        uint64_t bytes = entry->parameters[a].bytes;
        uint64_t wanted = argument->members > 0 ? argument->bytes : 8;
        if (argument->is_array || argument->members > 0 ? bytes != wanted : bytes > wanted)
            return complain("argument %u of %s has %zu bytes, and the launch has %s", a + 1,
                            launch->kernel, (size_t)bytes,
                            argument->is_array      ? "an array"
                            : argument->members > 0 ? "a struct of another size"
                                                    : "a number");
        argument->type = !entry->parameters[a].is_float ? SCALAR_INTEGER
                         : bytes == 4                   ? SCALAR_F32
                                                        : SCALAR_F64;
    }
    return true;
}

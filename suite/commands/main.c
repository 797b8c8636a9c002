/* SPDX-License-Identifier: MIT */
#include "main.h"

#include "command.h"

#include <stdio.h>

extern const struct command list_command, run_command, replay_command, counters_command,
    agree_command, races_command, delays_command;

static const struct command *const commands[] = {
    &list_command,  &run_command,   &replay_command, &counters_command,
    &agree_command, &races_command, &delays_command, NULL,
};

int suite_main(int argc, char **argv, const struct catalogue *catalogue)
{
    struct options options;
    int status = EXIT_CONFORMS;

    if (!options_parse(argc, argv, commands, &options))
        status = EXIT_USAGE;
    else if (options.help)
        options_help("simtcheck", commands);
    else if (options.version)
        puts("simtcheck " SIMTCHECK_VERSION);
    else
        status = options.command->run(&options, catalogue);
    options_free(&options);
    return status;
}

bool suite_options_fit(void)
{
    return options_know(commands);
}

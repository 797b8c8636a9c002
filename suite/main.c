/* SPDX-License-Identifier: MIT */
#include "main.h"

#include "agree.h"
#include "counters.h"
#include "delays.h"
#include "options.h"
#include "races.h"
#include "report.h"
#include "run.h"

#include <stdio.h>

int suite_main(int argc, char **argv, const struct catalogue *catalogue)
{
    struct options options;
    int status = EXIT_CONFORMS;

    if (!options_parse(argc, argv, &options)) {
        options_free(&options);
        return EXIT_USAGE;
    }
    switch (options.command) {
    case COMMAND_LIST:
        status = report_list(catalogue, options.list_json) ? EXIT_CONFORMS : EXIT_ENVIRONMENT;
        break;
    case COMMAND_RUN:
        status = run_command(&options, catalogue);
        break;
    case COMMAND_REPLAY:
        status = replay_command(&options, catalogue);
        break;
    case COMMAND_AGREE:
        status = agree_command(&options, catalogue);
        break;
    case COMMAND_RACES:
        status = races_command(&options, catalogue);
        break;
    case COMMAND_DELAYS:
        status = delays_command(&options, catalogue);
        break;
    case COMMAND_COUNTERS:
        status = counters_command(&options, catalogue);
        break;
    case COMMAND_HELP:
        options_help("simtcheck");
        break;
    case COMMAND_VERSION:
        puts("simtcheck " SIMTCHECK_VERSION);
        break;
    }
    options_free(&options);
    return status;
}

/* SPDX-License-Identifier: MIT
 *
 * The exit statuses of `simtcheck`, which are also the results of its checks.
 */
#ifndef SIMTCHECK_BASE_EXIT_STATUS_H
#define SIMTCHECK_BASE_EXIT_STATUS_H

enum {
    EXIT_CONFORMS = 0,
    EXIT_DIFFERS,
    EXIT_USAGE,
    EXIT_ENVIRONMENT,
    EXIT_UNAVAILABLE = 77,
};

#endif

/* SPDX-License-Identifier: MIT */
#include "bound.h"

#include "error_report.h"
#include "exit_status.h"

#include <inttypes.h>
#include <stdio.h>

struct bound bound_start(double minutes)
{
    return (struct bound){
        .minutes = minutes, .end = minutes > 0 ? bound_seconds() + 60 * minutes : 0, .launches = 1};
}

void bound_start_launch(struct bound *bound)
{
    if (bound->minutes <= 0)
        bound->end = bound_seconds() + 60 * USUAL_MINUTES;
}

bool bound_is_over(const struct bound *bound)
{
    return bound->end > 0 && bound_seconds() >= bound->end;
}

double bound_share(struct bound *bound, uint64_t parts)
{
    double end = bound->end, now;

    if (bound->minutes > 0 && parts > 1) {
        now = bound_seconds();
        bound->end = end > now ? now + (end - now) / (double)parts : now;
    }
    return end;
}

void bound_restore(struct bound *bound, double end)
{
    bound->end = end;
}

void bound_take_rest(struct bound *bound, const struct bound_check *check, const char *what)
{
    bool has_compiler = check->compiler != NULL;

    LIST_ADD(&bound->memory, &bound->left_out, const char *) =
        memory_text(&bound->memory, "%s: %s%s%s: %s", check->kernel, check->check,
                    has_compiler ? ", " : "", has_compiler ? check->compiler : "", what);
}

void bound_take(struct bound *bound, const struct bound_check *check, uint64_t tried,
                uint64_t left_out)
{
    char text[64];

    snprintf(text, sizeof text, "%" PRIu64 " of %" PRIu64 " cases", left_out, tried + left_out);
    if (left_out > 0)
        bound_take_rest(bound, check, text);
}

int bound_end(struct bound *bound, int status)
{
    const char *const *texts = bound->left_out.items;
    bool is_bounded = bound->left_out.count > 0;

    if (is_bounded && bound->minutes > 0)
        printf("\n--minutes %g left out:\n", bound->minutes);
    else if (is_bounded)
        printf("\nafter %d minutes, this was left out:\n", USUAL_MINUTES);
    for (size_t k = 0; k < bound->left_out.count; k++)
        printf("    %s\n", texts[k]);
    if (is_bounded && bound->minutes <= 0) {
        error_report("not all was checked in %d minutes: give smaller sizes, or --minutes for "
                     "another limit",
                     USUAL_MINUTES);
        status = status == EXIT_CONFORMS ? EXIT_ENVIRONMENT : status;
    } else if (is_bounded && !bound->has_looked) {
        error_report("nothing was checked in the time of --minutes %g: give more", bound->minutes);
        status = status == EXIT_CONFORMS ? EXIT_UNAVAILABLE : status;
    }
    bound->end = bound->minutes > 0 ? bound->end : 0;
    memory_free(&bound->memory);
    bound->left_out = (struct list){NULL, 0};
    bound->has_looked = false;
    bound->is_bounded = is_bounded;
    return status;
}

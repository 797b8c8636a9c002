/* SPDX-License-Identifier: MIT */
#include "check_request.h"

#include "case_id.h"
#include "error_report.h"
#include "interrupt.h"
#include "near_name.h"
#include "oracle.h"

#include <stdio.h>
#include <string.h>

bool check_uses_engine(const struct check_request *request, enum engine_id engine)
{
    return request->rows.engines.count == 0 || engine_list_has(&request->rows.engines, engine);
}

bool check_has_reference_code(const struct check_request *request)
{
    return request->against != NULL || request->ulps > 0 || request->reference != 0;
}

bool check_has_tolerance(const struct check_request *request)
{
    return request->ulps > 0 || request->reference != 0;
}

bool check_has_part(const struct check_request *request, enum check_part part)
{
    return request->parts == 0 || (request->parts & part) != 0;
}

/* Checks that the options can be combined. Returns false after an error message. */
static bool parts_fit(const struct check_request *request)
{
    if (request->front_ends == ALL_FRONT_ENDS && request->case_id != NULL)
        return error_report("--case runs one case with one compiler: give --compiler once");
    if (request->front_ends == 1u << FRONT_END_CLANG && request->compilers.nvcc.count > 0)
        return error_report("--nvcc does not apply to --compiler clang: leave one of them out");
    if (user_files_are_ptx(&request->files) &&
        (request->front_ends != 0 || request->compilers.nvcc.count > 0 ||
         request->files.flag_count > 0))
        return error_report("'%s' is not compiled: leave out --compiler, --nvcc and compiler flags",
                            request->files.path[0]);
    if (request->rows.selection.cases.weak_memory != 0 && !check_has_part(request, CHECK_RACES) &&
        request->oracle == NULL && !check_has_reference_code(request))
        return error_report("--memory weak compares its executions in the part races: give --only "
                            "races, too, or leave out --only");
    return request->parts != CHECK_RACES || check_uses_engine(request, ENGINE_SIM) ||
           error_report("--only races needs the simulator: give --engine sim");
}

/* Checks that --floats exact and --reference double can be combined with the other options. Returns
 * false after an error message. */
static bool floats_fit(const struct check_request *request)
{
    if (request->reference != 0 && request->oracle != NULL)
        return error_report("--reference double needs the code of a kernel as the reference, and "
                            "--oracle is none: leave out one of them");
    if (request->floats != FLOATS_EXACT)
        return true;
    if (request->reference != 0)
        return error_report("--floats exact has no rounding errors: leave out --reference double");
    if (request->ulps > 0)
        return error_report("--floats exact has no rounding errors: leave out --tolerance");
    if (request->oracle != NULL)
        return error_report("--oracle computes with the host's floats, which are not those of "
                            "--floats exact: write the reference as a plain kernel for --against");
    return !engine_list_has(&request->rows.engines, ENGINE_CUDA) ||
           error_report("--floats exact runs on the simulator only: give no --engine cuda");
}

bool check_request_fits(const struct check_request *request)
{
    return parts_fit(request) && floats_fit(request);
}

/* Checks that the launch uses the dimensions of --block and --size. Returns false after an error
 * message. */
static bool shapes_fit(const struct check_request *request, const struct launch_text *launch)
{
    const struct plan_request *cases = &request->rows.selection.cases;
    char word[WORD_SIZE];

    if (cases->block_count > 0 && !launch_has(launch, VARIABLE_B))
        return error_report("--block is given, but the launch does not use B: its block is fixed");
    for (size_t b = 0; b < cases->block_count; b++) {
        block_format(&cases->blocks[b], word);
        if (cases->blocks[b].y > 1 || cases->blocks[b].z > 1)
            return error_report(
                "--block %s has several dimensions, but B of a launch is one number: "
                "give one, such as 256",
                word);
        if (cases->blocks[b].x > SIMT_BLOCK_THREADS)
            return error_report("--block %s: a block has at most 1024 threads", word);
    }
    for (size_t z = 0; z < cases->size_count; z++) {
        size_format(&cases->sizes[z], word);
        if (cases->size_names.count == 0 &&
            (cases->sizes[z].size[1] != 1 || shape_size_count(&cases->sizes[z]) > 2) &&
            launch_size_dimensions(launch) == 1)
            return error_report(
                "--size %s has several dimensions, but the launch does not use nx and ny: "
                "give one dimension, such as 1000",
                word);
        if (cases->sizes[z].depth > 0)
            return error_report("--size %s has a maxDepth, which a launch does not have", word);
    }
    return true;
}

/* Checks that each float has a place where it is compared with its error bound. Returns false after
 * an error message. */
static bool bounds_fit(const struct check_request *request, const struct launch_text *launch)
{
    for (uint32_t a = 0; request->reference != 0 && a < launch->array_count; a++)
        if (launch->arrays[a].is_unordered && oracle_infinity(launch->arrays[a].type.element) != 0)
            return error_report("--reference double compares elements at their places, but '%s' is "
                                "'unordered': give --tolerance or an --oracle instead",
                                launch->arrays[a].name);
    return true;
}

/* Offers the names of the launch's arrays, or only of those that are compared. Returns whether the
 * word is one of them. */
static bool find_array(const struct launch_text *launch, bool is_compared, struct near_name *near)
{
    bool found = false;

    for (uint32_t a = 0; launch != NULL && a < launch->array_count; a++) {
        const struct launch_array *array = &launch->arrays[a];
        if (is_compared && (array->role == ROLE_INPUT || array->role == ROLE_SCRATCH))
            continue;
        near_name_offer(near, array->name);
        found = found || strcmp(array->name, near->word) == 0;
    }
    return found;
}

/* Checks that --allow order names arrays that are compared. Returns false after an error message.
 */
static bool allowances_fit(const struct check_request *request, const struct launch_text *launch)
{
    for (uint32_t k = 0; k < request->rows.allow.places.count; k++) {
        const struct allowance *allowance = &request->rows.allow.places.all[k];
        struct near_name near = {.word = allowance->place};
        if (allowance->what == ALLOWED_ORDER && !find_array(launch, true, &near))
            return error_report("--allow order:%s: the launch has no 'out', 'inout' or 'zeros' "
                                "array of that name%s",
                                allowance->place, near.text);
    }
    return true;
}

bool check_request_fits_launch(const struct check_request *request,
                               const struct launch_text *launch)
{
    return shapes_fit(request, launch) && bounds_fit(request, launch) &&
           allowances_fit(request, launch);
}

int check_allowances(const struct check_request *request, const struct launch_text *launch,
                     const struct session *session, bool is_left_out, int status)
{
    const struct allowance_list *places = &request->rows.allow.places;
    bool is_whole = request->parts == 0 && request->case_id == NULL && !interrupt_came() &&
                    check_uses_engine(request, ENGINE_SIM) && !is_left_out &&
                    (status == EXIT_CONFORMS || status == EXIT_DIFFERS);
    char text[ALLOWANCE_TEXT];

    for (uint32_t k = 0; k < places->count; k++) {
        bool is_used = (session->sinks->excused >> k & 1) != 0;
        allowance_text(&places->all[k], text);
        if (is_used && session->sinks->findings.is_quiet)
            continue;
        if (is_used)
            printf("allowed: %s\n", text);
        else if (is_whole &&
                 (places->all[k].what != ALLOWED_ORDER || !check_has_tolerance(request))) {
            struct near_name near = {.word = places->all[k].place};
            bool is_known = find_array(launch, false, &near) || near.text[0] == '\0';
            error_report("--allow %s excuses nothing%s", text,
                         is_known ? ": remove it" : near.text);
            status = status == EXIT_CONFORMS ? EXIT_USAGE : status;
        }
    }
    return status;
}

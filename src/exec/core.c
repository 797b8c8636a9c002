/* SPDX-License-Identifier: MIT
 *
 * The end of calls, of modules, and of the simulated device.
 */
#include "queue.h"

void exec_leave(void)
{
    if (call_leave() && !queue.is_running)
        guards_apply();
    call_unlock();
}

int exec_missing(const char *name, const void *address)
{
    struct exec_site site;

    exec_enter(name, address);
    site = exec_site();
    report("unsupported", &site, "simtcheck exec does not support %s()", name);
    exec_leave();
    return EXEC_NOT_SUPPORTED;
}

int exec_unload(struct exec_module *module)
{
    int error;

    if (module == NULL)
        return EXEC_INVALID_HANDLE;
    error = module_is_loaded(module) ? run_all() : EXEC_SUCCESS;
    module_forget(module);
    return error;
}

/* Runs after the program's own destructors, which may free memory. A program that fails does not
 * free its memory, which is no leak. */
static void end(void)
{
    if (!device.is_started || device.start_error != EXEC_SUCCESS || device.is_forked)
        return;
    exec_enter("exit", NULL);
    host_wait_all();
    if (device.exit_status == 0 && device.sticky == EXEC_SUCCESS)
        memory_end();
    launch_end();
    exec_leave();
}

static bool ends_later;

__attribute__((destructor)) static void end_here(void)
{
    if (!ends_later)
        end();
}

void (*exec_end_later(void))(void)
{
    ends_later = true;
    return end;
}

int exec_reset(void)
{
    int error = exec_start();

    if (error == EXEC_SUCCESS)
        host_wait_all();
    queue_forget();
    overlap_forget();
    memory_forget();
    device.sticky = EXEC_SUCCESS;
    return error;
}

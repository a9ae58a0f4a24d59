/* Exit handlers of the program.
 *
 * They are listed in the image. Each life registers one true handler, which runs the list in
 * reverse order as the program (depth 0); exit() runs it first, so that the program's handlers
 * still find the MPI library alive, whatever that registered. libc flushes its streams after all
 * handlers. Handlers of libraries stay libc's: their constructors run in every life. */
#include "libc/state.h"

extern int __cxa_atexit(void (*function)(void *), void *argument, void *dso);
extern int __cxa_at_quick_exit(void (*function)(void *), void *dso);

static int exit_status; /* what on_exit's handlers are told */

static void list_add(struct libc_exit_list *list, struct libc_exit_handler handler)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 32;
        list->handler = ft_image_realloc(list->handler, list->capacity * sizeof *list->handler);
    }
    list->handler[list->count++] = handler;
}

/* Runs the handlers, newest first. A handler may register another one or call exit. */
static void list_run(struct libc_exit_list *list)
{
    int depth = ft_depth;

    ft_depth = 0;
    while (list->count > 0) {
        struct libc_exit_handler handler = list->handler[--list->count];

        if (handler.with_status != NULL)
            handler.with_status(exit_status, handler.argument);
        else
            handler.function(handler.argument);
    }
    ft_depth = depth;
}

static void run_at_exit(int status, void *argument)
{
    (void)argument;
    exit_status = status;
    if (ft_libc_state != NULL)
        list_run(&ft_libc_state->at_exit);
}

static void run_at_quick_exit(void *argument)
{
    (void)argument;
    if (ft_libc_state != NULL)
        list_run(&ft_libc_state->at_quick_exit);
}

void libc_exit_arm(void)
{
    int depth = ft_depth++;

    LIBC_NEXT(on_exit)(run_at_exit, NULL);
    LIBC_NEXT(__cxa_at_quick_exit)(run_at_quick_exit, NULL);
    ft_depth = depth;
}

FT_EXPORT int __cxa_atexit(void (*function)(void *), void *argument, void *dso)
{
    struct ft_libc *libc = libc_asks();

    if (libc == NULL)
        return LIBC_NEXT(__cxa_atexit)(function, argument, dso);
    list_add(&libc->at_exit, (struct libc_exit_handler){function, NULL, argument});
    return 0;
}

FT_EXPORT int on_exit(void (*function)(int, void *), void *argument)
{
    struct ft_libc *libc = libc_asks();

    if (libc == NULL)
        return LIBC_NEXT(on_exit)(function, argument);
    list_add(&libc->at_exit, (struct libc_exit_handler){NULL, function, argument});
    return 0;
}

FT_EXPORT int __cxa_at_quick_exit(void (*function)(void *), void *dso)
{
    struct ft_libc *libc = libc_asks();

    if (libc == NULL)
        return LIBC_NEXT(__cxa_at_quick_exit)(function, dso);
    list_add(&libc->at_quick_exit, (struct libc_exit_handler){function, NULL, NULL});
    return 0;
}

FT_EXPORT void exit(int status)
{
    if (libc_asks() != NULL)
        run_at_exit(status, NULL);
    LIBC_NEXT(exit)(status);
    __builtin_unreachable();
}

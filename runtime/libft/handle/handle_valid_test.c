/* Tables and lists of handles that are right, and what is told of each way in which they are not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "handle/handles.h"

enum { COMMS = 5, TYPES = 3 };

static struct ft_handles handles;
static struct ft_rank rank_state = {.handles = &handles}, *self = &rank_state;
static struct ft_comm comm[COMMS];
static struct ft_type type[TYPES];
static int world[4];

void ft_panic(const char *format, ...)
{
    fail_msg("%s", format);
    abort();
}

static int setup(void **state)
{
    struct ft_table *table[] = {&handles.comms,      &handles.groups, &handles.types,
                                &handles.infos,      &handles.ops,    &handles.keyvals,
                                &handles.errhandlers};
    const enum ft_handle_byte byte[] = {FT_COMM_BYTE,      FT_GROUP_BYTE, FT_TYPE_BYTE,
                                        FT_INFO_BYTE,      FT_OP_BYTE,    FT_KEYVAL_BYTE,
                                        FT_ERRHANDLER_BYTE};

    (void)state;
    for (size_t i = 0; i < sizeof byte / sizeof *byte; i++)
        *table[i] = (struct ft_table){.byte = byte[i], .unused = FT_TABLE_SLOTS};
    for (int i = 0; i < COMMS; i++) {
        comm[i] = (struct ft_comm){.size = 4, .rank = 2, .world = world};
        comm[i].handle = ft_table_add(&handles.comms, &comm[i]);
        DL_APPEND(handles.comm, &comm[i]);
    }
    for (int i = 0; i < TYPES; i++) {
        type[i].refs = 1;
        type[i].handle = ft_table_add(&handles.types, &type[i]);
        DL_APPEND(handles.type, &type[i]);
    }
    for (int i = 1; i < 3; i++) { /* two free slots */
        ft_table_remove(&handles.comms, comm[i].handle);
        DL_DELETE(handles.comm, &comm[i]);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(handles.comms.slot);
    free(handles.types.slot);
    return 0;
}

/* For a moment something has another value: that is told, and nothing else. */
#define TOLD(place, value, what)                                                                   \
    do {                                                                                           \
        __typeof__(place) before_it = (place);                                                     \
        (place) = (value);                                                                         \
        assert_non_null(ft_handles_wrong(self));                                                   \
        assert_string_equal(ft_handles_wrong(self), what);                                         \
        (place) = before_it;                                                                       \
        assert_null(ft_handles_wrong(self));                                                       \
    } while (0)

static void what_is_wrong_is_told(void **state)
{
    struct ft_table *table = &handles.comms;
    struct ft_comm freed = {.size = 1, .world = world, .handle = MPI_COMM_NULL, .held = 1};
    struct ft_comm strange = {.size = 1, .world = world, .handle = comm[0].handle};

    (void)state;
    DL_APPEND(handles.comm, &freed);
    assert_null(ft_handles_wrong(self));
    TOLD(comm[0].handle, comm[3].handle, "an object is not found by its handle");
    TOLD(table->room, 1, "a table of handles is longer than its memory");
    TOLD(table->slot[2].object, &comm[2], "an object is not found by its handle");
    TOLD(table->unused, 3, "a slot of a live handle is free");
    TOLD(table->unused, 1, "a slot of a table is lost");
    TOLD(table->slot[1].next, 2, "the free slots of a table are a ring");
    TOLD(comm[3].held, -1, "a communicator is held less than not at all");
    TOLD(comm[3].world, NULL, "a communicator has no members");
    TOLD(comm[4].rank, 4, "a communicator has no members");
    TOLD(type[1].refs, 0, "a datatype is held by nobody");
    DL_APPEND(handles.comm, &strange);
    assert_string_equal(ft_handles_wrong(self), "a communicator is not found by its handle");
    DL_DELETE(handles.comm, &strange);
    assert_null(ft_handles_wrong(self));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_wrong_is_told)};

    return cmocka_run_group_tests(tests, setup, teardown);
}

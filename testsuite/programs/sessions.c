/* sessions: a program without MPI_Init. Sessions are opened and closed in each step; communicators
 * are made of their process sets; one session, and variables of the tool interface, last for the
 * whole run.
 *
 * arguments: [steps 200]
 *
 * ranks: 3
 * test: 40
 * soak: 300
 * pace: 5000
 * kill: 1@hook:20
 * kill: 0@MPI_Session_init:25
 * kill: 2@MPI_Comm_create_from_group:35:exit 0@MPI_Session_finalize:30
 */
#include "program.h"

static MPI_Session session;
static MPI_Comm everybody;
static MPI_T_cvar_handle limit;
static MPI_T_pvar_session counting;
static int limit_count;

static MPI_Comm comm_make(MPI_Session from, const char *set, const char *tag)
{
    MPI_Group group;
    MPI_Comm comm;

    MPI_Group_from_session_pset(from, set, &group);
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    return comm;
}

static void sets_look(long number)
{
    char name[64], text[MPI_MAX_INFO_VAL + 1];
    int count, length = sizeof name, found;
    MPI_Info info;

    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count);
    check(count >= 2, "sets", number);
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name);
    check(!strcmp(name, "mpi://WORLD"), "name", number);
    MPI_Session_get_pset_info(session, name, &info);
    MPI_Info_get(info, "mpi_size", MPI_MAX_INFO_VAL, text, &found);
    check(found && atoi(text) == size, "size", number);
    MPI_Info_free(&info);
}

/* The value of the library's first control variable, as bytes. */
static uint64_t variable_read(void)
{
    unsigned char value[4096] = {0};

    MPI_T_cvar_read(limit, value);
    return digest(1, value, sizeof value);
}

static void variables_make(void)
{
    int provided, variables;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_cvar_get_num(&variables);
    check(variables > 0, "variables", variables);
    MPI_T_cvar_handle_alloc(0, NULL, &limit, &limit_count);
    MPI_T_pvar_session_create(&counting);
}

static uint64_t shift(uint64_t value, MPI_Comm comm)
{
    uint64_t got;

    MPI_Sendrecv(&value, 1, MPI_UINT64_T, (rank + 1) % size, 1, &got, 1, MPI_UINT64_T,
                 (rank + size - 1) % size, 1, comm, MPI_STATUS_IGNORE);
    return mix(value ^ got);
}

static uint64_t session_step(uint64_t value, long number)
{
    MPI_Session other;
    MPI_Comm world, self;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &other);
    world = comm_make(other, "mpi://WORLD", "world");
    self = comm_make(other, "mpi://self", "self");
    value = shift(value, world);
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, MPI_SUM, self);
    MPI_Comm_free(&world);
    MPI_Comm_free(&self);
    MPI_Session_finalize(&other);
    check(other == MPI_SESSION_NULL, "session", number);
    return value;
}

static void results_print(uint64_t value)
{
    uint64_t all[16];

    MPI_Gather(&value, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, everybody);
    for (int r = 0; rank == 0 && r < size; r++)
        printf("sessions: rank %d: %016llx\n", r, (unsigned long long)all[r]);
}

int main(int argc, char **argv)
{
    uint64_t value = 1;
    int initialized;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    everybody = comm_make(session, "mpi://WORLD", "everybody");
    MPI_Comm_rank(everybody, &rank);
    MPI_Comm_size(everybody, &size);
    MPI_Initialized(&initialized);
    check(!initialized, "initialized", 0);
    variables_make();
    for (long number = 1; number <= argument(argc, argv, 1, 200); number++) {
        step(number);
        sets_look(number);
        value = session_step(value, number);
        value = mix(shift(value, everybody) ^ variable_read());
    }
    results_print(value);
    MPI_T_pvar_session_free(&counting);
    MPI_T_cvar_handle_free(&limit);
    MPI_T_finalize();
    MPI_Comm_free(&everybody);
    MPI_Session_finalize(&session);
    return 0;
}

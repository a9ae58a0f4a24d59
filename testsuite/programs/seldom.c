/* seldom: calls that few programs make: ready sends that are started again and again, duplicates
 * with hints that are made after the call, datatypes of Fortran's kinds, attributes and names of
 * datatypes, error classes of the program's own. Objects are asked about some steps after they were
 * made.
 *
 * arguments: [steps 60]
 *
 * ranks: 4
 * test: 60
 * soak: 300
 * pace: 3000
 * kill: 1@hook:20
 * kill: 2@MPI_Comm_idup_with_info:7 0@hook:50
 */
#include "program.h"

#define LIFE 5 /* steps that a thing lives */

static uint64_t state, ready_out, ready_in;
static MPI_Request ready[2]; /* the receive, the send */
static MPI_Datatype kinds[3], named = MPI_DATATYPE_NULL;
static int key, class_own, code_own, met;

static void fold(uint64_t value)
{
    state = mix(state ^ value);
}

static void ready_make(void)
{
    MPI_Recv_init(&ready_in, 1, MPI_UINT64_T, (rank + size - 1) % size, 5, MPI_COMM_WORLD,
                  &ready[0]);
    MPI_Rsend_init(&ready_out, 1, MPI_UINT64_T, (rank + 1) % size, 5, MPI_COMM_WORLD, &ready[1]);
}

static void ready_turn(void)
{
    ready_out = state;
    MPI_Start(&ready[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Start(&ready[1]);
    MPI_Waitall(2, ready, MPI_STATUSES_IGNORE);
    fold(ready_in);
}

static MPI_Info hint_make(long number)
{
    MPI_Info info;
    char text[32];

    snprintf(text, sizeof(text), "%ld", number);
    MPI_Info_create(&info);
    MPI_Info_set(info, "number", text);
    return info;
}

static void hint_ask(MPI_Comm comm)
{
    char text[32] = "";
    MPI_Info info;
    int flag;

    MPI_Comm_get_info(comm, &info);
    MPI_Info_get(info, "number", sizeof(text) - 1, text, &flag);
    MPI_Info_free(&info);
    state = digest(state, text, strlen(text));
}

/* The duplicate of one step is there in the next one, and the last of a life is disconnected. */
static void duplicates(MPI_Comm *comm, MPI_Request *request, long number)
{
    MPI_Info info = hint_make(number);
    uint64_t sum;

    if (number % LIFE == 1) {
        MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, comm, request);
    } else if (number % LIFE == 2) {
        MPI_Wait(request, MPI_STATUS_IGNORE);
    } else if (number % LIFE == 3) {
        MPI_Comm old = *comm;

        MPI_Comm_dup_with_info(old, info, comm);
        MPI_Comm_free(&old);
    }
    MPI_Info_free(&info);
    if (number % LIFE < 2)
        return;
    hint_ask(*comm);
    MPI_Allreduce(&state, &sum, 1, MPI_UINT64_T, MPI_SUM, *comm);
    fold(sum);
    if (number % LIFE == LIFE - 1)
        MPI_Comm_disconnect(comm);
}

/* The first element of each has the size that Fortran's compiler gives it. */
static void fortran(void)
{
    unsigned char out[64], in[64] = {0};
    int bytes;

    for (int i = 0; i < 3; i++) {
        MPI_Type_size(kinds[i], &bytes);
        memset(out, (int)(state & 0x3f), sizeof(out));
        MPI_Sendrecv(out, 2, kinds[i], (rank + 1) % size, 6, in, 2, kinds[i],
                     (rank + size - 1) % size, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        state = digest(state + (uint64_t)bytes, in, sizeof(in));
    }
}

static int copy_value(MPI_Datatype type, int which, void *extra, void *value, void *to, int *flag)
{
    (void)type, (void)which, (void)extra;
    *flag = 1;
    *(intptr_t *)to = (intptr_t)value * 3;
    return MPI_SUCCESS;
}

static int delete_value(MPI_Datatype type, int which, void *value, void *extra)
{
    (void)type, (void)which, (void)extra;
    fold((uint64_t)(intptr_t)value);
    return MPI_SUCCESS;
}

static void named_ask(void)
{
    int integers, addresses, types, combiner, flag, length;
    char text[MPI_MAX_OBJECT_NAME];
    void *value = NULL;

    MPI_Type_get_attr(named, key, &value, &flag);
    fold((uint64_t)(intptr_t)value * 2 + (uint64_t)flag);
    MPI_Type_get_name(named, text, &length);
    state = digest(state, text, (size_t)length);
    MPI_Type_get_envelope(named, &integers, &addresses, &types, &combiner);
    fold((uint64_t)(integers * 1000 + addresses * 100 + types * 10) + (uint64_t)combiner);
}

/* Made as a copy of a copy. */
static void named_types(long number)
{
    MPI_Datatype first;
    char text[32];

    if (named == MPI_DATATYPE_NULL) {
        MPI_Type_contiguous(1 + (int)number % 4, MPI_INT, &first);
        MPI_Type_set_attr(first, key, (void *)(intptr_t)number);
        MPI_Type_dup(first, &named);
        MPI_Type_free(&first);
        snprintf(text, sizeof(text), "type %ld", number);
        MPI_Type_set_name(named, text);
    }
    named_ask();
    if (number % LIFE == 2)
        MPI_Type_delete_attr(named, key);
    if (number % LIFE == 4)
        MPI_Type_free(&named);
}

static void meet_error(MPI_Comm *comm, int *code, ...)
{
    int class;

    (void)comm;
    MPI_Error_class(*code, &class);
    met += *code == code_own && class == class_own;
}

static void errors_make(void)
{
    MPI_Errhandler handler;

    MPI_Add_error_class(&class_own);
    MPI_Add_error_code(class_own, &code_own);
    MPI_Add_error_string(code_own, "of this program");
    MPI_Comm_create_errhandler(meet_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
}

static void errors(void)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    MPI_Comm_call_errhandler(MPI_COMM_WORLD, code_own);
    MPI_Error_string(code_own, text, &length);
    state = digest(state + (uint64_t)met, text, (size_t)length);
}

int main(int argc, char **argv)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    ready_make();
    MPI_Type_create_f90_real(6, 30, &kinds[0]);
    MPI_Type_create_f90_complex(15, 300, &kinds[1]);
    MPI_Type_create_f90_integer(4, &kinds[2]);
    MPI_Type_create_keyval(copy_value, delete_value, &key, NULL);
    errors_make();
    for (long number = 1; number <= steps; number++) {
        step(number);
        ready_turn();
        duplicates(&comm, &request, number);
        fortran();
        named_types(number);
        errors();
        state = ring_shift(state, 0);
    }
    MPI_Request_free(&ready[0]);
    MPI_Request_free(&ready[1]);
    if (named != MPI_DATATYPE_NULL)
        MPI_Type_free(&named);
    MPI_Type_free_keyval(&key);
    return program_end("seldom", state);
}

/* Idea: a collective that gives the same to all its members takes no mark from what it read;
 * what it gives is the same on those members. Everything else that MPI writes may differ, except
 * facts about types and about MPI itself. */
#include "analysis/invariance/inside.h"

#include <string.h>

enum { WORLD = 0x44000000 };

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

/* ---- Communicators ---- */

static const char *group_key(struct an_invariance *i, const struct an_node *comm)
{
    if (comm->constant) {
        char *key = an_invariance_alloc(i, 24);
        for (unsigned n = 0; n < 16; n++)
            key[n] = (char)('a' + ((uint64_t)comm->value >> 4 * n) % 16);
        return key;
    }
    return comm->symbol ? comm->symbol : "?";
}

/* The bit of a communicator; 0 for the one that has all ranks. */
static uint64_t group_bit(struct an_invariance *i, const struct an_node *comm)
{
    comm = comm ? an_plain(comm) : NULL;
    if (!comm || (!comm->constant && !comm->symbol))
        return AN_DIFFERS;
    if (comm->constant && comm->value == WORLD)
        return 0;
    const char *key = group_key(i, comm);
    unsigned number = 0;
    while (number < i->group_count && strcmp(i->groups[number].key, key) != 0)
        number++;
    if (number == AN_GROUPS)
        return AN_DIFFERS;
    struct an_group_of *group = &i->groups[number];
    if (number == i->group_count)
        i->groups[i->group_count++].key = key;
    for (unsigned n = 0; n < group->count; n++)
        if (group->nodes[n] == comm)
            return UINT64_C(1) << (AN_SOURCE_GROUP + number);
    if (group->count == sizeof group->nodes / sizeof *group->nodes)
        return AN_DIFFERS;
    group->nodes[group->count++] = comm;
    return UINT64_C(1) << (AN_SOURCE_GROUP + number);
}

/* ---- What is written ---- */

struct mpi_call {
    struct an_flow *w;
    const struct an_mpi *mpi;
    struct an_place_cell *pc;
};

static bool is_pointer(const struct an_type *type)
{
    return type && (type->class == AN_POINTER || type->class == AN_ARRAY);
}

/* MPI writes the memory that argument `node` points to: it gets the marks. */
static void written(const struct mpi_call *c, const struct an_node *node, uint64_t marks)
{
    struct an_invariance *i = c->w->i;
    if (!node || !is_pointer(node->type) || an_plain(node)->constant)
        return;
    const struct an_node *plain = an_plain(node);
    bool own =
        plain->kind == AN_UNARY && plain->op == AN_OP_ADDRESS && an_is_own_local(plain->child);
    struct an_place_cell *pointer = an_value_of(c->w, node, c->pc);
    struct an_place_cell *memory = pointer ? an_cell_pointee(i, pointer) : i->foreign;
    an_cell_mark(i, memory, marks);
    an_cell_flow(i, pointer, memory);
    an_cell_flow(i, c->pc, memory);
    an_cell_flow(i, own ? NULL : c->w->context, memory);
    an_cell_hold(i, memory, an_record_type(plain->type, true));
    an_cell_raw(i, memory, true);
}

const struct an_node *an_mpi_given(const struct an_program *program, const struct an_mpi *mpi)
{
    static const char *const names[] = {"Allreduce",   "Allgather",  "Allgatherv",
                                        "Bcast",       "Iallreduce", "Iallgather",
                                        "Iallgatherv", "Ibcast",     NULL};
    if (!is_one_of(mpi->what->name, names))
        return NULL;
    return an_mpi_argument(program, mpi, (unsigned)mpi->what->receive.buffer);
}

static void outputs_flow(const struct mpi_call *c)
{
    static const char *const reading[] = {"Barrier",    "Ibarrier",  "Init",
                                          "Comm_free",  "Type_free", "Op_free",
                                          "Group_free", "Comm_dup",  NULL};
    const struct an_program *program = c->w->i->program;
    const struct an_call *what = c->mpi->what;
    bool collective = what->role == AN_COLLECTIVE && !(what->flags & AN_SETS_UP);
    bool sides = what->role == AN_ONE_SIDED;
    if (is_one_of(what->name, reading))
        return;
    for (int n = 0; n < what->arguments; n++) {
        char letter = what->letters[n];
        bool writes = sides || strchr("BxsifrM", letter) ||
                      (letter == '.' && !collective && strncmp(what->name, "Type_c", 6) != 0);
        if (writes)
            written(c, an_mpi_argument(program, c->mpi, (unsigned)n), AN_DIFFERS);
    }
}

/* MPI's facts about types, and about itself, follow from the arguments. */
static void computed_flow(const struct mpi_call *c)
{
    struct an_invariance *i = c->w->i;
    const struct an_call *what = c->mpi->what;
    struct an_place_cell *all = an_cell_make(i);
    for (unsigned pass = 0; pass < 2; pass++)
        for (int n = 0; n < what->arguments; n++) {
            const struct an_node *node = an_mpi_argument(i->program, c->mpi, (unsigned)n);
            struct an_place_cell *value = node ? an_value_of(c->w, node, c->pc) : NULL;
            if (!node || !value)
                continue;
            if (pass == 0)
                an_cell_flow(i, value, all);
            else if (is_pointer(node->type))
                an_cell_flow(i, all, an_cell_pointee(i, value));
            if (pass == 0 && is_pointer(node->type) && strcmp(what->name, "Dims_create") == 0)
                an_cell_flow(i, an_cell_pointee(i, value), all);
        }
    an_cell_flow(i, c->pc, all);
    an_cell_flow(i, c->w->context, all);
}

/* MPI stores the pointer, or gives it to a callback of the program. */
static void keeps(const struct mpi_call *c)
{
    const struct an_call *what = c->mpi->what;
    for (int n = 0; n < what->arguments; n++) {
        const struct an_node *node = an_mpi_argument(c->w->i->program, c->mpi, (unsigned)n);
        if (node)
            an_foreign_gets(c->w->i, node->type, an_value_of(c->w, node, c->pc));
    }
}

/* The largest tag, or the number of processes: the same everywhere. */
static bool asks_constant(const struct mpi_call *c)
{
    enum { TAG_UB = 0x64400001, UNIVERSE_SIZE = 0x64400009 };
    const struct an_node *key = an_mpi_argument(c->w->i->program, c->mpi, 1);
    if (strcmp(c->mpi->what->name, "Comm_get_attr") != 0 &&
        strcmp(c->mpi->what->name, "Attr_get") != 0)
        return false;
    key = key ? an_plain(key) : NULL;
    return key && key->constant && (key->value == TAG_UB || key->value == UNIVERSE_SIZE);
}

/* Most functions return MPI_SUCCESS, or end the program. */
static bool returns_code(const struct an_mpi *mpi)
{
    const char *name = mpi->what->name;
    size_t length = strlen(name);
    return mpi->what->role != AN_CLOCK && strncmp(name, "Aint_", 5) != 0 &&
           (length < 3 ||
            (strcmp(name + length - 3, "c2f") != 0 && strcmp(name + length - 3, "f2c") != 0));
}

static struct an_place_cell *other_value(struct an_invariance *i)
{
    struct an_place_cell *value = an_cell_make(i);
    an_cell_mark(i, value, AN_DIFFERS);
    value->pointee = i->foreign;
    return value;
}

/* Each rank runs an operation of the program itself, which may have another result on each. */
static bool operation_differs(const struct mpi_call *c)
{
    int number = c->mpi->what->operation;
    const struct an_node *operation =
        number < 0 ? NULL : an_mpi_argument(c->w->i->program, c->mpi, (unsigned)number);
    return number >= 0 && !(operation && an_plain(operation)->constant);
}

/* The members of MPI_Allgatherv get the same blocks, each where its own displacements say. */
static void displacements_flow(const struct mpi_call *c, const struct an_node *given)
{
    const char *name = c->mpi->what->name;
    if (strcmp(name, "Allgatherv") != 0 && strcmp(name, "Iallgatherv") != 0)
        return;
    for (unsigned n = 4; n < 6; n++) {
        const struct an_node *node = an_mpi_argument(c->w->i->program, c->mpi, n);
        struct an_place_cell *pointer = node ? an_value_of(c->w, node, c->pc) : NULL;
        struct an_place_cell *memory = an_value_of(c->w, given, c->pc);
        if (pointer && memory)
            an_cell_flow(c->w->i, an_cell_pointee(c->w->i, pointer),
                         an_cell_pointee(c->w->i, memory));
    }
}

struct an_place_cell *an_mpi_flow(struct an_flow *w, const struct an_mpi *mpi,
                                  struct an_place_cell *pc)
{
    static const char *const computed[] = {
        "Type_size",    "Type_extent", "Type_get_extent", "Type_get_true_extent",
        "Type_size_x",  "Dims_create", "Get_version",     "Get_library_version",
        "Init_thread",  "Initialized", "Finalized",       "Query_thread",
        "Error_string", NULL};
    static const char *const keeping[] = {
        "Comm_set_attr",      "Attr_put",       "Buffer_attach",      "Win_create",    "Win_attach",
        "Win_create_dynamic", "Grequest_start", "Comm_create_keyval", "Keyval_create", NULL};
    static const char *const handlers[] = {"Comm_set_errhandler", "Errhandler_set", NULL};
    struct an_invariance *i = w->i;
    struct mpi_call c = {w, mpi, pc};
    const struct an_node *given = an_mpi_given(i->program, mpi);
    const char *name = mpi->what->name;
    for (const struct an_node *a = an_argument(mpi->call, 0); a; a = a->next)
        an_value_of(w, a, pc);
    i->at = mpi->call;
    if (is_one_of(name, handlers))
        an_cell_mark(i, i->codes, AN_DIFFERS);
    if (given)
        written(&c, given,
                operation_differs(&c)
                    ? AN_DIFFERS
                    : group_bit(i, an_mpi_argument(i->program, mpi, (unsigned)mpi->what->comm)));
    else if (strcmp(name, "Comm_size") == 0)
        written(&c, an_mpi_argument(i->program, mpi, 1),
                group_bit(i, an_mpi_argument(i->program, mpi, 0)));
    else if (strcmp(name, "Comm_rank") == 0)
        written(&c, an_mpi_argument(i->program, mpi, 1), AN_DIFFERS | AN_OF_RANK);
    else if (is_one_of(name, computed) || asks_constant(&c))
        computed_flow(&c);
    else if (is_one_of(name, keeping))
        keeps(&c);
    else
        outputs_flow(&c);
    if (given)
        displacements_flow(&c, given);
    if (given && mpi->what->request >= 0)
        written(&c, an_mpi_argument(i->program, mpi, (unsigned)mpi->what->request), AN_DIFFERS);
    return returns_code(mpi) ? i->codes : other_value(i);
}

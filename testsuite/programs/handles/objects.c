/* objects: groups, infos, operations, attributes, error handlers and error codes, in two epochs. */
#include <stdint.h>
#include "epoch.h"

static int rank, size;

static void groups(void)
{
    MPI_Group world, odd, rest, both, range, none, same;
    int odds[64], n = 0, ranges[1][3] = {{0, size - 1, 2}}, all[64], where[64], result;
    int used;
    char line[512];

    for (int i = 1; i < size; i += 2)
        odds[n++] = i;
    for (int i = 0; i < size; i++)
        all[i] = i;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, n, odds, &odd);
    MPI_Group_excl(world, n, odds, &rest);
    MPI_Group_range_incl(world, 1, ranges, &range);
    MPI_Group_intersection(odd, rest, &none);
    EPOCHS {
        MPI_Group_union(odd, rest, &both);
        MPI_Group_difference(both, rest, &same);
        MPI_Group_compare(same, odd, &result);
        MPI_Group_translate_ranks(both, size, all, world, where);
        used = sprintf(line, "%d groups %d:", rank, result);
        for (int i = 0; i < size; i++)
            used += sprintf(line + used, " %d", where[i]);
        MPI_Group_compare(range, rest, &result);
        MPI_Group_rank(odd, &n);
        used += sprintf(line + used, " range %d rank %d", result, n);
        MPI_Group_size(none, &n);
        MPI_Group_compare(none, MPI_GROUP_EMPTY, &result);
        printf("%s none %d %d\n", line, n, result);
        MPI_Group_free(&both);
        MPI_Group_free(&same);
    }
    MPI_Group_free(&world);
    MPI_Group_free(&odd);
    MPI_Group_free(&rest);
    MPI_Group_free(&range);
    MPI_Group_free(&none);
    CHECK(none == MPI_GROUP_NULL);
}

static void infos(void)
{
    MPI_Info info, copy;
    char key[MPI_MAX_INFO_KEY], value[64];
    int count, found, length;

    MPI_Info_create(&info);
    MPI_Info_set(info, "one", "1");
    MPI_Info_set(info, "two", "2");
    MPI_Info_set(info, "three", "3 and more");
    MPI_Info_delete(info, "two");
    MPI_Info_dup(info, &copy);
    MPI_Info_set(info, "one", "changed");
    EPOCHS {
        MPI_Info_get_nkeys(info, &count);
        for (int i = 0; i < count; i++) {
            MPI_Info_get_nthkey(info, i, key);
            MPI_Info_get(info, key, 63, value, &found);
            MPI_Info_get_valuelen(copy, key, &length, &found);
            printf("%d info %s = %s, in the copy %d\n", rank, key, value, length);
        }
    }
    MPI_Info_free(&info);
    MPI_Info_free(&copy);
}

static int calls;

/* Not commutative: the last bit of a matters; and the datatype must be one that the program knows.
 */
static void twist(void *in, void *inout, int *count, MPI_Datatype *type)
{
    long *a = in, *b = inout;
    int bytes, combiner, x, y, z;

    MPI_Type_size(*type, &bytes);
    MPI_Type_get_envelope(*type, &x, &y, &z, &combiner);
    calls++;
    for (int i = 0; i < *count * (int)(bytes / sizeof(long)); i++)
        b[i] = a[i] * 3 + b[i] + (combiner == MPI_COMBINER_CONTIGUOUS);
}

static void plus(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((long *)inout)[i] += ((long *)in)[i];
}

static void operations(void)
{
    MPI_Op op, sum, gone;
    MPI_Datatype pair;
    MPI_Request request;
    long mine[2], all[2], prefix[2];
    int commutes;

    MPI_Op_create(twist, 0, &op);
    MPI_Op_create(plus, 1, &sum);
    MPI_Type_contiguous(2, MPI_LONG, &pair);
    MPI_Type_commit(&pair);
    EPOCHS {
        mine[0] = rank + 1;
        mine[1] = rank * 10;
        MPI_Allreduce(mine, all, 1, pair, op, MPI_COMM_WORLD);
        MPI_Scan(mine, prefix, 2, MPI_LONG, op, MPI_COMM_WORLD);
        printf("%d twist %ld %ld scan %ld %ld\n", rank, all[0], all[1], prefix[0], prefix[1]);
        MPI_Op_create(plus, 1, &gone);
        MPI_Iallreduce(mine, all, 2, MPI_LONG, gone, MPI_COMM_WORLD, &request);
        MPI_Op_free(&gone);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Op_commutative(op, &commutes);
        MPI_Reduce_local(mine, all, 2, MPI_LONG, sum);
        printf("%d sum %ld %ld commutes %d\n", rank, all[0], all[1], commutes);
        MPI_Op_commutative(MPI_SUM, &commutes);
        CHECK(commutes && (calls || size == 1));
    }
    MPI_Op_free(&op);
    MPI_Op_free(&sum);
    CHECK(op == MPI_OP_NULL);
    MPI_Type_free(&pair);
}

/* More than there are functions of the runtime to call them. */
static void many_operations(void)
{
    enum { MANY = 3000 };
    static MPI_Op op[MANY];
    long one = rank, sum;

    for (int i = 0; i < MANY; i++)
        MPI_Op_create(i % 2 ? plus : twist, i % 2, &op[i]);
    EPOCHS
    {
        for (int i = MANY - 2; i < MANY; i++) {
            MPI_Allreduce(&one, &sum, 1, MPI_LONG, op[i], MPI_COMM_WORLD);
            printf("%d operation %d: %ld\n", rank, i, sum);
        }
    }
    for (int i = 0; i < MANY; i++)
        MPI_Op_free(&op[i]);
}

static void alignments(void)
{
    const char *const wanted[] = {"8", "64", "4096"};
    MPI_Info info;
    void *block[20];

    MPI_Info_create(&info);
    for (int i = 0; i < 3; i++) {
        MPI_Info_set(info, "mpi_minimum_memory_alignment", wanted[i]);
        for (int b = 0; b < 20; b++) {
            MPI_Alloc_mem(100 + 8 * b, info, &block[b]);
            CHECK((uintptr_t)block[b] % (uintptr_t)atoi(wanted[i]) == 0);
            memset(block[b], 1, (size_t)(100 + 8 * b));
        }
        for (int b = 0; b < 20; b++)
            MPI_Free_mem(block[b]);
    }
    MPI_Info_free(&info);
}

static void hints_show(const char *what, MPI_Comm comm)
{
    const char *const key[] = {"mpi_assert_no_any_tag", "mpi_assert_exact_length"};
    char value[2][64];
    MPI_Info info;
    int found;

    MPI_Comm_get_info(comm, &info);
    for (int i = 0; i < 2; i++)
        MPI_Info_get(info, key[i], 63, value[i], &found);
    MPI_Info_free(&info);
    printf("%d hints of %s: %s %s\n", rank, what, value[0], value[1]);
}

static void hints(void)
{
    MPI_Comm comm, dup, with, idup, part;
    MPI_Info one, other;
    MPI_Request request;

    MPI_Info_create(&one);
    MPI_Info_create(&other);
    MPI_Info_set(one, "mpi_assert_no_any_tag", "true");
    MPI_Info_set(other, "mpi_assert_exact_length", "true");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_info(comm, one);
    MPI_Comm_set_info(comm, other);
    MPI_Comm_dup(comm, &dup);
    MPI_Comm_dup_with_info(comm, other, &with);
    MPI_Comm_idup(comm, &idup, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, one, &part);
    MPI_Info_free(&one);
    MPI_Info_free(&other);
    EPOCHS
    {
        hints_show("a communicator", comm);
        hints_show("its duplicate", dup);
        hints_show("one with others", with);
        hints_show("one made meanwhile", idup);
        hints_show("a part", part);
    }
    MPI_Comm_free(&comm);
    MPI_Comm_free(&dup);
    MPI_Comm_free(&with);
    MPI_Comm_free(&idup);
    MPI_Comm_free(&part);
}

static int copied, dropped;

static int copy_attribute(MPI_Comm comm, int key, void *extra, void *value, void *made, int *flag)
{
    int n;

    (void)key;
    MPI_Comm_size(comm, &n);
    copied += n + *(int *)extra;
    *(void **)made = (char *)value + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int drop_attribute(MPI_Comm comm, int key, void *value, void *extra)
{
    int n;

    (void)key, (void)value;
    MPI_Comm_size(comm, &n);
    dropped += n + *(int *)extra;
    return MPI_SUCCESS;
}

static int drop_fails(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    return *(int *)value ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static void attributes(void)
{
    static int extra = 1000, fail = 1;
    static char text[8];
    int key, dup, null, failing, found, code, class;
    MPI_Comm comm, copy;
    int *number;
    char *value;

    MPI_Comm_create_keyval(copy_attribute, drop_attribute, &key, &extra);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &dup, NULL);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &null, NULL);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop_fails, &failing, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_attr(comm, key, text);
    MPI_Comm_set_attr(comm, dup, text + 3);
    MPI_Comm_set_attr(comm, null, text + 4);
    EPOCHS {
        MPI_Comm_dup(comm, &copy);
        MPI_Comm_get_attr(copy, key, &value, &found);
        printf("%d attribute %d %ld copied %d\n", rank, found, (long)(value - text), copied);
        MPI_Comm_get_attr(copy, dup, &value, &found);
        printf("%d dup %d %ld\n", rank, found, (long)(value - text));
        MPI_Comm_get_attr(copy, null, &value, &found);
        MPI_Comm_free(&copy);
        printf("%d null %d dropped %d\n", rank, found, dropped);
        MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &number, &found);
        printf("%d tag_ub %d %d\n", rank, found, *number);
        MPI_Comm_get_attr(comm, MPI_WTIME_IS_GLOBAL, &number, &found);
        printf("%d wtime %d %d\n", rank, found, *number);
        MPI_Comm_get_attr(comm, MPI_HOST, &number, &found);
        printf("%d host %d %d\n", rank, found, *number);
        MPI_Comm_get_attr(comm, MPI_APPNUM, &number, &found);
        printf("%d appnum %d %d\n", rank, found, *number);
    }
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_attr(comm, failing, &fail);
    code = MPI_Comm_delete_attr(comm, failing);
    MPI_Error_class(code, &class);
    MPI_Comm_get_attr(comm, failing, &number, &found);
    printf("%d failing %d %d\n", rank, class == MPI_SUCCESS, found);
    fail = 0;
    MPI_Comm_delete_attr(comm, key);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_free_keyval(&dup);
    MPI_Comm_free_keyval(&null);
    MPI_Comm_free_keyval(&failing);
    MPI_Comm_free(&comm);
    printf("%d at the end copied %d dropped %d\n", rank, copied, dropped);
}

static int handled;
static MPI_Comm handled_on;

static void handler(MPI_Comm *comm, int *code, ...)
{
    int class;

    MPI_Error_class(*code, &class);
    handled += class;
    handled_on = *comm;
}

static int class_of(int code)
{
    int class;

    MPI_Error_class(code, &class);
    return class;
}

static void errors(void)
{
    MPI_Comm comm, child;
    MPI_Errhandler mine, got;
    int class, code, length, value = 0;
    int *last, found;
    char text[MPI_MAX_ERROR_STRING];

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(handler, &mine);
    MPI_Comm_set_errhandler(comm, mine);
    MPI_Comm_get_errhandler(comm, &got);
    CHECK(got == mine);
    MPI_Errhandler_free(&got);
    MPI_Errhandler_free(&mine);
    MPI_Comm_dup(comm, &child);
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(class, "a class of my own");
    MPI_Add_error_string(code, "a code of my own");
    EPOCHS {
        handled = 0;
        MPI_Send(&value, 1, MPI_INT, size + 5, 0, comm);
        CHECK(handled == MPI_ERR_RANK && handled_on == comm);
        MPI_Bcast(&value, -1, MPI_INT, 0, child);
        CHECK(handled == MPI_ERR_RANK + MPI_ERR_COUNT && handled_on == child);
        MPI_Comm_call_errhandler(comm, code);
        printf("%d handled %d\n", rank, handled);
        MPI_Error_string(code, text, &length);
        printf("%d '%s' %d\n", rank, text, length);
        MPI_Error_string(class, text, &length);
        printf("%d '%s' %d class %d\n", rank, text, length, class_of(code) == class);
        MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &found);
        printf("%d last %d %d\n", rank, found, *last == code || *last == class);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        printf("%d codes %d %d %d %d\n", rank,
               class_of(MPI_Send(&value, 1, MPI_INT, -17, 0, MPI_COMM_WORLD)),
               class_of(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD)),
               class_of(MPI_Comm_rank(MPI_COMM_NULL, &value)),
               class_of(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_OP_NULL,
                                      MPI_COMM_WORLD)));
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    }
    MPI_Comm_free(&comm);
    MPI_Comm_free(&child);
}

static void replacer(MPI_Comm *comm, int *code, ...)
{
    handled++;
    handled_on = *comm;
    *code = MPI_ERR_IO;
}

static int wrong_send(MPI_Comm comm)
{
    int value = 0;

    return class_of(MPI_Send(&value, 1, MPI_INT, size + 5, 0, comm));
}

/* A communicator without a handler has the world's present one; the code that a handler leaves
 * is returned. Runs before the world gets a handler. */
static void inherited(void)
{
    MPI_Comm before, child, after;
    MPI_Errhandler mine, got;

    MPI_Comm_dup(MPI_COMM_WORLD, &before);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(before, &child);
    MPI_Comm_dup(MPI_COMM_WORLD, &after);
    MPI_Comm_create_errhandler(replacer, &mine);
    handled = 0;
    EPOCHS
    {
        CHECK(wrong_send(before) == MPI_ERR_RANK && wrong_send(MPI_COMM_SELF) == MPI_ERR_RANK);
        MPI_Comm_get_errhandler(before, &got);
        CHECK(got == MPI_ERRORS_ARE_FATAL);
        MPI_Comm_get_errhandler(after, &got);
        CHECK(got == MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
        CHECK(wrong_send(child) == MPI_ERR_IO && handled_on == MPI_COMM_WORLD);
        CHECK(wrong_send(after) == MPI_ERR_RANK);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }
    CHECK(handled == 2);
    MPI_Errhandler_free(&mine);
    MPI_Comm_free(&before);
    MPI_Comm_free(&child);
    MPI_Comm_free(&after);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* Errors of calls that know of no communicator. */
static void passing(void)
{
    MPI_Errhandler mine;
    MPI_Datatype type;
    int dims[2] = {4, 0};

    MPI_Comm_create_errhandler(handler, &mine);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
    handled = 0;
    EPOCHS
    {
        CHECK(class_of(MPI_Dims_create(6, 2, dims)) == MPI_ERR_DIMS);
        CHECK(class_of(MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &type)) == MPI_ERR_ARG);
        printf("%d passing: %d\n", rank, handled);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&mine);
}

/* A handle that was freed is an error, not another object. (MPICH itself does not notice.) */
static void stale(void)
{
    MPI_Comm comm, old, next;
    MPI_Datatype type, freed;
    MPI_Group group, none;
    int value;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    old = comm;
    MPI_Comm_free(&comm);
    CHECK(class_of(MPI_Comm_size(old, &value)) == MPI_ERR_COMM);
    MPI_Comm_dup(MPI_COMM_WORLD, &next);
    MPI_Comm_free(&next);
    MPI_Type_contiguous(2, MPI_INT, &type);
    freed = type;
    MPI_Type_free(&type);
    CHECK(class_of(MPI_Type_size(freed, &value)) == MPI_ERR_TYPE);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    none = group;
    MPI_Group_free(&group);
    CHECK(class_of(MPI_Group_size(none, &value)) == MPI_ERR_GROUP);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    int level, flag;

    MPI_Initialized(&flag);
    CHECK(!flag);
    setvbuf(stdout, NULL, _IOLBF, 65536);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Initialized(&flag);
    printf("%d initialized %d level %d\n", rank, flag, level);
    inherited();
    groups();
    infos();
    operations();
    many_operations();
    alignments();
    hints();
    attributes();
    errors();
    passing();
    if (epoch_stub)
        stale();
    MPI_Finalize();
    MPI_Finalized(&flag);
    CHECK(flag);
    return 0;
}

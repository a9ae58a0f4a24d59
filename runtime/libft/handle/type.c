/* Datatypes: each keeps what MPI_Type_get_contents tells about it, with virtual handles for its
 * parts, and holds the parts; so the tree can be made again though the program has freed the lower
 * types. Invariant: the list of types is in order of birth, parts before what is made of them. */
#include <utlist.h>
#include "handle/handles.h"

struct ft_type *ft_type_of(struct ft_rank *self, MPI_Datatype handle)
{
    return ft_table_find(&self->handles->types, ft_handle_bits(handle));
}

MPI_Datatype ft_type_find(struct ft_rank *self, MPI_Datatype handle)
{
    struct ft_type *type = ft_type_of(self, handle);

    return type ? type->real : ft_handle_unknown(handle, MPI_DATATYPE_NULL);
}

static void *array(int count, size_t size)
{
    return ft_image_alloc((size_t)(count ? count : 1) * size);
}

/* Frees the references that PMPI_Type_get_contents has given. */
static void real_parts_free(MPI_Datatype *real, int count)
{
    for (int i = 0; i < count; i++)
        if (!ft_library_type_is_predefined(real[i]))
            ft_must(PMPI_Type_free(&real[i]), "PMPI_Type_free");
}

/* Reads the constructor's arguments. */
static void type_read(struct ft_type *type)
{
    MPI_Datatype *real;

    ft_must(PMPI_Type_get_envelope(type->real, &type->integers, &type->addresses, &type->parts,
                                   &type->combiner),
            "PMPI_Type_get_envelope");
    type->integer = array(type->integers, sizeof(int));
    type->address = array(type->addresses, sizeof(MPI_Aint));
    real = array(type->parts, sizeof(MPI_Datatype));
    ft_must(PMPI_Type_get_contents(type->real, type->integers, type->addresses, type->parts,
                                   type->integer, type->address, real),
            "PMPI_Type_get_contents");
    real_parts_free(real, type->parts);
    ft_image_free(real);
}

static struct ft_type *type_new(struct ft_rank *self, MPI_Datatype real)
{
    struct ft_type *type = ft_image_alloc(sizeof(*type));

    type->real = real;
    type->refs = 1;
    type_read(type);
    type->handle = ft_handle_of(MPI_Datatype, ft_table_add(&self->handles->types, type));
    DL_APPEND(self->handles->type, type);
    return type;
}

MPI_Datatype ft_type_made(struct ft_rank *self, MPI_Datatype real, int count,
                          const MPI_Datatype *parts)
{
    struct ft_type *type = type_new(self, real);
    struct ft_type *original;

    if (type->parts > count)
        ft_panic("a datatype has %d parts, but was made of %d", type->parts, count);
    type->part = array(type->parts, sizeof(MPI_Datatype));
    for (int i = 0; i < type->parts; i++) {
        type->part[i] = parts[i];
        ft_type_hold(self, parts[i]);
    }
    type->plain = ft_type_decide_plain(self, type);
    if (type->combiner == MPI_COMBINER_DUP) {
        original = ft_type_of(self, parts[0]);
        type->committed = !original || original->committed;
    }
    return type->handle;
}

MPI_Datatype ft_type_named(struct ft_rank *self, MPI_Datatype real)
{
    struct ft_type *type;

    if (ft_library_type_is_predefined(real))
        return real;
    DL_SEARCH_SCALAR(self->handles->type, type, real, real);
    if (!type) {
        type = type_new(self, real);
        type->permanent = 1;
        type->plain = ft_type_decide_plain(self, type);
    }
    return type->handle;
}

void ft_type_committed(struct ft_type *type)
{
    type->committed = 1;
}

static void type_destroy(struct ft_rank *self, struct ft_type *type)
{
    ft_must(PMPI_Type_free(&type->real), "PMPI_Type_free");
    for (int i = 0; i < type->parts; i++)
        ft_type_release(self, type->part[i]);
    if (self->handles->type_shown == type)
        self->handles->type_shown = NULL;
    ft_table_remove(&self->handles->types, ft_handle_bits(type->handle));
    DL_DELETE(self->handles->type, type);
    ft_image_free(type->integer);
    ft_image_free(type->address);
    ft_image_free(type->part);
    ft_image_free(type->name);
    ft_image_free(type);
}

void ft_type_hold(struct ft_rank *self, MPI_Datatype handle)
{
    struct ft_type *type = ft_type_of(self, handle);

    if (type)
        type->refs++;
}

/* The last release runs the delete functions of the attributes, as MPICH does. */
int ft_type_free(struct ft_rank *self, MPI_Datatype handle)
{
    struct ft_type *type = ft_type_of(self, handle);
    int code = MPI_SUCCESS;

    if (!type || type->permanent)
        return MPI_SUCCESS;
    if (type->refs == 1)
        code = ft_attributes_delete(self, &type->attributes, (MPI_Comm)handle);
    if (code == MPI_SUCCESS && --type->refs == 0)
        type_destroy(self, type);
    return code;
}

/* From anywhere in the runtime: so there is no safe point in the delete functions. */
void ft_type_release(struct ft_rank *self, MPI_Datatype handle)
{
    self->in_callback++;
    ft_type_free(self, handle);
    self->in_callback--;
}

void ft_type_parts(struct ft_rank *self, const struct ft_type *type, MPI_Datatype *parts)
{
    real_parts_free(parts, type->parts);
    for (int i = 0; i < type->parts; i++) {
        parts[i] = type->part[i];
        ft_type_hold(self, parts[i]);
    }
}

MPI_Datatype ft_type_virtual(struct ft_rank *self, MPI_Datatype real)
{
    struct ft_type *type = self->handles->type_shown;

    if (ft_library_type_is_predefined(real))
        return real;
    if (!type || type->real != real)
        DL_SEARCH_SCALAR(self->handles->type, type, real, real);
    if (!type)
        return real;
    self->handles->type_shown = type;
    return type->handle;
}

/* A predefined datatype gets a record, which no handle names, once it has a name or attributes. */
static struct ft_type *type_record(struct ft_rank *self, MPI_Datatype handle, int make)
{
    struct ft_type *type = ft_type_of(self, handle);

    if (type)
        return type;
    DL_SEARCH_SCALAR(self->handles->type, type, handle, handle);
    if (!type && make) {
        type = ft_image_alloc(sizeof(*type));
        type->real = type->handle = handle;
        type->refs = 1; /* it stays */
        DL_APPEND(self->handles->type, type);
    }
    return type;
}

struct ft_attributes **ft_type_attributes(struct ft_rank *self, MPI_Datatype handle, int make)
{
    struct ft_type *type = type_record(self, handle, make);

    return type ? &type->attributes : NULL;
}

void ft_type_name(struct ft_rank *self, MPI_Datatype handle, const char *name)
{
    struct ft_type *type = type_record(self, handle, 1);

    ft_image_free(type->name);
    type->name = ft_image_string(name);
}

const char *ft_type_name_of(struct ft_rank *self, MPI_Datatype handle)
{
    struct ft_type *type = type_record(self, handle, 0);

    return type ? type->name : NULL;
}

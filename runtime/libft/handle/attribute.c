/* Attributes: entirely the runtime's, the library never sees a key of the program.
 *
 * Order as in MPICH: the newest attribute is first in the list; deletion goes from the first to the
 * last (MPI 4.0, section 11.2.4 asks for it on MPI_COMM_SELF); a copy keeps the order. */
#include <utlist.h>
#include "handle/handles.h"

int ft_keyval_create(struct ft_rank *self, int kind, void *copy, void *drop, void *extra)
{
    struct ft_keyval *key = ft_image_alloc(sizeof(*key));

    key->kind = kind;
    key->copy = copy;
    key->drop = drop;
    key->extra = extra;
    key->refs = 1;
    return key->handle = (int)ft_table_add(&self->handles->keyvals, key);
}

static struct ft_keyval *keyval_find(struct ft_rank *self, int keyval)
{
    return ft_table_find(&self->handles->keyvals, (uint32_t)keyval);
}

void ft_keyval_set_proxy(struct ft_rank *self, int keyval, void *copy, void *drop)
{
    struct ft_keyval *key = keyval_find(self, keyval);

    if (!key)
        return;
    key->copy_proxy = (ft_copy_proxy *)copy;
    key->drop_proxy = (ft_drop_proxy *)drop;
}

int ft_keyval_is_valid(struct ft_rank *self, int kind, int keyval)
{
    const struct ft_keyval *key = keyval_find(self, keyval);

    return key && key->kind == kind;
}

static void keyval_release(struct ft_rank *self, struct ft_keyval *key)
{
    if (--key->refs)
        return;
    ft_table_remove(&self->handles->keyvals, (uint32_t)key->handle);
    ft_image_free(key);
}

void ft_keyval_free(struct ft_rank *self, int keyval)
{
    struct ft_keyval *key = keyval_find(self, keyval);

    if (key->freed)
        return;
    key->freed = 1;
    keyval_release(self, key);
}

/* Calls the delete function. An MPI code: the function's own. */
static int attribute_drop(struct ft_rank *self, struct ft_attributes *attribute, MPI_Comm handle)
{
    const struct ft_keyval *key = attribute->key;
    MPI_Comm_delete_attr_function *drop = (MPI_Comm_delete_attr_function *)key->drop;
    struct ft_upcall upcall;
    int code;

    if (!drop)
        return MPI_SUCCESS;
    upcall = ft_upcall_begin(self);
    code = key->drop_proxy ? key->drop_proxy(key->drop, handle, key->handle, FT_PROXY_INTEGER,
                                             attribute->value, key->extra)
                           : drop(handle, key->handle, attribute->value, key->extra);
    ft_upcall_end(self, upcall);
    return code;
}

static struct ft_attributes *attribute_find(struct ft_attributes *list, int keyval)
{
    struct ft_attributes *attribute;

    LL_FOREACH (list, attribute)
        if (attribute->key->handle == keyval)
            return attribute;
    return NULL;
}

static struct ft_attributes *attribute_new(struct ft_keyval *key, void *value)
{
    struct ft_attributes *attribute = ft_image_alloc(sizeof(*attribute));

    attribute->key = key;
    attribute->value = value;
    key->refs++;
    return attribute;
}

int ft_attribute_set(struct ft_rank *self, struct ft_attributes **list, MPI_Comm handle, int keyval,
                     void *value)
{
    struct ft_attributes *attribute = attribute_find(*list, keyval);
    int code;

    if (!attribute) {
        attribute = attribute_new(keyval_find(self, keyval), value);
        LL_PREPEND(*list, attribute);
        return MPI_SUCCESS;
    }
    code = attribute_drop(self, attribute, handle);
    if (code == MPI_SUCCESS)
        attribute->value = value;
    return code;
}

int ft_attribute_get(struct ft_attributes *list, int keyval, void **value)
{
    struct ft_attributes *attribute = attribute_find(list, keyval);

    if (attribute)
        *value = attribute->value;
    return attribute != NULL;
}

int ft_attribute_delete(struct ft_rank *self, struct ft_attributes **list, MPI_Comm handle,
                        int keyval)
{
    struct ft_attributes *attribute = attribute_find(*list, keyval);
    int code = attribute ? attribute_drop(self, attribute, handle) : MPI_SUCCESS;

    if (!attribute || code != MPI_SUCCESS)
        return code;
    LL_DELETE(*list, attribute);
    keyval_release(self, attribute->key);
    ft_image_free(attribute);
    return MPI_SUCCESS;
}

/* Asks the copy function of `from`. An MPI code; *keep: the new object has the attribute. */
static int attribute_copy(struct ft_rank *self, const struct ft_attributes *from, MPI_Comm handle,
                          void **value, int *keep)
{
    const struct ft_keyval *key = from->key;
    MPI_Comm_copy_attr_function *copy = (MPI_Comm_copy_attr_function *)key->copy;
    struct ft_upcall upcall;
    int code;

    *keep = 0;
    if (!copy)
        return MPI_SUCCESS;
    upcall = ft_upcall_begin(self);
    code = key->copy_proxy ? key->copy_proxy(key->copy, handle, key->handle, key->extra,
                                             FT_PROXY_INTEGER, from->value, value, keep)
                           : copy(handle, key->handle, key->extra, from->value, value, keep);
    ft_upcall_end(self, upcall);
    return code == MPI_SUCCESS ? MPI_SUCCESS : MPI_ERR_OTHER;
}

int ft_attributes_copy(struct ft_rank *self, struct ft_attributes *from, MPI_Comm handle,
                       struct ft_attributes **to)
{
    struct ft_attributes *attribute;
    void *value;
    int keep, code = MPI_SUCCESS;

    LL_FOREACH (from, attribute) {
        value = NULL;
        code = attribute_copy(self, attribute, handle, &value, &keep);
        if (code != MPI_SUCCESS)
            break;
        if (keep)
            LL_APPEND(*to, attribute_new(attribute->key, value));
    }
    return code;
}

int ft_attributes_delete(struct ft_rank *self, struct ft_attributes **list, MPI_Comm handle)
{
    struct ft_attributes *attribute, *next;
    int code, result = MPI_SUCCESS;

    for (attribute = *list; attribute; attribute = next) {
        next = attribute->next;
        code = attribute_drop(self, attribute, handle);
        if (code != MPI_SUCCESS)
            result = code;
        keyval_release(self, attribute->key);
        ft_image_free(attribute);
    }
    *list = NULL;
    return result;
}

/* Values of one job, asked of the library once; only MPI_LASTUSEDCODE may change. */
int *ft_attribute_predefined(struct ft_rank *self, int keyval)
{
    struct ft_handles *handles = self->handles;
    int index = ft_library_key_index(keyval), found;
    int *value;

    if (index >= FT_PREDEFINED || handles->present[index] == 2)
        return NULL;
    if (!handles->present[index] || ft_library_key_is_last_code(keyval)) {
        ft_must(PMPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &value, &found), "PMPI_Comm_get_attr");
        handles->present[index] = found ? 1 : 2;
        if (!found)
            return NULL;
        handles->predefined[index] = *value;
    }
    return &handles->predefined[index];
}

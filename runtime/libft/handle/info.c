/* Infos: a real info, and a copy of what it holds, read again after every change. */
#include <string.h>
#include <utlist.h>
#include "handle/handles.h"

MPI_Info ft_info_real(struct ft_rank *self, MPI_Info handle)
{
    struct ft_info *info = ft_table_find(&self->handles->infos, ft_handle_bits(handle));

    return info ? info->real : ft_handle_unknown(handle, MPI_INFO_NULL);
}

static void text_free(struct ft_info *info)
{
    for (int i = 0; i < 2 * info->count; i++)
        ft_image_free(info->text[i]);
    ft_image_free(info->text);
}

static void text_read(struct ft_info *info)
{
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    int found;

    ft_must(PMPI_Info_get_nkeys(info->real, &info->count), "PMPI_Info_get_nkeys");
    info->text = ft_image_alloc((size_t)(info->count ? 2 * info->count : 1) * sizeof(char *));
    for (int i = 0; i < info->count; i++) {
        ft_must(PMPI_Info_get_nthkey(info->real, i, key), "PMPI_Info_get_nthkey");
        ft_must(PMPI_Info_get(info->real, key, MPI_MAX_INFO_VAL, value, &found), "PMPI_Info_get");
        info->text[2 * i] = ft_image_string(key);
        info->text[2 * i + 1] = ft_image_string(value);
    }
}

MPI_Info ft_info_made(struct ft_rank *self, MPI_Info real)
{
    struct ft_info *info;

    if (real == MPI_INFO_NULL || real == MPI_INFO_ENV)
        return real;
    info = ft_image_alloc(sizeof(*info));
    info->real = real;
    text_read(info);
    info->handle = ft_handle_of(MPI_Info, ft_table_add(&self->handles->infos, info));
    DL_APPEND(self->handles->info, info);
    return info->handle;
}

void ft_info_changed(struct ft_rank *self, MPI_Info handle)
{
    struct ft_info *info = ft_table_find(&self->handles->infos, ft_handle_bits(handle));

    if (!info)
        return;
    text_free(info);
    text_read(info);
}

int ft_info_make(struct ft_info *info)
{
    int code = PMPI_Info_create(&info->real);

    for (int i = 0; i < info->count && code == MPI_SUCCESS; i++)
        code = PMPI_Info_set(info->real, info->text[2 * i], info->text[2 * i + 1]);
    return code;
}

void ft_info_merge(struct ft_rank *self, MPI_Info into, MPI_Info from)
{
    MPI_Info to = ft_info_real(self, into);
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    int count, found;

    from = ft_info_real(self, from);
    ft_must(PMPI_Info_get_nkeys(from, &count), "PMPI_Info_get_nkeys");
    for (int i = 0; i < count; i++) {
        ft_must(PMPI_Info_get_nthkey(from, i, key), "PMPI_Info_get_nthkey");
        ft_must(PMPI_Info_get(from, key, MPI_MAX_INFO_VAL, value, &found), "PMPI_Info_get");
        ft_must(PMPI_Info_set(to, key, value), "PMPI_Info_set");
    }
    ft_info_changed(self, into);
}

void ft_info_free(struct ft_rank *self, MPI_Info handle)
{
    struct ft_info *info = ft_table_find(&self->handles->infos, ft_handle_bits(handle));

    ft_must(PMPI_Info_free(&info->real), "PMPI_Info_free");
    ft_table_remove(&self->handles->infos, ft_handle_bits(handle));
    DL_DELETE(self->handles->info, info);
    text_free(info);
    ft_image_free(info);
}

#include "handle/tool.h"

#include <utlist.h>

#include "handle/handles.h"

struct ft_tool *ft_tool_find(struct ft_rank *self, const void *handle, enum ft_tool_kind kind)
{
    struct ft_tool *tool;

    DL_FOREACH (self->handles->tools, tool)
        if (tool == handle && tool->kind == kind)
            return tool;
    return NULL;
}

struct ft_tool *ft_tool_add(struct ft_rank *self, enum ft_tool_kind kind, int index,
                            struct ft_tool *session, void *real)
{
    struct ft_tool *tool = ft_image_alloc(sizeof *tool);

    *tool = (struct ft_tool){.kind = kind, .index = index, .session = session, .real = real};
    DL_APPEND(self->handles->tools, tool);
    return tool;
}

void ft_tool_remove(struct ft_rank *self, struct ft_tool *tool)
{
    DL_DELETE(self->handles->tools, tool);
    ft_image_free(tool);
}

struct ft_tool *ft_tool_next(struct ft_rank *self, const struct ft_tool *session,
                             struct ft_tool *last)
{
    struct ft_tool *tool = last ? last->next : self->handles->tools;

    while (tool && (tool->kind != FT_TOOL_PVAR || tool->session != session))
        tool = tool->next;
    return tool;
}

void ft_tools_count(struct ft_rank *self, int more)
{
    self->handles->tool_starts += more;
}

/* No variable of MPICH is bound to an object, so none is named. */
static int make(struct ft_tool *tool)
{
    int count, code;

    if (tool->kind == FT_TOOL_CVAR)
        return PMPI_T_cvar_handle_alloc(tool->index, NULL, (MPI_T_cvar_handle *)&tool->real,
                                        &count);
    if (tool->kind == FT_TOOL_SESSION)
        return PMPI_T_pvar_session_create((MPI_T_pvar_session *)&tool->real);
    code = PMPI_T_pvar_handle_alloc(tool->session->real, tool->index, NULL,
                                    (MPI_T_pvar_handle *)&tool->real, &count);
    if (code == MPI_SUCCESS && tool->started)
        code = PMPI_T_pvar_start(tool->session->real, tool->real);
    return code;
}

void ft_tools_rebuild(struct ft_handles *handles)
{
    struct ft_tool *tool;
    int provided;

    for (int i = 0; i < handles->tool_starts; i++)
        ft_must(PMPI_T_init_thread(MPI_THREAD_SINGLE, &provided), "MPI_T_init_thread");
    DL_FOREACH (handles->tools, tool)
        ft_must(make(tool), "making a handle of MPI_T again");
}

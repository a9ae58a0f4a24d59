/* The tool interface (MPI 4.0, chapter 15), read through: calls without a handle are the library's;
 * the others find this epoch's handle. None is a safe point, and none is recorded: a variable tells
 * of one life of the library. */
#include "calls/calls.h"
#include "handle/tool.h"

FT_EXPORT int MPI_T_init_thread(int required, int *provided)
{
    int code;

    ft_depth++;
    code = PMPI_T_init_thread(required, provided);
    if (ft_self && code == MPI_SUCCESS)
        ft_tools_count(ft_self, 1);
    ft_depth--;
    return code;
}

FT_EXPORT int MPI_T_finalize(void)
{
    int code;

    ft_depth++;
    code = PMPI_T_finalize();
    if (ft_self && code == MPI_SUCCESS)
        ft_tools_count(ft_self, -1);
    ft_depth--;
    return code;
}

FT_EXPORT int MPI_T_cvar_handle_alloc(int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle,
                                      int *count)
{
    int code;

    ft_depth++;
    code = PMPI_T_cvar_handle_alloc(cvar_index, obj_handle, handle, count);
    if (ft_self && code == MPI_SUCCESS)
        *handle = (MPI_T_cvar_handle)ft_tool_add(ft_self, FT_TOOL_CVAR, cvar_index, NULL, *handle);
    ft_depth--;
    return code;
}

FT_EXPORT int MPI_T_cvar_handle_free(MPI_T_cvar_handle *handle)
{
    struct ft_tool *tool = ft_self ? ft_tool_find(ft_self, *handle, FT_TOOL_CVAR) : NULL;
    int code;

    ft_depth++;
    code = PMPI_T_cvar_handle_free(tool ? (MPI_T_cvar_handle *)&tool->real : handle);
    if (tool) {
        ft_tool_remove(ft_self, tool);
        *handle = MPI_T_CVAR_HANDLE_NULL;
    }
    ft_depth--;
    return code;
}

FT_EXPORT int MPI_T_cvar_read(MPI_T_cvar_handle handle, void *buf)
{
    struct ft_tool *tool = ft_self ? ft_tool_find(ft_self, handle, FT_TOOL_CVAR) : NULL;
    int code;

    ft_depth++;
    code = PMPI_T_cvar_read(tool ? tool->real : handle, buf);
    ft_depth--;
    return code;
}

FT_EXPORT int MPI_T_pvar_session_create(MPI_T_pvar_session *session)
{
    int code;

    ft_depth++;
    code = PMPI_T_pvar_session_create(session);
    if (ft_self && code == MPI_SUCCESS)
        *session = (MPI_T_pvar_session)ft_tool_add(ft_self, FT_TOOL_SESSION, 0, NULL, *session);
    ft_depth--;
    return code;
}

/* Its handles go with it. */
FT_EXPORT int MPI_T_pvar_session_free(MPI_T_pvar_session *session)
{
    struct ft_tool *tool = ft_self ? ft_tool_find(ft_self, *session, FT_TOOL_SESSION) : NULL;
    struct ft_tool *variable;
    int code;

    ft_depth++;
    code = PMPI_T_pvar_session_free(tool ? (MPI_T_pvar_session *)&tool->real : session);
    while (tool && (variable = ft_tool_next(ft_self, tool, NULL)))
        ft_tool_remove(ft_self, variable);
    if (tool) {
        ft_tool_remove(ft_self, tool);
        *session = MPI_T_PVAR_SESSION_NULL;
    }
    ft_depth--;
    return code;
}

FT_EXPORT int MPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void *obj_handle,
                                      MPI_T_pvar_handle *handle, int *count)
{
    struct ft_tool *in = ft_self ? ft_tool_find(ft_self, session, FT_TOOL_SESSION) : NULL;
    int code;

    ft_depth++;
    code = PMPI_T_pvar_handle_alloc(in ? in->real : session, pvar_index, obj_handle, handle, count);
    if (in && code == MPI_SUCCESS)
        *handle = (MPI_T_pvar_handle)ft_tool_add(ft_self, FT_TOOL_PVAR, pvar_index, in, *handle);
    ft_depth--;
    return code;
}

FT_EXPORT int MPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle)
{
    struct ft_tool *in = ft_self ? ft_tool_find(ft_self, session, FT_TOOL_SESSION) : NULL;
    struct ft_tool *tool = in ? ft_tool_find(ft_self, *handle, FT_TOOL_PVAR) : NULL;
    int code;

    ft_depth++;
    code = PMPI_T_pvar_handle_free(in ? in->real : session,
                                   tool ? (MPI_T_pvar_handle *)&tool->real : handle);
    if (tool) {
        ft_tool_remove(ft_self, tool);
        *handle = MPI_T_PVAR_HANDLE_NULL;
    }
    ft_depth--;
    return code;
}

/* Notes that variables of a session count from now on, or no more. */
static void note_started(struct ft_tool *in, struct ft_tool *tool, MPI_T_pvar_handle handle,
                         int started)
{
    if (tool)
        tool->started = started;
    else if (handle == MPI_T_PVAR_ALL_HANDLES)
        while ((tool = ft_tool_next(ft_self, in, tool)))
            tool->started = started;
}

/* The call on this epoch's handles, which are `in` and `tool` of the image. */
#define PVAR(name, parameters, arguments, after)                                                   \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        struct ft_tool *in = ft_self ? ft_tool_find(ft_self, session, FT_TOOL_SESSION) : NULL;     \
        struct ft_tool *tool = in ? ft_tool_find(ft_self, handle, FT_TOOL_PVAR) : NULL;            \
        MPI_T_pvar_session real_in = in ? in->real : session;                                      \
        MPI_T_pvar_handle real = tool ? tool->real : handle;                                       \
        int code;                                                                                  \
                                                                                                   \
        ft_depth++;                                                                                \
        code = P##name arguments;                                                                  \
        ft_depth--;                                                                                \
        after;                                                                                     \
        return code;                                                                               \
    }

PVAR(MPI_T_pvar_start, (MPI_T_pvar_session session, MPI_T_pvar_handle handle), (real_in, real),
     if (in && code == MPI_SUCCESS) note_started(in, tool, handle, 1))
PVAR(MPI_T_pvar_stop, (MPI_T_pvar_session session, MPI_T_pvar_handle handle), (real_in, real),
     if (in && code == MPI_SUCCESS) note_started(in, tool, handle, 0))
PVAR(MPI_T_pvar_read, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf),
     (real_in, real, buf), )
PVAR(MPI_T_pvar_readreset, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf),
     (real_in, real, buf), )
PVAR(MPI_T_pvar_reset, (MPI_T_pvar_session session, MPI_T_pvar_handle handle), (real_in, real), )

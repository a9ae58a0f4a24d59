/* tool: what a program holds of the tool interface (MPI 4.0, chapter 15): handles of variables, and
 * sessions. They lie in the image; the library's own are made again in each epoch, where counting
 * begins anew. */
#ifndef FT_TOOL_H
#define FT_TOOL_H

#include "handle/handle.h"

enum ft_tool_kind { FT_TOOL_CVAR, FT_TOOL_SESSION, FT_TOOL_PVAR };

struct ft_tool { /* in the image; its address is the program's handle */
    enum ft_tool_kind kind;
    int index;               /* of the variable */
    int started;             /* PVAR: 1: by MPI_T_pvar_start */
    struct ft_tool *session; /* PVAR: where it was made */
    void *real;              /* this epoch's MPI_T_cvar_handle, MPI_T_pvar_session or -_handle */
    struct ft_tool *prev, *next;
};

/* NULL: the program has no such handle. */
struct ft_tool *ft_tool_find(struct ft_rank *self, const void *handle, enum ft_tool_kind kind);
/* A new one, of a real one. */
struct ft_tool *ft_tool_add(struct ft_rank *self, enum ft_tool_kind kind, int index,
                            struct ft_tool *session, void *real);
void ft_tool_remove(struct ft_rank *self, struct ft_tool *tool);
/* All performance variables of a session; NULL: that was the last one. First: `last` is NULL. */
struct ft_tool *ft_tool_next(struct ft_rank *self, const struct ft_tool *session,
                             struct ft_tool *last);
/* The calls of MPI_T_init_thread that MPI_T_finalize has not answered; -1 forgets one. */
void ft_tools_count(struct ft_rank *self, int more);

#endif

/* Sessions (MPI 4.0, sections 11.3 and 7.4.2), on the calls for the world.
 *
 * A program without MPI_Init needs the library until it ends: it may open another session any time.
 * So the end that all ranks wait for in MPI_Finalize is, for such a program, in exit(). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "calls/calls.h"
#include "handle/session.h"
#include "pmpi/births.h"
#include "start/start.h"

#define TAGS 32767 /* that every library allows */

static const char *const sets[] = {"mpi://WORLD", "mpi://SELF"};
enum { SETS = sizeof(sets) / sizeof(sets[0]) };

static int session_error(struct ft_rank *self, struct ft_session *session, int code,
                         const char *call)
{
    MPI_Session handle = session ? session->handle : MPI_SESSION_NULL;

    if (code == MPI_SUCCESS || !session)
        return ft_error(self, NULL, code, call);
    return ft_error_handle(self, session->errhandler, &handle, code, call);
}

/* The program's last handler runs when it has opened no session that it has not closed. */
static void end_at_exit(int status, void *argument)
{
    struct ft_rank *self = ft_self;

    (void)status;
    (void)argument;
    if (self->mpi_state != 1 || ft_sessions_of(self)->first)
        return;
    ft_depth++;
    ft_finish_library(self);
    ft_depth--;
}

static int level_wanted(struct ft_rank *self, MPI_Info info)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int found = 0;

    if (info != MPI_INFO_NULL && PMPI_Info_get(ft_info_real(self, info), "thread_level",
                                               MPI_MAX_INFO_VAL, value, &found) != MPI_SUCCESS)
        return MPI_THREAD_SINGLE;
    return !strcmp(value, "MPI_THREAD_MULTIPLE")     ? MPI_THREAD_MULTIPLE
           : !strcmp(value, "MPI_THREAD_SERIALIZED") ? MPI_THREAD_SERIALIZED
           : !strcmp(value, "MPI_THREAD_FUNNELED")   ? MPI_THREAD_FUNNELED
                                                     : MPI_THREAD_SINGLE;
}

/* For the first session of a program that has not called MPI_Init. An MPI code. */
static int session_start(struct ft_rank *self, MPI_Info info)
{
    int provided, code, depth = ft_depth;

    if (self->mpi_state == 1)
        return MPI_SUCCESS;
    ft_sessions_of(self)->bare = 1; /* before the image of checkpoint 0 */
    ft_depth = 0;                   /* the handler is the program's: it is in the image */
    on_exit(end_at_exit, NULL);
    ft_depth = depth;
    code = ft_start_library(self, level_wanted(self, info), &provided);
    ft_sessions_of(self)->bare = code == MPI_SUCCESS;
    return code;
}

FT_EXPORT int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    struct ft_rank *self = ft_self;
    const void *site = __builtin_return_address(0);
    int code;

    if (ft_unlikely(!self))
        return PMPI_Session_init(info, errhandler, session);
    if (self->mpi_state == 2)
        ft_refuse("MPI_Session_init", site,
                  "sessions behind the end of MPI are not carried: open it before MPI_Finalize");
    ft_enter(self, FT_CALL_MPI_Session_init, site);
    code = session_start(self, info);
    if (code == MPI_SUCCESS)
        *session = ft_session_add(self, errhandler);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Session_init"));
}

FT_EXPORT int MPI_Session_finalize(MPI_Session *session)
{
    struct ft_rank *self = ft_self;
    int code = MPI_ERR_SESSION;

    if (ft_unlikely(!self))
        return PMPI_Session_finalize(session);
    ft_enter(self, FT_CALL_MPI_Session_finalize, __builtin_return_address(0));
    if (session && ft_session_find(self, *session)) {
        ft_session_remove(self, *session);
        *session = MPI_SESSION_NULL;
        code = MPI_SUCCESS;
    }
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Session_finalize"));
}

/* Names are read as MPICH reads them: the case of letters does not matter. */
static int set_of(const char *name)
{
    int set = 0;

    while (set < SETS && strcasecmp(sets[set], name) != 0)
        set++;
    return set;
}

static int group_of(struct ft_rank *self, const char *name, MPI_Group *group)
{
    static const MPI_Comm comms[] = {MPI_COMM_WORLD, MPI_COMM_SELF};
    int set = set_of(name), code;

    if (set == SETS)
        return MPI_ERR_ARG;
    code = PMPI_Comm_group(ft_comm_real(self, comms[set]), group);
    if (code == MPI_SUCCESS)
        *group = ft_group_made(self, *group);
    return code;
}

/* Opens the wrapper of a call with a session; `found` is it. */
#define SESSION(name, arguments)                                                                   \
    struct ft_rank *self = ft_self;                                                                \
    struct ft_session *found;                                                                      \
    int code = MPI_ERR_SESSION;                                                                    \
                                                                                                   \
    if (ft_unlikely(!self))                                                                        \
        return P##name arguments;                                                                  \
    ft_enter(self, FT_CALL_##name, __builtin_return_address(0));                                   \
    found = ft_session_find(self, session)

FT_EXPORT int MPI_Group_from_session_pset(MPI_Session session, const char *pset_name,
                                          MPI_Group *newgroup)
{
    SESSION(MPI_Group_from_session_pset, (session, pset_name, newgroup));
    if (found)
        code = group_of(self, pset_name, newgroup);
    return ft_leave(self, session_error(self, found, code, "MPI_Group_from_session_pset"));
}

FT_EXPORT int MPI_Session_get_num_psets(MPI_Session session, MPI_Info info, int *npset_names)
{
    SESSION(MPI_Session_get_num_psets, (session, info, npset_names));
    if (found) {
        *npset_names = SETS;
        code = MPI_SUCCESS;
    }
    return ft_leave(self, session_error(self, found, code, "MPI_Session_get_num_psets"));
}

/* A length of 0 asks for the length that the name needs. */
static int set_name(int n, int *length, char *name)
{
    int needed;

    if (n < 0 || n >= SETS)
        return MPI_ERR_ARG;
    needed = (int)strlen(sets[n]) + 1;
    if (*length > 0) {
        strncpy(name, sets[n], (size_t)*length);
        name[*length - 1] = 0;
    }
    *length = needed;
    return MPI_SUCCESS;
}

FT_EXPORT int MPI_Session_get_nth_pset(MPI_Session session, MPI_Info info, int n, int *pset_len,
                                       char *pset_name)
{
    SESSION(MPI_Session_get_nth_pset, (session, info, n, pset_len, pset_name));
    if (found)
        code = set_name(n, pset_len, pset_name);
    return ft_leave(self, session_error(self, found, code, "MPI_Session_get_nth_pset"));
}

/* An info with one entry. */
static int info_of(struct ft_rank *self, const char *key, const char *value, MPI_Info *info)
{
    int code = PMPI_Info_create(info);

    if (code == MPI_SUCCESS)
        code = PMPI_Info_set(*info, key, value);
    if (code == MPI_SUCCESS)
        *info = ft_info_made(self, *info);
    return code;
}

FT_EXPORT int MPI_Session_get_pset_info(MPI_Session session, const char *pset_name, MPI_Info *info)
{
    char size[16];

    SESSION(MPI_Session_get_pset_info, (session, pset_name, info));
    snprintf(size, sizeof size, "%d", set_of(pset_name) == 0 ? self->size : 1);
    if (found)
        code = set_of(pset_name) == SETS ? MPI_ERR_ARG : info_of(self, "mpi_size", size, info);
    return ft_leave(self, session_error(self, found, code, "MPI_Session_get_pset_info"));
}

FT_EXPORT int MPI_Session_get_info(MPI_Session session, MPI_Info *info_used)
{
    SESSION(MPI_Session_get_info, (session, info_used));
    const char *level = self->thread_level == MPI_THREAD_MULTIPLE     ? "MPI_THREAD_MULTIPLE"
                        : self->thread_level == MPI_THREAD_SERIALIZED ? "MPI_THREAD_SERIALIZED"
                        : self->thread_level == MPI_THREAD_FUNNELED   ? "MPI_THREAD_FUNNELED"
                                                                      : "MPI_THREAD_SINGLE";

    if (found)
        code = info_of(self, "thread_level", level, info_used);
    return ft_leave(self, session_error(self, found, code, "MPI_Session_get_info"));
}

FT_EXPORT int MPI_Session_create_errhandler(MPI_Session_errhandler_function *session_errhandler_fn,
                                            MPI_Errhandler *errhandler)
{
    struct ft_rank *self = ft_self;

    if (ft_unlikely(!self))
        return PMPI_Session_create_errhandler(session_errhandler_fn, errhandler);
    ft_enter(self, FT_CALL_MPI_Session_create_errhandler, __builtin_return_address(0));
    *errhandler =
        ft_errhandler_create(self, (MPI_Comm_errhandler_function *)(void *)session_errhandler_fn);
    return ft_leave(self, MPI_SUCCESS);
}

FT_EXPORT int MPI_Session_set_errhandler(MPI_Session session, MPI_Errhandler errhandler)
{
    SESSION(MPI_Session_set_errhandler, (session, errhandler));
    if (found && ft_errhandler_known(self, errhandler)) {
        ft_errhandler_hold(self, errhandler);
        ft_errhandler_release(self, found->errhandler);
        found->errhandler = errhandler;
        code = MPI_SUCCESS;
    }
    return ft_leave(self, session_error(self, found, code, "MPI_Session_set_errhandler"));
}

FT_EXPORT int MPI_Session_get_errhandler(MPI_Session session, MPI_Errhandler *errhandler)
{
    SESSION(MPI_Session_get_errhandler, (session, errhandler));
    if (found) {
        *errhandler = found->errhandler;
        ft_errhandler_hold(self, found->errhandler);
        code = MPI_SUCCESS;
    }
    return ft_leave(self, session_error(self, found, code, "MPI_Session_get_errhandler"));
}

FT_EXPORT int MPI_Session_call_errhandler(MPI_Session session, int errorcode)
{
    SESSION(MPI_Session_call_errhandler, (session, errorcode));
    if (found) {
        session_error(self, found, errorcode, "MPI_Session_call_errhandler");
        return ft_leave(self, MPI_SUCCESS);
    }
    return ft_leave(self, session_error(self, found, code, "MPI_Session_call_errhandler"));
}

/* Members with one string meet, as those of MPI_Comm_create_group with one tag. */
static int tag_of(const char *text)
{
    uint32_t hash = 2166136261u;

    for (const char *at = text; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    return (int)(hash % TAGS);
}

FT_EXPORT int MPI_Comm_create_from_group(MPI_Group group, const char *stringtag, MPI_Info info,
                                         MPI_Errhandler errhandler, MPI_Comm *newcomm)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *world, *made;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Comm_create_from_group(group, stringtag, info, errhandler, newcomm);
    ft_enter(self, FT_CALL_MPI_Comm_create_from_group, __builtin_return_address(0));
    world = ft_comm_find(self, MPI_COMM_WORLD);
    code = ft_comm_create_group(self, world, group, tag_of(stringtag), newcomm);
    made = code == MPI_SUCCESS ? ft_comm_find(self, *newcomm) : NULL;
    if (made) {
        ft_errhandler_hold(self, errhandler);
        made->errhandler = errhandler;
    }
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Comm_create_from_group"));
}

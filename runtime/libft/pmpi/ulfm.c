/* User-level failure mitigation (ULFM, the chapter "Process Fault Tolerance" of the MPI Forum's
 * proposal), with `ftrun --ulfm`. Elsewhere under ftrun these calls are refused; natively those
 * that MPICH has are MPICH's, and the others fail. */
#include <stdio.h>
#include "calls/calls.h"
#include "ft.h"
#include "request/failed.h"
#include "ulfm/agree.h"

/* Opens a wrapper: `self` and the communicator `on`, which is one. */
#define ULFM_ENTER(name, native)                                                                   \
    struct ft_rank *self = ft_self;                                                                \
    struct ft_comm *on;                                                                            \
    if (ft_unlikely(!self))                                                                        \
        return native;                                                                             \
    ft_enter(self, FT_CALL_##name, __builtin_return_address(0));                                   \
    must_be_asked(self);                                                                           \
    on = ft_comm_find(self, comm);                                                                 \
    if (!on)                                                                                       \
    return ft_leave(self, ft_error(self, NULL, MPI_ERR_COMM, #name))

#define ULFM_LEAVE(name, code) return ft_leave(self, ft_error(self, on, code, #name))

static void must_be_asked(struct ft_rank *self)
{
    if (!ft_ulfm_of(self))
        ft_refuse(ft_call_name(self->recorder->call), (const void *)(uintptr_t)self->recorder->site,
                  "without --ulfm failures are handled by ftrun, and no process ever sees one: "
                  "start the program with ftrun --ulfm");
}

FT_EXPORT int MPIX_Comm_revoke(MPI_Comm comm)
{
    ULFM_ENTER(MPIX_Comm_revoke, PMPIX_Comm_revoke(comm));
    ft_failure_revoke(self, on);
    ft_failed_sweep(self);
    ULFM_LEAVE(MPIX_Comm_revoke, MPI_SUCCESS);
}

FT_EXPORT int MPIX_Comm_is_revoked(MPI_Comm comm, int *flag)
{
    ULFM_ENTER(MPIX_Comm_is_revoked, MPI_ERR_UNSUPPORTED_OPERATION);
    *flag = on->revoked;
    ULFM_LEAVE(MPIX_Comm_is_revoked, MPI_SUCCESS);
}

FT_EXPORT int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm)
{
    ULFM_ENTER(MPIX_Comm_shrink, PMPIX_Comm_shrink(comm, newcomm));
    ULFM_LEAVE(MPIX_Comm_shrink, ft_shrink(self, on, newcomm));
}

FT_EXPORT int MPIX_Comm_ishrink(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
    ULFM_ENTER(MPIX_Comm_ishrink, MPI_ERR_UNSUPPORTED_OPERATION);
    ULFM_LEAVE(MPIX_Comm_ishrink, ft_ishrink(self, on, newcomm, request));
}

FT_EXPORT int MPIX_Comm_agree(MPI_Comm comm, int *flag)
{
    ULFM_ENTER(MPIX_Comm_agree, PMPIX_Comm_agree(comm, flag));
    ULFM_LEAVE(MPIX_Comm_agree, ft_agree(self, on, flag));
}

FT_EXPORT int MPIX_Comm_iagree(MPI_Comm comm, int *flag, MPI_Request *request)
{
    ULFM_ENTER(MPIX_Comm_iagree, MPI_ERR_UNSUPPORTED_OPERATION);
    ULFM_LEAVE(MPIX_Comm_iagree, ft_iagree(self, on, flag, request));
}

static int is_member(const struct ft_comm *on, int world)
{
    for (int i = 0; i < on->size; i++)
        if (on->local[i] == world)
            return 1;
    for (int i = 0; on->inter && i < on->peers; i++)
        if (on->world[i] == world)
            return 1;
    return 0;
}

/* The members among the first `deaths` dead, at most `most`; *reached: how many deaths that takes.
 */
static int failed_members(struct ft_rank *self, const struct ft_comm *on, uint32_t deaths, int most,
                          int *ranks, uint32_t *reached)
{
    const struct ft_death *death = self->spbc->ulfm->told->death;
    int count = 0;
    uint32_t i;

    for (i = self->spbc->ulfm->told->healed; i < deaths && count < most; i++)
        if (is_member(on, death[i].rank))
            ranks[count++] = death[i].rank;
    *reached = count < most ? deaths : i;
    return count;
}

static int failed_group(struct ft_rank *self, const struct ft_comm *on, uint32_t deaths,
                        MPI_Group *group)
{
    int *ranks = ft_image_alloc((size_t)self->size * sizeof(int)), code;
    uint32_t reached;
    int count = failed_members(self, on, deaths, self->size, ranks, &reached);
    MPI_Group world, real;

    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    code = PMPI_Group_incl(world, count, ranks, &real);
    PMPI_Group_free(&world);
    ft_image_free(ranks);
    if (code == MPI_SUCCESS)
        *group = ft_group_made(self, real);
    return code;
}

static void acknowledge(struct ft_rank *self, struct ft_comm *on, uint32_t deaths)
{
    if (deaths <= on->acknowledged)
        return;
    on->acknowledged = deaths;
    ft_failed_acknowledged(self, on);
}

FT_EXPORT int MPIX_Comm_failure_ack(MPI_Comm comm)
{
    ULFM_ENTER(MPIX_Comm_failure_ack, PMPIX_Comm_failure_ack(comm));
    acknowledge(self, on, self->spbc->ulfm->deaths);
    ULFM_LEAVE(MPIX_Comm_failure_ack, MPI_SUCCESS);
}

FT_EXPORT int MPIX_Comm_failure_get_acked(MPI_Comm comm, MPI_Group *failedgrp)
{
    ULFM_ENTER(MPIX_Comm_failure_get_acked, PMPIX_Comm_failure_get_acked(comm, failedgrp));
    ULFM_LEAVE(MPIX_Comm_failure_get_acked, failed_group(self, on, on->acknowledged, failedgrp));
}

FT_EXPORT int MPIX_Comm_get_failed(MPI_Comm comm, MPI_Group *failedgrp)
{
    ULFM_ENTER(MPIX_Comm_get_failed, MPI_ERR_UNSUPPORTED_OPERATION);
    ULFM_LEAVE(MPIX_Comm_get_failed, failed_group(self, on, self->spbc->ulfm->deaths, failedgrp));
}

/* The first num_to_ack of MPIX_Comm_get_failed. */
FT_EXPORT int MPIX_Comm_ack_failed(MPI_Comm comm, int num_to_ack, int *num_acked)
{
    ULFM_ENTER(MPIX_Comm_ack_failed, MPI_ERR_UNSUPPORTED_OPERATION);
    int *ranks = ft_image_alloc((size_t)self->size * sizeof(int));
    uint32_t reached = 0;

    failed_members(self, on, self->spbc->ulfm->deaths, num_to_ack, ranks, &reached);
    if (num_to_ack > 0)
        acknowledge(self, on, reached);
    *num_acked = failed_members(self, on, on->acknowledged, self->size, ranks, &reached);
    ft_image_free(ranks);
    ULFM_LEAVE(MPIX_Comm_ack_failed, MPI_SUCCESS);
}

FT_EXPORT int ft_replace(void)
{
    struct ft_rank *self = ft_self;

    if (ft_unlikely(!self))
        return MPI_ERR_UNSUPPORTED_OPERATION;
    ft_enter(self, FT_CALL_ft_replace, __builtin_return_address(0));
    must_be_asked(self);
    ft_world_renew(self);
    return ft_leave(self, MPI_SUCCESS);
}

FT_EXPORT int ft_is_replacement(void)
{
    return ft_self && ft_life.boot.replacement;
}

FT_EXPORT int MPI_Error_string(int errorcode, char *string, int *resultlen)
{
    const char *text = ft_self ? ft_failure_text(errorcode) : NULL;
    int code = MPI_SUCCESS;

    ft_depth++;
    if (text)
        *resultlen = snprintf(string, MPI_MAX_ERROR_STRING, "%s", text);
    else
        code = PMPI_Error_string(errorcode, string, resultlen);
    if (ft_unlikely(code != MPI_SUCCESS))
        code = ft_error_pass(code, "MPI_Error_string");
    ft_depth--;
    return code;
}

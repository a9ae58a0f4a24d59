/* message: what ranks tell ftrun. */
#include <stdlib.h>
#include <string.h>
#include "commit/commit.h"
#include "host/parts.h"
#include "recover/mourn.h"
#include "recover/recover.h"

/* Another build under the same name cannot take the images. With several programs in one job the
 * first one is compared here; a rank of another one compares its image itself. */
static int is_other_build(const struct ft_member *member, const struct ft_wire_hello *hello)
{
    struct ft_run *run = member->run;

    if (strcmp(ft_parts_of(&run->program, member->rank).path, run->program.path) != 0)
        return 0;
    if (run->build && run->build != hello->build) {
        ft_say("the store %s belongs to another build of %s; start without --restart, with a new "
               "--store",
               ft_store_path(run->store), run->program.path);
        run->barred = 1;
        ft_finish(run, FT_EXIT_USAGE);
        return 1;
    }
    run->build = hello->build;
    return 0;
}

static void on_hello(struct ft_member *member, const struct ft_wire_hello *hello)
{
    struct ft_run *run = member->run;

    if (hello->version != FT_WIRE_VERSION) {
        ft_say("rank %d: libft.so.0 speaks version %u, this ftrun %d: they are from different "
               "builds of ftcc",
               member->rank, hello->version, FT_WIRE_VERSION);
        ft_finish(run, FT_EXIT_USAGE);
        return;
    }
    if (is_other_build(member, hello))
        return;
    member->hello = 1;
    ft_hello_answer(member);
}

static void on_restored(struct ft_member *member, const struct ft_wire_restored *restored)
{
    struct ft_run *run = member->run;

    ft_events_emit(run->events, "resume", "{s:i, s:i, s:b, s:i, s:I, s:i, s:f, s:f, s:f, s:f}",
                   "rank", member->rank, "pid", ft_rank_number(member), "survivor",
                   ft_member_survives(member), "checkpoint",
                   ft_member_survives(member) ? -1 : member->cluster->restored, "hook",
                   (json_int_t)restored->hooks, "epoch", (int)run->epoch, "seconds",
                   run->died > 0 ? ft_loop_now() - run->died : 0, "init", restored->library,
                   "image", restored->image, "handles", restored->handles);
    ft_pipes_drain(member);
    ft_epoch_back(member);
}

static void on_inited(struct ft_member *member)
{
    struct ft_run *run = member->run;

    ft_pipes_drain(member);
    if (member->cluster->restored >= 0 || member->back)
        return;
    if (run->died > 0)
        ft_events_emit(run->events, "resume", "{s:i, s:i, s:i, s:i, s:i, s:f}", "rank",
                       member->rank, "pid", ft_rank_number(member), "checkpoint", -1, "hook", 0,
                       "epoch", (int)run->epoch, "seconds", ft_loop_now() - run->died);
    ft_epoch_back(member);
}

static void keep_backtrace(struct ft_member *member, const char *text, size_t length)
{
    free(member->backtrace);
    member->backtrace = strndup(text, length);
}

/* REFUSED: "CALL\0reason" follows the address of the call. */
static void on_refused(struct ft_member *member, uint64_t site, const char *text, size_t length)
{
    const char *call = strndupa(text, length);
    size_t used = strlen(call) + 1;
    const char *reason = used < length ? strndupa(text + used, length - used) : "";

    ft_finish_refused(member, call, reason, site);
}

/* Messages whose payload is one number, with a text behind it. */
static void on_number(struct ft_member *member, uint32_t type, int64_t value, const char *text,
                      size_t length)
{
    if (type == FT_WIRE_HOOK)
        ft_events_emit(member->run->events, "hook", "{s:i, s:I, s:i}", "rank", member->rank, "hook",
                       (json_int_t)value, "epoch", (int)member->run->epoch);
    else if (type == FT_WIRE_PHASE)
        ft_phases_note(member, value);
    else if (type == FT_WIRE_ABORT)
        ft_recover_abort(member, (int)value & 255);
    else if (type == FT_WIRE_REFUSED)
        on_refused(member, (uint64_t)value, text, length);
    else if (type == FT_WIRE_CRASH)
        keep_backtrace(member, text, length);
    else if (type == FT_WIRE_BAD_IMAGE)
        ft_source_damaged(member, (int)-value, strndupa(text, length));
    else if (type == FT_WIRE_HINDERED)
        ft_source_hindered(member, strndupa(text, length));
}

/* Calls handler(member, payload) when the message is long enough for the payload. */
#define WITH(handler, type)                                                                        \
    do {                                                                                           \
        const type *payload = ft_wire_payload(buffer, sizeof(type));                               \
        if (payload)                                                                               \
            handler(member, payload);                                                              \
    } while (0)

/* SNAPSHOT, LEFT: a reason may follow when no image was taken. The text behind the payload. */
#define REASON(payload)                                                                            \
    strndupa((const char *)((payload) + 1), (size_t)(end - (const char *)((payload) + 1)))

static void on_snapshot(struct ft_member *member, const char *buffer, const char *end)
{
    const struct ft_wire_snapshot *snapshot = ft_wire_payload(buffer, sizeof(*snapshot));

    if (snapshot && ft_commit_snapshot(member, snapshot, REASON(snapshot)))
        ft_finish_stopped(member->run);
}

static void on_left(struct ft_member *member, const char *buffer, const char *end, int *fd)
{
    const struct ft_wire_left *left = ft_wire_payload(buffer, sizeof(*left));

    if (left)
        ft_leave_left(member, left, REASON(left), fd);
}

static void on_agree(struct ft_member *member, const char *buffer, const char *end)
{
    const struct ft_wire_agree *word = ft_wire_payload(buffer, sizeof(*word));
    const int32_t *members = (const int32_t *)(const void *)(word + 1);

    if (word && (size_t)(end - (const char *)members) >= word->count * sizeof(*members))
        ft_agree_take(member, word, members);
}

static void on_carried(struct ft_member *member, const char *buffer, const char *end)
{
    const struct ft_carried *carried = ft_wire_payload(buffer, sizeof(*carried));

    if (carried && ft_carried_bytes(carried) &&
        (size_t)(end - (const char *)carried) >= ft_carried_bytes(carried) && carried->rank >= 0 &&
        carried->rank < member->run->size)
        ft_ring_carried(&member->run->members[carried->rank], carried);
}

static void on_gate(struct ft_member *member, const struct ft_wire_gate *gate)
{
    const struct ft_wire_head *head = (const struct ft_wire_head *)(const void *)gate - 1;

    if (head->length < sizeof(*gate) + (size_t)gate->count * sizeof(struct ft_wire_clock))
        return;
    if (member->run->state == FT_RUN_LEAVING)
        ft_leave_gate(member, gate);
    else
        ft_checkpoint_gate(member, gate);
}

int ft_message_is_fault(const char *buffer)
{
    return ((const struct ft_wire_head *)(const void *)buffer)->type == FT_WIRE_FIRED;
}

void ft_message_handle(struct ft_member *member, const char *buffer, size_t length, int *fd)
{
    const struct ft_wire_head *head = (const void *)buffer;
    const struct ft_wire_number *number = ft_wire_payload(buffer, sizeof(*number));
    const char *end = buffer + length, *text = number ? (const char *)(number + 1) : end;

    switch (head->type) {
    case FT_WIRE_HELLO:
        WITH(on_hello, struct ft_wire_hello);
        break;
    case FT_WIRE_GATE:
        WITH(on_gate, struct ft_wire_gate);
        break;
    case FT_WIRE_REQUEST:
        ft_checkpoint_request(member, number ? number->value : 0, text,
                              (size_t)(end - text) / sizeof(int32_t));
        break;
    case FT_WIRE_SNAPSHOT:
        on_snapshot(member, buffer, end);
        break;
    case FT_WIRE_HELD:
        ft_checkpoint_held(member);
        break;
    case FT_WIRE_LEFT:
        on_left(member, buffer, end, fd);
        break;
    case FT_WIRE_REGROUP:
        ft_leave_regroup(member->run);
        break;
    case FT_WIRE_REVOKE:
        if (number)
            ft_mourn_revoke(member->run, (uint64_t)number->value);
        break;
    case FT_WIRE_GAP:
        if (number)
            ft_gap_ask(member, (uint32_t)number->value);
        break;
    case FT_WIRE_AGREE:
        on_agree(member, buffer, end);
        break;
    case FT_WIRE_WRITTEN:
        WITH(ft_commit_written, struct ft_wire_written);
        break;
    case FT_WIRE_FIRED:
        WITH(ft_fault_fired, struct ft_wire_fired);
        break;
    case FT_WIRE_RESTORED:
        WITH(on_restored, struct ft_wire_restored);
        break;
    case FT_WIRE_TRAFFIC:
        ft_profile_note(member, number ? number->value : -1, text, (size_t)(end - text));
        break;
    case FT_WIRE_CLEAR:
        ft_orphans_clear(member);
        break;
    case FT_WIRE_FRESH:
        ft_orphans_fresh(member);
        break;
    case FT_WIRE_CARRIED:
        on_carried(member, buffer, end);
        break;
    case FT_WIRE_RECORDS:
        member->records = 1;
        ft_rank_send(member, FT_WIRE_ALIVE, NULL, 0, NULL, 0, -1);
        break;
    case FT_WIRE_DOUBT:
        ft_recover_doubt(member);
        break;
    case FT_WIRE_FINALIZING:
        member->finalizing = 1;
        ft_finalize_all(member->run);
        break;
    case FT_WIRE_INITED:
        on_inited(member);
        break;
    default:
        if (number)
            on_number(member, head->type, number->value, text, (size_t)(end - text));
    }
}

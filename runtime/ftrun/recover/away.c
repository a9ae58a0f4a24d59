/* away: ranks on other nodes: what their agents tell, and a node that is lost.
 *
 * An agent does for its ranks what ftrun does for its own children, and tells it in the same order,
 * so a message is handled as if it had come from the rank's socket, pipe or waitpid. Where the two
 * differ: a rank's death is noted first (exited), and judged with all others that are known. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "commit/commit.h"
#include "recover/recover.h"

enum {
    FEED = 65536,
    FEED_MOST = 4 * FEED
}; /* bytes of standard input on their way to its reader */

struct ft_away {
    char *puts; /* what the ranks of the nodes that have come to PMI's barrier have put */
    size_t length;
    int come, nodes; /* of so many nodes with ranks */
    int feed;        /* what rank 0 is to read; -1: nothing */
    int64_t fed;     /* bytes that have gone to its agent and not yet into its pipe */
    int64_t question;
};

/* "(vector,(NODE,1,RANKS),...)", where nodes with ranks are numbered anew. "" where it does not
 * fit. */
static void describe_places(const struct ft_run *run, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "(vector");
    int places = 0;

    for (int i = 0; i < run->nodes->count; i++)
        run->nodes->node[i].place = -1;
    for (int i = 0, count; i < run->size && used < size; i += count) {
        struct ft_node *node = &run->nodes->node[run->at[i]];

        for (count = 1; i + count < run->size && run->at[i + count] == run->at[i];)
            count++;
        if (node->place < 0)
            node->place = places++;
        used += (size_t)snprintf(text + used, size - used, ",(%d,1,%d)", node->place, count);
    }
    if (used + 2 > size)
        text[0] = 0;
    else
        strcpy(text + used, ")");
}

void ft_away_epoch(struct ft_run *run)
{
    enum { VALUE = 1024 }; /* bytes of a value in PMI */
    char places[VALUE];
    struct ft_away *away = run->away;

    if (!away)
        return;
    describe_places(run, places, sizeof(places));
    away->come = away->nodes = 0;
    away->length = 0;
    for (int i = 0; i < run->nodes->count; i++) {
        struct ft_node *node = &run->nodes->node[i];

        away->nodes += node->ranks > 0;
        ft_node_tell(node, FT_AGENT_EPOCH, -1, run->epoch, node->ranks, places, strlen(places) + 1);
    }
}

/* All ranks of a node are in the barrier of PMI. */
static void on_pmi(struct ft_run *run, uint32_t epoch, const void *puts, size_t length)
{
    struct ft_away *away = run->away;
    char *all = epoch == run->epoch ? realloc(away->puts, away->length + length + 1) : NULL;

    if (!all)
        return;
    memcpy(all + away->length, puts, length);
    away->puts = all;
    away->length += length;
    if (++away->come < away->nodes)
        return;
    for (int i = 0; i < run->nodes->count; i++) {
        if (run->nodes->node[i].ranks)
            ft_node_tell(&run->nodes->node[i], FT_AGENT_PMI, -1, run->epoch, 0, all, away->length);
    }
    away->come = 0;
    away->length = 0;
}

static void close_feed(struct ft_run *run)
{
    if (run->away->feed < 0)
        return;
    ft_loop_forget(run->loop, run->away->feed);
    close(run->away->feed);
    run->away->feed = -1;
}

static void on_feed(void *context, uint32_t events)
{
    struct ft_run *run = context;
    struct ft_member *member = &run->members[0];
    static char block[FEED];
    ssize_t got;

    (void)events;
    if (run->feed_held || run->away->fed >= FEED_MOST) {
        ft_loop_forget(run->loop, run->away->feed);
        return;
    }
    got = read(run->away->feed, block, sizeof(block));
    if (got < 0)
        return;
    run->away->fed += got;
    ft_node_tell(member->node, FT_AGENT_INPUT, 0, member->life, 0, block, (size_t)got);
    if (!got)
        close_feed(run);
}

static void watch_feed(struct ft_run *run)
{
    if (run->away->feed >= 0 && !run->feed_held)
        ft_loop_watch(run->loop, run->away->feed, EPOLLIN, on_feed, run);
}

static int open_feed(struct ft_run *run)
{
    int ends[2];

    close_feed(run);
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
        return -errno;
    run->away->feed = ends[0];
    run->away->fed = 0;
    run->feed_held = 0;
    ft_input_attach(run->input, ends[1], run->input_position);
    watch_feed(run);
    return 0;
}

void ft_away_close(struct ft_member *member)
{
    if (member->rank == 0 && member->run->away)
        close_feed(member->run);
}

/* An image of rank 0 was taken, or not: what has not left this process is not consumed either. */
static void release_feed(struct ft_run *run, uint64_t *left)
{
    int held = 0;

    if (run->away->feed >= 0)
        ioctl(run->away->feed, FIONREAD, &held);
    *left += (uint64_t)held;
    run->feed_held = 0;
    watch_feed(run);
}

/* Ranks of the same node with lower numbers. */
static int local_number(const struct ft_run *run, int rank)
{
    int count = 0;

    for (int i = 0; i < rank; i++)
        count += run->at[i] == run->at[rank];
    return count;
}

int ft_away_start(struct ft_member *member)
{
    struct ft_run *run = member->run;
    struct ft_agent_start start = {.local = local_number(run, member->rank),
                                   .input = member->rank == 0};

    member->pid = member->group = FT_AWAY;
    member->life++;
    member->killed = member->exited = 0;
    memcpy(start.page, member->recorder, sizeof(start.page));
    if (member->pair) { /* what it lacks of the ring comes before BOOT */
        start.pair = *member->pair;
        member->given = !member->holds;
        member->holds = 1;
    }
    memcpy(member->told, (const char *)member->recorder + offsetof(struct ft_recorder, order),
           sizeof(member->told));
    if (member->counts != member->node)
        member->made = 0;
    member->counts = member->node;
    ft_node_tell(member->node, FT_AGENT_START, member->rank, member->life, 0, &start,
                 sizeof(start));
    if (member->given)
        ft_ring_give(member);
    member->given = 0;
    ft_fetch_image(member);
    return member->rank == 0 ? open_feed(run) : 0;
}

static void on_started(struct ft_member *member, int64_t pid, const char *why, size_t length)
{
    struct ft_run *run = member->run;

    if (pid > 0) {
        member->away_pid = (int)pid;
        ft_events_emit(run->events, "start", "{s:i, s:i, s:s, s:i}", "rank", member->rank, "pid",
                       member->away_pid, "node", member->node->name, "epoch", (int)run->epoch);
        return;
    }
    member->pid = member->group = 0;
    ft_say("rank %d on node %s: %s", member->rank, member->node->name,
           length && !why[length - 1] ? why : "");
    ft_finish(run, pid == -ENOENT ? FT_EXIT_MISSING : 1);
}

static void on_wire(struct ft_member *member, char *message, size_t length)
{
    struct ft_wire_head *head = (void *)message;
    int fd = -1;

    if (length < sizeof(*head) || head->length != length - sizeof(*head))
        return;
    if (member->rank == 0 && head->type == FT_WIRE_SNAPSHOT &&
        head->length >= sizeof(struct ft_wire_snapshot))
        release_feed(member->run, &((struct ft_wire_snapshot *)(void *)(head + 1))->stdin_left);
    if (member->rank == 0 && head->type == FT_WIRE_LEFT &&
        head->length >= sizeof(struct ft_wire_left))
        release_feed(member->run, &((struct ft_wire_left *)(void *)(head + 1))->stdin_left);
    if (ft_rank_is_heard(member))
        ft_message_handle(member, message, length, &fd);
}

static void on_lines(struct ft_member *member, uint64_t which, const char *lines, size_t length)
{
    char *page = (char *)member->recorder;

    for (int i = 0; i < FT_AGENT_LINES_MAX && length >= FT_AGENT_LINE; i++) {
        if (!(which >> i & 1))
            continue;
        memcpy(page + i * FT_AGENT_LINE, lines, FT_AGENT_LINE);
        lines += FT_AGENT_LINE;
        length -= FT_AGENT_LINE;
    }
}

static void on_output(struct ft_member *member, int stream, const char *data, size_t length)
{
    struct ft_run *run = member->run;

    ft_output_detain(run->output, member->rank, 1, member->recorder->starting != 0);
    ft_output_feed(run->output, member->rank, stream, data, length);
    ft_output_watch(run);
}

static void on_gone(struct ft_member *member)
{
    member->group = 0;
    ft_leave_check(member->run);
    ft_epoch_check(member->run);
}

/* Outcomes that ftrun cannot keep would be missing in the other copy's next life. */
static void check_kept(const struct ft_member *member)
{
    if (member->pair && member->records)
        ft_finish(member->run, 1);
}

/* The text of a message, which ends with a zero; "": there is none. */
static const char *text_of(const void *body, size_t length)
{
    const char *text = body;

    return length && !text[length - 1] ? text : "";
}

static void on_member(struct ft_member *member, const struct ft_agent_head *head, char *body,
                      size_t length)
{
    struct ft_run *run = member->run;

    switch (head->type) {
    case FT_AGENT_STARTED:
        on_started(member, head->value, body, length);
        break;
    case FT_AGENT_WIRE:
        on_wire(member, body, length);
        break;
    case FT_AGENT_LINES:
        on_lines(member, (uint64_t)head->value, body, length);
        break;
    case FT_AGENT_OUTCOMES:
        ft_ring_take(member, (uint64_t)head->value, body, length);
        check_kept(member);
        break;
    case FT_AGENT_MARKS:
        ft_ring_take_marks(member, (uint64_t)head->value, body, length);
        break;
    case FT_AGENT_MADE:
        ft_ring_made(member, (uint64_t)head->value, (const void *)body, length);
        check_kept(member);
        ft_node_tell(member->node, FT_AGENT_SAFE, member->rank, member->life, head->value, NULL, 0);
        break;
    case FT_AGENT_OUTPUT:
        on_output(member, head->value != 0, body, length);
        break;
    case FT_AGENT_TAKEN:
        run->away->fed -= head->value;
        watch_feed(run);
        break;
    case FT_AGENT_EXITED:
        ft_recover_note(member, (int)head->value);
        ft_recover_reap(run);
        break;
    case FT_AGENT_SAVED:
        if (member->lent == FT_LENT_ASKED)
            member->lent = head->value ? FT_LENT_FAILED : FT_LENT_SAVED;
        break;
    case FT_AGENT_USED:
        member->away_used = (double)head->value / 1e6;
        break;
    case FT_AGENT_GONE:
        on_gone(member);
        break;
    case FT_AGENT_FETCHED:
        ft_fetch_heard(member, head->value, text_of(body, length));
    }
}

static void on_heard(void *context, struct ft_node *node, const struct ft_agent_head *head,
                     const void *body, size_t length)
{
    struct ft_run *run = context;
    int32_t status;

    if (head->rank >= 0 && head->rank < run->size) {
        struct ft_member *member = &run->members[head->rank];

        if (member->node == node && member->life == head->life)
            on_member(member, head, (char *)(uintptr_t)body, length);
    } else if (head->type == FT_AGENT_PMI) {
        on_pmi(run, head->life, body, length);
    } else if (head->type == FT_AGENT_QUIET) {
        node->answered = head->value;
    } else if (head->type == FT_AGENT_STOP) {
        ft_finish_stop(ft_run_first(run), "SIGTERM");
    } else if (head->type == FT_AGENT_READY) {
        ft_fetch_ready(run, node, body, length);
    } else if (head->type == FT_AGENT_COPIED) {
        if (ft_spread_copied(run, node, head->value, text_of(body, length)))
            ft_finish_stopped(run);
    } else if (head->type == FT_AGENT_CHILD && length == sizeof(status)) {
        memcpy(&status, body, sizeof(status));
        ft_recover_child(run, node, (pid_t)head->value, status);
    }
}

void ft_away_ask(struct ft_run *run)
{
    if (!run->away)
        return;
    run->away->question++;
    for (int i = 0; i < run->nodes->count; i++)
        ft_node_tell(&run->nodes->node[i], FT_AGENT_ASK, -1, 0, run->away->question, NULL, 0);
}

int ft_away_is_open(const struct ft_run *run)
{
    for (int i = 0; run->away && i < run->nodes->count; i++) {
        const struct ft_node *node = &run->nodes->node[i];

        if (!node->lost && node->answered < run->away->question)
            return 1;
    }
    return 0;
}

/* The node that has most room: the fewest ranks for its slots. NULL: all are lost. */
static struct ft_node *find_room(struct ft_run *run)
{
    struct ft_node *best = NULL;

    for (int i = 0; i < run->nodes->count; i++) {
        struct ft_node *node = &run->nodes->node[i];

        if (!node->lost && (!best || node->ranks * best->slots < best->ranks * node->slots))
            best = node;
    }
    return best;
}

/* Everything on the node is gone: the processes, recorders, and images of survivors. */
static void bury(struct ft_member *member)
{
    if (member->left)
        ft_cluster_fall(member->cluster);
    member->lent = FT_LENT_NOT;
    member->left = member->group = member->writer = member->holds = 0;
    member->lost = ft_run_contains(member->run) ? FT_LOST_NODE : FT_LOST_NOTHING;
    ft_away_close(member);
    if (member->pid > 0)
        ft_recover_note(member, SIGKILL);
}

static int ends_node(const struct ft_run *run, const struct ft_fault *fault,
                     const struct ft_node *node)
{
    return fault->order.kind == FT_FAULT_NODE && !fault->settled && fault->copy == run->copy &&
           run->members[fault->rank].node == node;
}

/* Orders for the whole node that come from one place of the plan are carried out; text: it; NULL:
 * from all places. */
static void settle_orders(struct ft_run *run, const struct ft_node *node, const char *text)
{
    struct ft_faults *faults = ft_run_faults(run);

    for (size_t i = 0; i < faults->count; i++) {
        struct ft_fault *fault = &faults->list[i];

        if (!ends_node(run, fault, node) || (text && strcmp(text, fault->text) != 0))
            continue;
        fault->done = (uint32_t)fault->order.times;
        fault->settled = 1;
    }
}

/* The recorders that say which order was carried out are lost. FIRED may have told it, or may be
 * lost with them; then it may be any. */
static void note_orders(struct ft_run *run, const struct ft_node *node)
{
    struct ft_faults *faults = ft_run_faults(run);
    int known = 0;

    for (size_t i = 0; i < faults->count; i++) {
        if (!ends_node(run, &faults->list[i], node) || !faults->list[i].done)
            continue;
        settle_orders(run, node, faults->list[i].text);
        known = 1;
    }
    if (!known)
        settle_orders(run, node, NULL);
}

/* Its ranks go where most room is left, and those of a cluster to one node while it has slots.
 * -1: there is none. */
static int move(struct ft_run *run, struct ft_node *from)
{
    const struct ft_cluster *cluster = NULL;
    struct ft_node *to = NULL;

    for (int i = 0; i < run->size; i++) {
        if (run->at[i] != from->number)
            continue;
        if (run->members[i].cluster != cluster || to->ranks >= to->slots)
            to = find_room(run);
        if (!to)
            return -1;
        cluster = run->members[i].cluster;
        from->ranks--;
        to->ranks++;
        run->at[i] = to->number;
        run->members[i].node = to;
        ft_events_emit(run->events, "move", "{s:i, s:s, s:s}", "rank", i, "from", from->name, "to",
                       to->name);
    }
    return 0;
}

static void on_lost(void *context, struct ft_node *node, const char *why)
{
    struct ft_run *run = context;
    int ranks = node->ranks;

    ft_events_emit(run->events, "node-lost", "{s:s, s:i, s:s, s:f}", "node", node->name, "ranks",
                   ranks, "reason", why, "detection",
                   node->silent > 0 ? ft_loop_now() - node->heard : 0);
    ft_say("node %s is lost: %s", node->name, why);
    for (int i = 0; i < run->size; i++) {
        if (run->at[i] != node->number)
            continue;
        run->together |= ft_run_contains(run) && run->members[i].records;
        bury(&run->members[i]);
    }
    note_orders(run, node);
    ft_near_lose(run, node);
    for (int i = 0; run->near.of && i < run->parts; i++) /* there are fewer copies now */
        run->part[i]->checkpoint.wanted = 1;
    if (run->together && run->state != FT_RUN_ENDING)
        ft_clusters_fall(run, "outcomes of non-deterministic calls were lost with the node");
    if (ranks && run->state != FT_RUN_ENDING && move(run, node) && !ft_copies_lose(run)) {
        ft_say("no node is left to run on");
        ft_finish(run, FT_EXIT_LATER);
    }
    ft_recover_reap(run);
    if (ft_spread_lost(run, node)) /* those whose ranks have not died */
        ft_finish_stopped(run);
}

static void on_ready(void *context)
{
    struct ft_run *run = context;

    for (int i = 0; i < run->nodes->count; i++)
        ft_events_emit(run->events, "node", "{s:s, s:i, s:i}", "node", run->nodes->node[i].name,
                       "slots", run->nodes->node[i].slots, "ranks", run->nodes->node[i].ranks);
    if (run->state != FT_RUN_ENDING && !run->copy) /* the second copies begin with images */
        ft_recover_begin(run);
}

static void on_failed(void *context, const char *why)
{
    ft_say("%s", why);
    ft_finish(context, 1);
}

int ft_away_create(struct ft_run *run)
{
    struct ft_nodes_options options = {.hosts = &run->hosts,
                                       .launcher = run->options.launcher,
                                       .heartbeat = run->options.heartbeat};
    const struct ft_nodes_calls calls = {.ready = on_ready,
                                         .failed = on_failed,
                                         .lost = on_lost,
                                         .heard = on_heard,
                                         .say = ft_say,
                                         .context = run};
    int code;

    run->away = calloc(1, sizeof(*run->away));
    code = run->away ? ft_nodes_create(run->loop, &options, &calls, &run->nodes) : -ENOMEM;
    if (code)
        return code;
    run->away->feed = -1;
    for (int i = 0; i < run->size; i++) {
        run->members[i].node = &run->nodes->node[run->at[i]];
        run->members[i].node->ranks++;
    }
    return 0;
}

static void print_string(FILE *out, const char *text)
{
    fwrite(text, 1, strlen(text) + 1, out);
}

static int count_strings(char *const *strings)
{
    int count = 0;

    while (strings[count])
        count++;
    return count;
}

int ft_away_launch(struct ft_run *run)
{
    const struct ft_program *program = &run->program;
    struct ft_run *first = ft_run_first(run);
    struct ft_agent_job job = {.size = run->size,
                               .copy = run->twin ? run->copy : -1,
                               .fixed = first->starter.fixed,
                               .restart = first->starter.restart,
                               .words = count_strings(program->argv),
                               .names = count_strings(program->envp),
                               .stack_limit = program->stack_limit,
                               .ring = (uint64_t)ft_ring_bytes(run),
                               .heartbeat = run->options.heartbeat};
    char path[FT_STORE_PATH], *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    int code;

    if (!out)
        return -ENOMEM;
    fwrite(&job, sizeof(job), 1, out);
    print_string(out, program->path);
    print_string(out, program->starter ? program->starter : "");
    print_string(out, program->cwd);
    print_string(out, run->folder);
    ft_store_file(first->store, "environ", path);
    print_string(out, path);
    print_string(out, run->near.folder);
    for (int i = 0; i < job.words; i++)
        print_string(out, program->argv[i]);
    for (int i = 0; i < job.names; i++)
        print_string(out, program->envp[i]);
    code = fclose(out) ? -ENOMEM : ft_nodes_start(run->nodes, text, length);
    free(text);
    return code;
}

void ft_away_sweep(struct ft_run *run)
{
    for (int i = 0; run->nodes && i < run->nodes->count; i++)
        ft_node_tell(&run->nodes->node[i], FT_AGENT_SWEEP, -1, 0, 0, NULL, 0);
}

void ft_away_destroy(struct ft_run *run)
{
    if (!run->away)
        return;
    close_feed(run);
    if (run->nodes)
        run->nodes->stays = run->keep_store;
    ft_nodes_destroy(run->nodes);
    ft_near_destroy(run);
    free(run->away->puts);
    free(run->away);
}

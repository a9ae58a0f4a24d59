/* One record per event, in the order of the rank's calls (format.h). A receive's record is written
 * when it is posted and completed when it is matched: so the file has receives in posting order,
 * which is what the reader needs to tell which message each of them took. */
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/files.h"
#include "os/os.h"
#include "pattern/pattern.h"
#include "trace/content.h"
#include "trace/file.h"

enum {
    POLLED = 16,     /* sites whose fruitless polls are counted at a time */
    CANDIDATES = 64, /* sources that are asked before one is chosen */
    GATHERINGS = 8,  /* looks until there are several candidates */
    NAP = 100        /* microseconds between them */
};

#define TICK 16e-6 /* seconds */

struct ft_trace {
    struct ft_trace_file file;
    struct ft_perturb perturb;
    double base; /* ft_os_now of the run's start, the same on all ranks */
    struct {
        uint32_t site;
        uint16_t call;
        uint64_t address, count;
    } polled[POLLED];
    int sites_polled; /* entries of polled */
};

static uint32_t ticks_since(double base)
{
    double ticks = (ft_os_now() - base) / TICK;

    return ticks < 0 ? 0 : ticks > 4294967294.0 ? UINT32_MAX : (uint32_t)ticks;
}

_Noreturn static void cannot_write(struct ft_rank *self, int code)
{
    char text[256];

    snprintf(text, sizeof text,
             "the trace of this run cannot be written: %s; free some room, name another --store, "
             "or verify a shorter run",
             strerror(code));
    ft_refuse("ftrun --verify", (const void *)(uintptr_t)self->recorder->site, text);
}

/* A record with what every kind has. */
static struct ft_trace_record *add(struct ft_rank *self, enum ft_trace_kind kind)
{
    struct ft_trace *trace = self->trace;
    struct ft_trace_record *record = ft_trace_file_add(&trace->file);
    struct ft_pattern_place place = ft_pattern_now(self);

    if (!record)
        cannot_write(self, errno);
    *record = (struct ft_trace_record){.call = (uint16_t)self->recorder->call,
                                       .site = self->mark,
                                       .address = self->recorder->site,
                                       .peer = -1,
                                       .time = ticks_since(trace->base),
                                       .pattern = place.pattern,
                                       .iteration = place.iteration};
    record->kind = (uint8_t)kind;
    return record;
}

/* Writes the polls before an event down: what was sent may depend on them. */
static void flush_polls(struct ft_rank *self)
{
    struct ft_trace *trace = self->trace;

    for (int i = 0; i < trace->sites_polled; i++) {
        struct ft_trace_record *record = add(self, FT_TRACE_POLLS);

        record->site = trace->polled[i].site;
        record->call = trace->polled[i].call;
        record->address = trace->polled[i].address;
        record->size = trace->polled[i].count;
    }
    trace->sites_polled = 0;
}

static struct ft_trace_record *begin(struct ft_rank *self, enum ft_trace_kind kind)
{
    if (self->trace->sites_polled)
        flush_polls(self);
    return add(self, kind);
}

static void count_poll(struct ft_rank *self)
{
    struct ft_trace *trace = self->trace;
    int i = 0;

    while (i < trace->sites_polled && (trace->polled[i].address != self->recorder->site ||
                                       trace->polled[i].site != self->mark))
        i++;
    if (i == POLLED) {
        flush_polls(self);
        i = 0;
    }
    if (i == trace->sites_polled) {
        trace->polled[i].address = self->recorder->site;
        trace->polled[i].site = self->mark;
        trace->polled[i].call = (uint16_t)self->recorder->call;
        trace->polled[i].count = 0;
        trace->sites_polled++;
    }
    trace->polled[i].count++;
}

static void delay(struct ft_rank *self, enum ft_perturb_kind kind, int peer)
{
    struct ft_perturb *perturb = &self->trace->perturb;

    ft_perturb_wait(perturb, ft_perturb_delay(perturb, kind, peer), self->calls - self->polls);
}

void ft_trace_start(struct ft_rank *self)
{
    const struct ft_wire_boot *boot = &ft_life.boot;
    struct ft_trace *trace;
    int fd, code;

    if (!boot->trace[0])
        return;
    trace = calloc(1, sizeof *trace);
    fd = open(boot->trace, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (!trace || fd < 0)
        ft_panic("%s: %s", boot->trace, strerror(errno));
    code = ft_trace_file_open(&trace->file, ft_files_own(fd));
    if (code != 0)
        cannot_write(self, -code);
    trace->base = boot->begun;
    ft_perturb_start(&trace->perturb, boot->seed, self->rank, self->size);
    trace->perturb.budget = boot->waiting;
    trace->perturb.expected = boot->progress;
    self->trace = trace;
    struct ft_trace_record *head = add(self, FT_TRACE_HEAD);
    head->size = FT_TRACE_VERSION;
    head->peer = self->rank;
}

void ft_trace_end(struct ft_rank *self)
{
    begin(self, FT_TRACE_COLLECTIVE)->flags = FT_TRACE_FINAL;
    ft_trace_file_close(&self->trace->file);
    free(self->trace);
    self->trace = NULL;
}

void ft_trace_send(struct ft_rank *self, const struct ft_comm *comm, const void *buffer, int count,
                   MPI_Datatype type, int dest, int tag)
{
    int valid = dest >= 0 && dest < comm->peers;
    struct ft_trace_record *record;

    if (valid)
        delay(self, FT_PERTURB_SEND, comm->world[dest]);
    record = begin(self, valid ? FT_TRACE_SEND : FT_TRACE_VOID);
    if (!valid)
        return;
    record->comm = comm->id;
    record->peer = comm->world[dest];
    record->tag = tag;
    ft_content(self, comm, buffer, count, type, &record->size, &record->hash);
}

void ft_trace_unsend(struct ft_rank *self)
{
    struct ft_trace_record record;
    uint64_t last = self->trace->file.count - 1;

    ft_trace_file_get(&self->trace->file, last, &record);
    record.kind = FT_TRACE_VOID;
    ft_trace_file_put(&self->trace->file, last, &record);
}

static int is_waiting(const struct ft_comm *comm, int source, int tag)
{
    int flag = 0;

    return PMPI_Iprobe(source, tag, comm->real, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag;
}

/* The sources that have a message for (any source, tag) waiting. With very many ranks, a window
 * of them. */
static int list_candidates(const struct ft_comm *comm, int tag, int from, int candidate[CANDIDATES])
{
    int count = 0, last = comm->peers < CANDIDATES ? comm->peers : CANDIDATES;

    for (int i = 0; i < last; i++) {
        int source = (from + i) % comm->peers;

        if (is_waiting(comm, source, tag))
            candidate[count++] = source;
    }
    return count;
}

int ft_trace_choose(struct ft_rank *self, const struct ft_comm *comm, int source, int tag)
{
    struct ft_perturb *perturb = &self->trace->perturb;
    int candidate[CANDIDATES], count = 0, from;
    uint64_t bits;

    if (source != MPI_ANY_SOURCE || !perturb->seed || comm->peers == 0)
        return source;
    bits = ft_perturb_choose(perturb, FT_PERTURB_GATHER);
    if (bits % 4 == 0)
        return source;
    from = (int)((bits >> 8) % (unsigned)comm->peers);
    for (int look = 0; look < (bits % 4 == 1 ? GATHERINGS : 1) && count < 2; look++) {
        if (look > 0)
            ft_perturb_wait(perturb, NAP, self->calls - self->polls);
        count = list_candidates(comm, tag, from, candidate);
    }
    return count > 0 ? candidate[ft_perturb_pick(perturb, count)] : source;
}

static void note_asked(struct ft_trace_record *record, const struct ft_comm *comm, int source,
                       int tag)
{
    record->comm = comm->id;
    record->asked_source = source;
    record->asked_tag = tag;
    record->flags |= (uint8_t)((source == MPI_ANY_SOURCE ? FT_TRACE_ANY_SOURCE : 0) |
                               (tag == MPI_ANY_TAG ? FT_TRACE_ANY_TAG : 0));
}

static void note_match(struct ft_trace_record *record, const struct ft_comm *comm,
                       const MPI_Status *status)
{
    MPI_Count bytes = 0;

    if (status->MPI_SOURCE < 0 || status->MPI_SOURCE >= comm->peers)
        return;
    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    record->peer = comm->world[status->MPI_SOURCE];
    record->tag = status->MPI_TAG;
    record->size = (uint64_t)bytes;
    record->flags |= FT_TRACE_MATCHED;
}

int ft_trace_recv(struct ft_rank *self, const struct ft_comm *comm, int source, int tag,
                  uint64_t *index)
{
    int named = source >= 0 && source < comm->peers ? comm->world[source] : -1;
    struct ft_trace_record *record;
    int asked;

    delay(self, FT_PERTURB_RECV, named);
    asked = ft_trace_choose(self, comm, source, tag);
    record = begin(self, FT_TRACE_RECV);
    note_asked(record, comm, source, tag);
    record->peer = named;
    *index = self->trace->file.count - 1;
    return asked;
}

void ft_trace_match(struct ft_rank *self, const struct ft_comm *comm, uint64_t index,
                    const MPI_Status *status, int cancelled)
{
    struct ft_trace_record record;
    int code;

    if (!self->trace)
        return;
    code = ft_trace_file_get(&self->trace->file, index, &record);
    if (cancelled)
        record.flags |= FT_TRACE_CANCELLED;
    else if (status)
        note_match(&record, comm, status);
    else
        record.kind = FT_TRACE_VOID;
    if (code == 0)
        code = ft_trace_file_put(&self->trace->file, index, &record);
    if (code != 0)
        cannot_write(self, -code);
}

int ft_trace_skips(struct ft_rank *self)
{
    delay(self, FT_PERTURB_POLL, -1);
    return ft_perturb_skips(&self->trace->perturb);
}

void ft_trace_probe(struct ft_rank *self, const struct ft_comm *comm, int source, int tag,
                    const MPI_Status *status, int matched)
{
    struct ft_trace_record *record = begin(self, matched ? FT_TRACE_RECV : FT_TRACE_PROBE);

    note_asked(record, comm, source, tag);
    note_match(record, comm, status);
}

void ft_trace_poll(struct ft_rank *self)
{
    count_poll(self);
}

void ft_trace_choice(struct ft_rank *self, int taken, int first, uint64_t hash)
{
    struct ft_trace_record *record;

    if (taken == 0) {
        count_poll(self);
        return;
    }
    record = begin(self, FT_TRACE_CHOICE);
    record->peer = first;
    record->asked_tag = taken;
    record->size = hash;
}

int ft_trace_pick(struct ft_rank *self, int count)
{
    return ft_perturb_pick(&self->trace->perturb, count);
}

int ft_trace_linger(struct ft_rank *self)
{
    struct ft_perturb *perturb = &self->trace->perturb;
    uint64_t bits;

    delay(self, FT_PERTURB_COMPLETION, -1);
    bits = ft_perturb_choose(perturb, FT_PERTURB_GATHER);
    return perturb->seed && bits % 3 == 0 ? GATHERINGS : 0;
}

void ft_trace_nap(struct ft_rank *self)
{
    ft_perturb_wait(&self->trace->perturb, NAP, self->calls - self->polls);
}

void ft_trace_collective_note(struct ft_rank *self, const struct ft_comm *comm, int root,
                              const void *buffer, int64_t count, MPI_Datatype type)
{
    struct ft_trace_record *record;

    delay(self, FT_PERTURB_COLLECTIVE, -1);
    record = begin(self, FT_TRACE_COLLECTIVE);
    record->comm = comm->id;
    record->peer = root;
    ft_content(self, comm, buffer, count, type, &record->size, &record->hash);
}

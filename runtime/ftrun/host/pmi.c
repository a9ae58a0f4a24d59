/* The process manager of the ranks' MPI library (pmi.h).
 *
 * Invariant: the library sends one request at a time and waits for its answer, so a connection
 * never holds more than one line that is not answered, and an answer always fits into the socket.
 */
#include "host/pmi.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uthash.h>

enum { KEY_BYTES = 64, VALUE_BYTES = 1024, LINE_BYTES = 2048 }; /* hydra's limits */

struct connection {
    struct ft_pmi *pmi;
    int fd;      /* ftrun's end, -1: closed */
    int waiting; /* 1: in the barrier */
    size_t used; /* bytes of `line` */
    char line[LINE_BYTES];
};

struct entry {
    char *value;
    UT_hash_handle hh;
    char key[]; /* the hash's key; the value lies behind it */
};

struct ft_pmi {
    struct ft_loop *loop;
    int size;          /* ranks */
    int here;          /* of them, those that this process manager serves in this epoch */
    int waiting;       /* connections in the barrier */
    ft_pmi_full *full; /* NULL: it serves all ranks */
    void *context;     /* of `full` */
    char *puts;        /* with `full`: entries since the last barrier */
    size_t put_bytes;
    struct entry *space; /* a uthash of the epoch's keys */
    struct connection connections[];
};

static void hang_up(struct connection *connection)
{
    if (connection->fd < 0)
        return;
    ft_loop_forget(connection->pmi->loop, connection->fd);
    close(connection->fd);
    connection->pmi->waiting -= connection->waiting;
    connection->fd = -1;
    connection->waiting = 0;
    connection->used = 0;
}

/* A rank that has died is noticed by waitpid; here its connection is closed, and nothing else. */
static void answer(struct connection *connection, const char *text)
{
    size_t length = strlen(text);

    if (send(connection->fd, text, length, MSG_NOSIGNAL) != (ssize_t)length)
        hang_up(connection);
}

/* The word behind "NAME=" in a request, copied into word[size]; the value of a put goes on to the
 * end of the line. Returns 0 when there is none, or it does not fit. */
static int word_of(const char *line, const char *name, int to_end, char *word, size_t size)
{
    size_t skip = strlen(name);
    const char *at = line;

    while ((at = strstr(at, name)) && at != line && at[-1] != ' ')
        at += skip;
    if (!at)
        return 0;
    at += skip;
    size_t length = to_end ? strlen(at) : strcspn(at, " ");
    if (length >= size)
        return 0;
    memcpy(word, at, length);
    word[length] = 0;
    return 1;
}

static int put(struct ft_pmi *pmi, const char *key, const char *value)
{
    size_t keys = strlen(key) + 1, values = strlen(value) + 1;
    struct entry *old, *entry = malloc(sizeof(*entry) + keys + values);

    if (!entry)
        return -ENOMEM;
    memcpy(entry->key, key, keys);
    entry->value = entry->key + keys;
    memcpy(entry->value, value, values);
    HASH_REPLACE_STR(pmi->space, key, entry, old);
    free(old);
    return 0;
}

/* Notes a pair that other nodes are told at the barrier. 0 or -ENOMEM. */
static int note_put(struct ft_pmi *pmi, const char *key, const char *value)
{
    size_t length = strlen(key) + strlen(value) + 2;
    char *puts = pmi->full ? realloc(pmi->puts, pmi->put_bytes + length + 1) : NULL;

    if (!pmi->full)
        return 0;
    if (!puts)
        return -ENOMEM;
    sprintf(puts + pmi->put_bytes, "%s %s\n", key, value);
    pmi->puts = puts;
    pmi->put_bytes += length;
    return 0;
}

static void answer_put(struct connection *connection, const char *line)
{
    char key[KEY_BYTES + 1], value[VALUE_BYTES + 1];

    if (!word_of(line, "key=", 0, key, sizeof(key)) ||
        !word_of(line, "value=", 1, value, sizeof(value)) || put(connection->pmi, key, value) ||
        note_put(connection->pmi, key, value))
        answer(connection, "cmd=put_result rc=-1 msg=refused\n");
    else
        answer(connection, "cmd=put_result rc=0 msg=success\n");
}

static void answer_get(struct connection *connection, const char *line)
{
    char key[KEY_BYTES + 1], text[VALUE_BYTES + 64];
    struct entry *entry = NULL;

    if (word_of(line, "key=", 0, key, sizeof(key)))
        HASH_FIND_STR(connection->pmi->space, key, entry);
    if (entry)
        snprintf(text, sizeof(text), "cmd=get_result rc=0 msg=success value=%s\n", entry->value);
    else
        snprintf(text, sizeof(text), "cmd=get_result rc=-1 msg=not_found value=unknown\n");
    answer(connection, text);
}

static void leave_barrier(struct ft_pmi *pmi)
{
    pmi->waiting = 0;
    for (int i = 0; i < pmi->size; i++)
        pmi->connections[i].waiting = 0;
    for (int i = 0; i < pmi->size; i++) {
        if (pmi->connections[i].fd >= 0)
            answer(&pmi->connections[i], "cmd=barrier_out\n");
    }
}

static void enter_barrier(struct connection *connection)
{
    struct ft_pmi *pmi = connection->pmi;

    connection->waiting = 1;
    if (++pmi->waiting < pmi->here)
        return;
    if (!pmi->full) {
        leave_barrier(pmi);
        return;
    }
    size_t length = pmi->put_bytes;
    pmi->put_bytes = 0;
    pmi->full(pmi->context, pmi->puts, length);
}

static void answer_size(struct connection *connection)
{
    char text[64];

    snprintf(text, sizeof(text), "cmd=universe_size size=%d\n", connection->pmi->size);
    answer(connection, text);
}

/* One request. */
static void serve(struct connection *connection, const char *line)
{
    char command[32];

    if (!word_of(line, "cmd=", 0, command, sizeof(command)))
        hang_up(connection);
    else if (!strcmp(command, "put"))
        answer_put(connection, line);
    else if (!strcmp(command, "get"))
        answer_get(connection, line);
    else if (!strcmp(command, "barrier_in"))
        enter_barrier(connection);
    else if (!strcmp(command, "init"))
        answer(connection, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
    else if (!strcmp(command, "get_maxes"))
        answer(connection, "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\n");
    else if (!strcmp(command, "get_appnum"))
        answer(connection, "cmd=appnum appnum=0\n");
    else if (!strcmp(command, "get_my_kvsname"))
        answer(connection, "cmd=my_kvsname kvsname=ftrun\n");
    else if (!strcmp(command, "get_universe_size"))
        answer_size(connection);
    else if (!strcmp(command, "finalize"))
        answer(connection, "cmd=finalize_ack\n");
    else /* "abort", before the rank ends by itself; or unknown */
        hang_up(connection);
}

static void hear(void *context, uint32_t events)
{
    struct connection *connection = context;
    ssize_t length = recv(connection->fd, connection->line + connection->used,
                          sizeof(connection->line) - 1 - connection->used, MSG_DONTWAIT);
    char *end;

    (void)events;
    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (length <= 0) { /* a line that is too long leaves no room, so its length is 0, too */
        hang_up(connection);
        return;
    }
    connection->used += (size_t)length;
    connection->line[connection->used] = 0;
    while (connection->fd >= 0 && (end = strchr(connection->line, '\n'))) {
        size_t line = (size_t)(end + 1 - connection->line);

        *end = 0;
        serve(connection, connection->line);
        if (connection->fd < 0)
            return;
        memmove(connection->line, end + 1, connection->used - line + 1);
        connection->used -= line;
    }
}

int ft_pmi_create(struct ft_loop *loop, int size, struct ft_pmi **out)
{
    struct ft_pmi *pmi = calloc(1, sizeof(*pmi) + (size_t)size * sizeof(pmi->connections[0]));

    if (!pmi)
        return -ENOMEM;
    pmi->loop = loop;
    pmi->size = size;
    for (int i = 0; i < size; i++) {
        pmi->connections[i].pmi = pmi;
        pmi->connections[i].fd = -1;
    }
    *out = pmi;
    return 0;
}

static void forget_all(struct ft_pmi *pmi)
{
    struct entry *entry, *next;

    for (int i = 0; i < pmi->size; i++)
        hang_up(&pmi->connections[i]);
    HASH_ITER (hh, pmi->space, entry, next) {
        HASH_DEL(pmi->space, entry);
        free(entry);
    }
    pmi->put_bytes = 0;
}

void ft_pmi_destroy(struct ft_pmi *pmi)
{
    if (!pmi)
        return;
    forget_all(pmi);
    free(pmi->puts);
    free(pmi);
}

void ft_pmi_begin(struct ft_pmi *pmi)
{
    char mapping[64];

    forget_all(pmi);
    pmi->here = pmi->size;
    pmi->full = NULL;
    /* One node with all ranks: MPICH need not compare host names (src/util/mpir_pmi.c). Without
     * memory for the entry it does. */
    snprintf(mapping, sizeof(mapping), "(vector,(0,1,%d))", pmi->size);
    put(pmi, "PMI_process_mapping", mapping);
}

void ft_pmi_begin_part(struct ft_pmi *pmi, int ranks, const char *mapping, ft_pmi_full *full,
                       void *context)
{
    forget_all(pmi);
    pmi->here = ranks;
    pmi->full = full;
    pmi->context = context;
    if (*mapping)
        put(pmi, "PMI_process_mapping", mapping);
}

/* One entry of another node: "KEY VALUE". */
static int take_entry(struct ft_pmi *pmi, const char *line, size_t length)
{
    char text[KEY_BYTES + VALUE_BYTES + 2], *value;

    if (length >= sizeof(text))
        return -EPROTO;
    memcpy(text, line, length);
    text[length] = 0;
    if (!(value = strchr(text, ' ')))
        return -EPROTO;
    *value++ = 0;
    return put(pmi, text, value);
}

int ft_pmi_share(struct ft_pmi *pmi, const char *puts, size_t length)
{
    const char *end, *last = puts + length;
    int code = 0;

    for (; !code && puts < last; puts = end + 1) {
        if (!(end = memchr(puts, '\n', (size_t)(last - puts))))
            return -EPROTO;
        code = take_entry(pmi, puts, (size_t)(end - puts));
    }
    if (!code)
        leave_barrier(pmi);
    return code;
}

int ft_pmi_open(struct ft_pmi *pmi, int rank)
{
    struct connection *connection = &pmi->connections[rank];
    int pair[2];

    hang_up(connection);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return -errno;
    int code = ft_loop_watch(pmi->loop, pair[0], EPOLLIN, hear, connection);
    if (code) {
        close(pair[0]);
        close(pair[1]);
        return code;
    }
    connection->fd = pair[0];
    return pair[1];
}

size_t ft_pmi_variables(const struct ft_pmi *pmi, int rank, int local, char *text, unsigned *count)
{
    int length = snprintf(text, FT_PMI_VARIABLES,
                          "PMI_RANK=%d%cPMI_SIZE=%d%cMPI_LOCALRANKID=%d%cMPI_LOCALNRANKS=%d", rank,
                          0, pmi->size, 0, local, 0, pmi->here);

    *count = 4;
    return (size_t)length + 1;
}

/* local: the node's own folder of checkpoints (--local), which is a store of its own.
 *
 * The agent itself must neither wait for a disk nor for another node, because it answers for all of
 * its ranks and beats. So children carry images (carry.c): one that sends, one for each image that
 * comes, one for each connection of another agent, one that removes. A child dies with the agent,
 * and says through a pipe why it has failed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utlist.h>
#include "agent/agent.h"
#include "agent/carry.h"
#include "console/say.h"
#include "host/spawn.h"
#include "store/store.h"

enum { SERVED = 64 };                       /* connections at a time */
static const uint64_t least_room = 1 << 20; /* bytes that must be free at the start */

struct ft_held { /* a message */
    struct ft_held *next;
    size_t length;
    char message[];
};

struct ft_local_job { /* a child */
    pid_t pid;
    int words; /* read end of its pipe */
    enum { COPY, FETCH, SERVE, REMOVE } kind;
    uint32_t checkpoint;
    struct ft_agent_rank *rank; /* of FETCH; NULL: nobody waits for it any more */
    struct ft_local_job *next;
};

struct ft_local {
    struct ft_agent *agent;
    struct ft_store *store;
    unsigned char secret[FT_LINK_SECRET]; /* of connections between agents */
    int listener, port;
    struct ft_local_job *jobs;
    int served, removes, more; /* children of these kinds; something is to be removed after them */
};

static const char *folder_of(const struct ft_local *local)
{
    return ft_store_path(local->store);
}

/* Is there room, in a folder that is there? 0 or -errno with a sentence. */
static int check_folder(const char *folder, char *why, size_t size)
{
    char parent[FT_STORE_PATH];
    struct statvfs room;

    snprintf(parent, sizeof(parent), "%s", folder);
    *strrchr(parent, '/') = 0;
    if (statvfs(parent, &room)) {
        int code = -errno;

        snprintf(why, size, "--local %s: %s", parent, strerror(errno));
        return code;
    }
    if (room.f_bavail * room.f_frsize >= least_room)
        return 0;
    snprintf(why, size, "--local %s: there is no room", parent);
    return -ENOSPC;
}

/* Other agents connect to the address that this one has for the coordinator. 0 or -errno. */
static int listen_on(struct ft_local *local)
{
    struct sockaddr_storage *own = &local->agent->own;
    socklen_t size =
        own->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    struct sockaddr_in *four = (void *)own;
    struct sockaddr_in6 *six = (void *)own;
    in_port_t *port = own->ss_family == AF_INET6 ? &six->sin6_port : &four->sin_port;

    *port = 0;
    local->listener = socket(own->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (local->listener < 0 || bind(local->listener, (struct sockaddr *)own, size) ||
        listen(local->listener, SERVED) ||
        getsockname(local->listener, (struct sockaddr *)own, &size))
        return -errno;
    local->port = ntohs(*port);
    return 0;
}

static void on_listener(void *context, uint32_t events);

int ft_local_open(struct ft_agent *agent, const char *folder, char *why, size_t size)
{
    struct ft_local *local = calloc(1, sizeof(*local));
    char reason[FT_STORE_WHY];
    int code = local ? check_folder(folder, why, size) : -ENOMEM;

    if (code) {
        free(local);
        return code;
    }
    agent->local = local;
    local->agent = agent;
    local->listener = -1;
    crypto_generichash(local->secret, sizeof(local->secret), (const unsigned char *)"pieces", 6,
                       agent->secret, sizeof(agent->secret));
    if ((code = ft_store_open(folder, 1, &local->store, reason))) {
        snprintf(why, size, "--local: %s%s", reason,
                 code == -EBUSY ? " (it has to lie on a file system of each node's own)" : "");
        rmdir(folder); /* which is empty if it was made here */
        return code;
    }
    if (!agent->job.restart)
        ft_store_empty(local->store);
    if ((code = listen_on(local)))
        snprintf(why, size, "it cannot listen for other nodes: %s", strerror(-code));
    else
        code = ft_loop_watch(agent->loop, local->listener, EPOLLIN, on_listener, local);
    return code;
}

/* ---- Children ---- */

/* In the child: what it has failed at. */
static _Noreturn void child_end(int words, int code, const char *why)
{
    if (code && write(words, why, strlen(why)) < 0)
        _exit(2);
    _exit(code != 0);
}

/* Starts a child that keeps `fd`. Its number, or 0 in the child, with the end to write to in
 * *words; or -errno. */
static pid_t start_child(struct ft_local *local, struct ft_local_job **out, int fd, int *words)
{
    struct ft_local_job *job = calloc(1, sizeof(*job));
    int ends[2];
    pid_t pid;

    if (!job || pipe2(ends, O_CLOEXEC | O_NONBLOCK)) {
        free(job);
        return -ENOMEM;
    }
    pid = ft_spawn_helper_with(ends[1], fd < 0 ? ends[1] : fd);
    if (pid == 0) {
        *words = ends[1];
        return 0;
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        free(job);
        return pid;
    }
    job->pid = pid;
    job->words = ends[0];
    LL_PREPEND(local->jobs, job);
    *out = job;
    return pid;
}

static void say_copied(struct ft_agent *agent, uint32_t checkpoint, const char *why)
{
    ft_agent_tell(agent, FT_AGENT_COPIED, NULL, checkpoint, why, *why ? strlen(why) + 1 : 0);
}

static int is_copy(const void *body, size_t length)
{
    const struct ft_carry_copy *copy = body;

    return length >= sizeof(*copy) && copy->data > 0 && copy->pieces >= copy->data &&
           copy->pieces <= FT_LEVELS_NODES && copy->count >= 0 &&
           length == sizeof(*copy) + (size_t)copy->count * sizeof(int32_t);
}

void ft_local_copy(struct ft_agent *agent, uint32_t checkpoint, const void *body, size_t length)
{
    struct ft_local *local = agent->local;
    struct ft_carry carry = {.folder = folder_of(local), .secret = local->secret};
    struct ft_local_job *job;
    int words;

    if (!is_copy(body, length))
        return;
    pid_t pid = start_child(local, &job, -1, &words);
    if (pid == 0)
        child_end(words, ft_carry_copy(&carry, checkpoint, body), carry.why);
    if (pid < 0) {
        say_copied(agent, checkpoint, strerror((int)-pid));
        return;
    }
    job->kind = COPY;
    job->checkpoint = checkpoint;
}

static void say_fetched(struct ft_agent_rank *rank, uint32_t checkpoint, const char *why)
{
    ft_agent_tell(rank->agent, FT_AGENT_FETCHED, rank, checkpoint, why, *why ? strlen(why) + 1 : 0);
}

void ft_local_fetch(struct ft_agent_rank *rank, uint32_t checkpoint, const void *body,
                    size_t length)
{
    struct ft_local *local = rank->agent->local;
    const struct ft_carry_fetch *fetch = body;
    struct ft_carry carry = {.folder = folder_of(local), .secret = local->secret};
    struct ft_local_job *job;
    int words;

    if (length != sizeof(*fetch) || fetch->data < 1 || fetch->data > FT_LEVELS_NODES ||
        fetch->pieces < fetch->data || fetch->pieces > FT_LEVELS_NODES)
        return;
    pid_t pid = start_child(local, &job, -1, &words);
    if (pid == 0)
        child_end(words, ft_carry_fetch(&carry, checkpoint, rank->rank, fetch), carry.why);
    if (pid < 0) {
        say_fetched(rank, checkpoint, strerror((int)-pid));
        return;
    }
    job->kind = FETCH;
    job->checkpoint = checkpoint;
    job->rank = rank;
    rank->fetching = job;
}

static void on_listener(void *context, uint32_t events)
{
    struct ft_local *local = context;
    int fd = accept4(local->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), words;
    struct ft_carry carry = {.folder = folder_of(local), .secret = local->secret};
    struct ft_local_job *job;
    pid_t pid;

    (void)events;
    if (fd < 0)
        return;
    if (local->served < SERVED) {
        pid = start_child(local, &job, fd, &words);
        if (pid == 0)
            child_end(words, ft_carry_serve(&carry, fd), carry.why);
        if (pid > 0) {
            job->kind = SERVE;
            local->served++;
        }
    }
    close(fd);
}

static void start_remover(struct ft_local *local)
{
    struct ft_local_job *job;
    int words;
    pid_t pid = start_child(local, &job, -1, &words);

    local->more = 0;
    if (pid <= 0)
        ft_store_clear(local->store); /* here where no process can be made for it */
    if (pid == 0)
        child_end(words, 0, "");
    if (pid < 0)
        return;
    job->kind = REMOVE;
    local->removes++;
}

void ft_local_remove(struct ft_agent *agent, uint32_t checkpoint)
{
    struct ft_local *local = agent->local;
    struct ft_local_job *job;

    LL_FOREACH (local->jobs, job) {
        if (job->kind == COPY && job->checkpoint == checkpoint)
            kill(job->pid, SIGKILL);
    }
    if (!ft_store_drop(local->store, checkpoint))
        return;
    if (local->removes)
        local->more = 1;
    else
        start_remover(local);
}

/* ---- The end of a child ---- */

/* Messages that have waited for the rank's image. */
static void pass_held(struct ft_agent_rank *rank)
{
    struct ft_held *held, *next, *list = rank->waiting;

    rank->waiting = NULL;
    LL_FOREACH_SAFE (list, held, next) {
        ft_agent_wire(rank, held->message, held->length);
        free(held);
    }
}

static void fetched(struct ft_local_job *job, const char *why)
{
    struct ft_agent_rank *rank = job->rank;

    if (!rank)
        return;
    rank->fetching = NULL;
    say_fetched(rank, job->checkpoint, why);
    if (!*why)
        pass_held(rank);
}

int ft_local_reaped(struct ft_agent *agent, pid_t pid, int status)
{
    struct ft_local *local = agent->local;
    struct ft_local_job *job = NULL;
    char why[FT_PEER_WHY] = "";
    ssize_t length;

    if (local)
        LL_SEARCH_SCALAR(local->jobs, job, pid, pid);
    if (!job)
        return 0;
    LL_DELETE(local->jobs, job);
    length = read(job->words, why, sizeof(why) - 1);
    why[length > 0 ? length : 0] = 0;
    if (!*why && status)
        snprintf(why, sizeof(why), "the process that carries images has ended by %s %d",
                 WIFSIGNALED(status) ? "signal" : "code",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    if (job->kind == COPY)
        say_copied(agent, job->checkpoint, why);
    if (job->kind == FETCH)
        fetched(job, why);
    if (job->kind == SERVE && *why)
        ft_say("node %d: a connection of another agent has ended: %s", agent->node, why);
    local->served -= job->kind == SERVE;
    local->removes -= job->kind == REMOVE;
    if (job->kind == REMOVE && local->more)
        start_remover(local);
    close(job->words);
    free(job);
    return 1;
}

void ft_local_expect(const struct ft_agent_rank *rank, const struct ft_wire_freeze *freeze)
{
    char path[FT_STORE_PATH];

    if (*freeze->near)
        ft_piece_path(folder_of(rank->agent->local), freeze->checkpoint, rank->rank, FT_PIECE_WHOLE,
                      path, sizeof(path));
}

int ft_local_holds(struct ft_agent_rank *rank, const void *message, size_t length)
{
    struct ft_held *held = rank->fetching ? malloc(sizeof(*held) + length) : NULL;

    if (!held)
        return 0;
    held->length = length;
    memcpy(held->message, message, length);
    LL_APPEND(rank->waiting, held);
    return 1;
}

void ft_local_forget(struct ft_agent_rank *rank)
{
    struct ft_held *held, *next;

    if (rank->fetching) {
        kill(rank->fetching->pid, SIGKILL);
        rank->fetching->rank = NULL;
        rank->fetching = NULL;
    }
    LL_FOREACH_SAFE (rank->waiting, held, next)
        free(held);
    rank->waiting = NULL;
}

/* ---- The folder's content, and its end ---- */

/* "rank-R.img", "rank-R.piece-P". 0, or -EINVAL for another name. */
static int read_name(const char *name, struct ft_agent_file *file)
{
    char spelt[64];

    file->piece = FT_PIECE_WHOLE;
    if (sscanf(name, "rank-%d.piece-%d", &file->rank, &file->piece) == 2)
        snprintf(spelt, sizeof(spelt), "rank-%d.piece-%d", file->rank, file->piece);
    else if (sscanf(name, "rank-%d.img", &file->rank) == 1)
        snprintf(spelt, sizeof(spelt), "rank-%d.img", file->rank);
    else
        return -EINVAL;
    return strcmp(name, spelt) ? -EINVAL : 0;
}

static void list_checkpoint(const struct ft_local *local, uint32_t checkpoint, FILE *out,
                            int32_t *count)
{
    char path[FT_STORE_PATH], name[32];
    struct dirent *entry;
    struct stat status;
    DIR *folder;

    snprintf(name, sizeof(name), "ckpt-%u", checkpoint);
    ft_store_file(local->store, name, path);
    folder = opendir(path);
    while (folder && (entry = readdir(folder))) {
        struct ft_agent_file file = {.checkpoint = checkpoint};

        if (read_name(entry->d_name, &file) || fstatat(dirfd(folder), entry->d_name, &status, 0))
            continue;
        file.bytes = (uint64_t)status.st_size;
        *count += fwrite(&file, sizeof(file), 1, out) == 1;
    }
    if (folder)
        closedir(folder);
}

void ft_local_ready(struct ft_agent *agent)
{
    struct ft_agent_local head = {0}, *body = NULL;
    struct ft_local *local = agent->local;
    socklen_t size = sizeof(agent->own);
    uint32_t *numbers = NULL;
    size_t length = 0;
    FILE *out = open_memstream((char **)(void *)&body, &length);
    int found;

    if (!out)
        return;
    getnameinfo((struct sockaddr *)&agent->own, size, head.address, sizeof(head.address), NULL, 0,
                NI_NUMERICHOST);
    head.port = local->port;
    fwrite(&head, sizeof(head), 1, out);
    found = ft_store_list(local->store, &numbers);
    for (int i = 0; i < found; i++)
        list_checkpoint(local, numbers[i], out, &head.count);
    free(numbers);
    if (fclose(out) == 0) {
        body->count = head.count;
        ft_agent_tell(agent, FT_AGENT_READY, NULL, 0, body, length);
    }
    free(body);
}

void ft_local_close(struct ft_agent *agent, int stays)
{
    struct ft_local *local = agent->local;
    struct ft_local_job *job, *next;
    char path[FT_STORE_PATH] = "";

    if (!local)
        return;
    if (local->store)
        snprintf(path, sizeof(path), "%s", folder_of(local));
    LL_FOREACH_SAFE (local->jobs, job, next) {
        kill(job->pid, SIGKILL);
        waitpid(job->pid, NULL, 0);
        close(job->words);
        free(job);
    }
    if (local->listener >= 0) {
        ft_loop_forget(agent->loop, local->listener);
        close(local->listener);
    }
    ft_store_close(local->store, !stays);
    if (!stays) /* also one that an earlier run had made */
        rmdir(path);
    sodium_memzero(local->secret, sizeof(local->secret));
    free(local);
    agent->local = NULL;
}

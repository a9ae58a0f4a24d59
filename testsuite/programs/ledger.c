/* ledger: files that ranks use together, drawn from a seed: logs that some append to and others
 * have open and read, notes that are written anew, renamed into place and taken away, tables of
 * numbers, folders that are made, filled and removed by different ranks, links, and names that are
 * written once and read by all.
 *
 * All ranks keep the same account of what every file holds and of which rank knows what has been
 * done by which (a vector clock each), so two accesses that are not in order yet are put into one
 * by something drawn: a message, a chain of messages, a barrier or reduction of some or of all. So
 * every read has one right answer, and all ranks know it.
 *
 * arguments: [steps 300] [seed 1] [styles 63]
 *
 * ranks: 4
 * test: 300 1
 * soak: 1000 2
 * pace: 2000
 * kill: 1@hook:150
 * kill: 3@hook:110
 * kill: 0@hook:250 2@hook:270
 */
#include <errno.h>
#include <sys/stat.h>
#include "draw.h"
#include "program.h"

enum { RANKS = 16, NAMES = 10, COMMS = 4, ROOM = 2048, LINE = 27, CELLS = 16 };

enum style { LOG, NOTE, TABLE, FOLDER, LINK, ONCE, STYLES };

struct name {
    enum style style;
    unsigned sharers;          /* bit r: rank r uses it */
    int there, folder, number; /* folder: index of the name that it lies in, or -1 */
    long length;
    char text[ROOM];
    long cell[CELLS];
    unsigned wrote[RANKS], asked[RANKS]; /* when, by the clock of that rank */
    unsigned streams, tails;             /* bit r: rank r has it open */
    FILE *stream;                        /* of this rank */
    int tail, table;
    long tail_at;
};

static struct name names[NAMES];
static unsigned known[RANKS][RANKS]; /* [r][q]: what r knows of the time of q */
static unsigned member[COMMS];       /* bit r; the first is the world */
static MPI_Comm comms[COMMS];
static uint64_t state;
static long now; /* step */

static void fold(uint64_t value)
{
    state = mix(state + mix(value));
}

static void expect(int holds, const char *what, const struct name *name)
{
    char text[160];

    if (holds)
        return;
    snprintf(text, sizeof text, "%s of name %d.%d (%s), step", what, (int)(name - names),
             name->number, strerror(errno));
    check(0, text, now);
}

/* ---- Who knows what ---- */

static void learn(int who, int from)
{
    for (int r = 0; r < size; r++)
        if (known[who][r] < known[from][r])
            known[who][r] = known[from][r];
}

static void message(int from, int to)
{
    uint64_t value = state;

    if (from == to)
        return;
    if (rank == from)
        MPI_Send(&value, 1, MPI_UINT64_T, to, 1, MPI_COMM_WORLD);
    if (rank == to) {
        MPI_Recv(&value, 1, MPI_UINT64_T, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        fold(value);
    }
    learn(to, from);
}

static void meet(int comm, int reduces)
{
    uint64_t sum = 0;

    if (member[comm] >> rank & 1) {
        if (reduces) {
            MPI_Allreduce(&state, &sum, 1, MPI_UINT64_T, MPI_SUM, comms[comm]);
            fold(sum);
        } else {
            MPI_Barrier(comms[comm]);
        }
    }
    for (int round = 0; round < 2; round++)
        for (int r = 0; r < size; r++)
            for (int q = 0; q < size; q++)
                if (member[comm] >> r & member[comm] >> q & 1)
                    learn(r, q);
}

/* Everything that `from` has done is over before `to` goes on. */
static void join(int from, int to)
{
    int how = draw(8), comm = draw(COMMS), over = draw(size);

    if (how < 3) {
        message(from, to);
    } else if (how < 5) {
        message(from, over);
        message(over, to);
    } else if (member[comm] >> from & member[comm] >> to & 1) {
        meet(comm, how == 5);
    } else {
        meet(0, how == 5);
    }
}

static void order(int who, struct name *name, int writes)
{
    for (int r = 0; r < size; r++) {
        if (known[who][r] < name->wrote[r])
            join(r, who);
        if (writes && known[who][r] < name->asked[r])
            join(r, who);
    }
    (writes ? name->wrote : name->asked)[who] = ++known[who][who];
}

/* ---- Names ---- */

static const char *path_of(const struct name *name, const char *prefix)
{
    static const char *const word[] = {"log", "note", "table", "folder", "link", "once"};
    static char path[4][64];
    static int next;
    int length = 0;

    next = (next + 1) % 4;
    if (name->folder >= 0)
        length = snprintf(path[next], sizeof path[0], "folder.%d.%d/", name->folder,
                          names[name->folder].number);
    snprintf(path[next] + length, sizeof path[0] - (size_t)length, "%s%s.%d.%d", prefix,
             word[name->style], (int)(name - names), name->number);
    return path[next];
}

static void line_make(char line[LINE + 1], int who)
{
    unsigned value = (unsigned)draw(1 << 30);

    snprintf(line, LINE + 1, "%06ld rank %2d %011u\n", now, who, value);
}

static void text_check(const struct name *name, const char *got, long length)
{
    expect(length == name->length, "length", name);
    expect(memcmp(got, name->text, (size_t)length) == 0, "content", name);
    fold(digest((uint64_t)length, got, (size_t)length));
}

/* ---- Logs ---- */

static void log_close(struct name *log, int who)
{
    if (!((log->streams | log->tails) >> who & 1))
        return;
    order(who, log, 0);
    if (rank == who && log->stream)
        fclose(log->stream);
    if (rank == who && log->tail >= 0)
        close(log->tail);
    if (rank == who) {
        log->stream = NULL;
        log->tail = -1;
    }
    log->streams &= ~(1U << who);
    log->tails &= ~(1U << who);
}

static void log_append(struct name *log, int who, int how)
{
    char line[LINE + 1];

    if (log->length + LINE > ROOM)
        return;
    order(who, log, 1);
    line_make(line, who);
    if (rank == who && how == 0) {
        FILE *file = fopen(path_of(log, ""), "a");

        expect(file != NULL && fputs(line, file) >= 0 && fclose(file) == 0, "append", log);
    } else if (rank == who && how == 1) {
        int fd = open(path_of(log, ""), O_WRONLY | O_APPEND | O_CREAT, 0644);

        expect(fd >= 0 && write(fd, line, LINE) == LINE && close(fd) == 0, "append", log);
    } else if (rank == who) {
        if (!log->stream)
            log->stream = fopen(path_of(log, ""), "a");
        expect(log->stream && fputs(line, log->stream) >= 0 && fflush(log->stream) == 0, "append",
               log);
    }
    if (how > 1)
        log->streams |= 1U << who;
    memcpy(log->text + log->length, line, LINE);
    log->length += LINE;
    log->there = 1;
}

/* Reads on where it was. */
static void log_tail(struct name *log, int who)
{
    char text[ROOM];
    long rest;

    if (!log->there)
        return;
    order(who, log, 0);
    if (rank == who) {
        if (log->tail < 0) {
            log->tail = open(path_of(log, ""), O_RDONLY);
            log->tail_at = 0;
        }
        rest = log->length - log->tail_at;
        expect(log->tail >= 0, "open", log);
        expect(read(log->tail, text, sizeof text) == rest, "rest", log);
        expect(memcmp(text, log->text + log->tail_at, (size_t)rest) == 0, "tail", log);
        fold(digest(0, text, (size_t)rest));
        log->tail_at = log->length;
    }
    log->tails |= 1U << who;
}

static void log_cut(struct name *log, int who, int how)
{
    long length = log->length / LINE / 2 * LINE;

    if (!log->there)
        return;
    for (int r = 0; r < size; r++)
        if (log->tails >> r & 1)
            log_close(log, r);
    order(who, log, 1);
    if (rank == who && how) {
        expect(truncate(path_of(log, ""), length) == 0, "truncate", log);
    } else if (rank == who) {
        int fd = open(path_of(log, ""), O_RDWR);

        expect(fd >= 0 && ftruncate(fd, length) == 0 && close(fd) == 0, "ftruncate", log);
    }
    log->length = length;
}

/* ---- What all files with a text have ---- */

static void text_get(struct name *name, int who, int how)
{
    char got[ROOM + 1];
    long length = 0, part;

    order(who, name, 0);
    if (rank != who)
        return;
    if (how == 0) {
        FILE *file = fopen(path_of(name, ""), "r");

        expect((file != NULL) == name->there, "fopen", name);
        if (file) {
            length = (long)fread(got, 1, sizeof got, file);
            fclose(file);
        }
    } else {
        int fd = open(path_of(name, ""), O_RDONLY);

        expect((fd >= 0) == name->there, "open", name);
        while (fd >= 0 && (part = read(fd, got + length, sizeof got - (size_t)length)) > 0)
            length += part;
        if (fd >= 0)
            close(fd);
    }
    text_check(name, got, length);
}

static void text_ask(struct name *name, int who, int how)
{
    struct stat status;

    order(who, name, 0);
    if (rank != who)
        return;
    if (how == 0) {
        expect((access(path_of(name, ""), F_OK) == 0) == name->there, "access", name);
    } else {
        expect((stat(path_of(name, ""), &status) == 0) == name->there, "stat", name);
        expect(!name->there || status.st_size == name->length, "size", name);
    }
}

static void text_remove(struct name *name, int who)
{
    if (!name->there)
        return;
    for (int r = 0; r < size; r++)
        log_close(name, r);
    order(who, name, 1);
    if (rank == who)
        expect(unlink(path_of(name, "")) == 0, "unlink", name);
    name->there = 0;
    name->length = 0;
}

/* ---- Notes ---- */

static void note_write(struct name *note, int who, int how)
{
    int lines = 1 + draw(4);

    order(who, note, 1);
    note->length = 0;
    for (int i = 0; i < lines; i++) {
        char line[LINE + 1];

        line_make(line, who);
        memcpy(note->text + note->length, line, LINE);
        note->length += LINE;
    }
    note->there = 1;
    if (rank == who) {
        const char *path = path_of(note, how ? "new." : "");
        FILE *file = fopen(path, "w");

        expect(file && fwrite(note->text, 1, (size_t)note->length, file) == (size_t)note->length &&
                   fclose(file) == 0,
               "write", note);
        expect(!how || rename(path, path_of(note, "")) == 0, "rename", note);
    }
}

/* ---- Folders ---- */

static void folder_remove(struct name *folder, int who)
{
    for (int i = 0; i < NAMES; i++)
        if (names[i].folder >= 0 && &names[names[i].folder] == folder)
            text_remove(&names[i], who);
    order(who, folder, 1);
    if (rank == who)
        expect(rmdir(path_of(folder, "")) == 0, "rmdir", folder);
    folder->there = 0;
    folder->number += draw(2);
}

static void folder_make(struct name *folder, int who)
{
    order(who, folder, 1);
    if (rank == who)
        expect(mkdir(path_of(folder, ""), 0755) == 0, "mkdir", folder);
    folder->there = 1;
}

static void folder_use(struct name *folder, int who)
{
    int how = draw(4);

    if (!folder->there)
        folder_make(folder, who);
    else if (how == 0)
        folder_remove(folder, who);
    else
        text_ask(folder, who, 0);
}

/* ---- Tables, links, names for once ---- */

static void table_use(struct name *table, int who)
{
    int writes = draw(2), cell = draw(CELLS);
    long got = 0;

    order(who, table, writes);
    if (writes)
        table->cell[cell] = draw(1 << 30);
    if (rank != who)
        return;
    if (table->table < 0)
        table->table = open(path_of(table, ""), O_RDWR);
    expect(table->table >= 0, "open", table);
    if (writes) {
        expect(pwrite(table->table, &table->cell[cell], sizeof got, (long)sizeof got * cell) ==
                   sizeof got,
               "pwrite", table);
    } else {
        expect(pread(table->table, &got, sizeof got, (long)sizeof got * cell) == sizeof got,
               "pread", table);
        expect(got == table->cell[cell], "cell", table);
        fold((uint64_t)got);
    }
}

static void link_use(struct name *link_, int who)
{
    char got[64];
    int how = draw(3), target = draw(1 << 20);
    long length;

    order(who, link_, how == 0);
    if (how == 0 && link_->there) {
        if (rank == who)
            expect(unlink(path_of(link_, "")) == 0, "unlink", link_);
        link_->there = 0;
    } else if (how == 0) {
        snprintf(link_->text, sizeof link_->text, "to.%d", target);
        if (rank == who)
            expect(symlink(link_->text, path_of(link_, "")) == 0, "symlink", link_);
        link_->there = 1;
    } else if (rank == who) {
        length = readlink(path_of(link_, ""), got, sizeof got);
        expect((length >= 0) == link_->there, "readlink", link_);
        expect(length < 0 || (length == (long)strlen(link_->text) &&
                              memcmp(got, link_->text, (size_t)length) == 0),
               "target", link_);
    }
}

static void once_use(struct name *once, int who)
{
    int how = draw(5);

    if (!once->there || draw(8) == 0) {
        once->number++;
        once->there = 0;
        note_write(once, who, how % 2);
    } else if (how < 3) {
        text_get(once, who, how % 2);
    } else {
        text_ask(once, who, how % 2);
    }
}

/* ---- Steps ---- */

static void log_use(struct name *log, int who)
{
    int how = draw(12);

    if (how < 5)
        log_append(log, who, how % 3);
    else if (how < 8)
        log_tail(log, who);
    else if (how < 10)
        text_get(log, who, how % 2);
    else if (how == 10 || log->length + LINE > ROOM)
        log_cut(log, who, draw(2));
    else if (draw(4) == 0)
        text_remove(log, who);
    else
        text_ask(log, who, draw(2));
}

static void note_use(struct name *note, int who)
{
    int how = draw(10);

    if (note->folder >= 0) {
        if (!names[note->folder].there)
            folder_make(&names[note->folder], who);
        order(who, &names[note->folder], 0);
    }
    if (how < 4)
        note_write(note, who, how % 2);
    else if (how < 7)
        text_get(note, who, how % 2);
    else if (how == 7)
        text_remove(note, who);
    else
        text_ask(note, who, how % 2);
}

static int draw_sharer(const struct name *name)
{
    int who;

    do
        who = draw(size);
    while (!(name->sharers >> who & 1));
    return who;
}

static void use(struct name *name)
{
    static void (*const use_of[])(struct name *, int) = {log_use,    note_use, table_use,
                                                         folder_use, link_use, once_use};
    int who = draw_sharer(name);

    if (draw_own(4) == 0)
        pause_us(draw_own(2000));
    use_of[name->style](name, who);
}

/* ---- Begin and end ---- */

static void name_begin(struct name *name, int styles, int few)
{
    int folder = draw(NAMES);

    do
        name->style = (enum style)draw(STYLES);
    while (!(styles >> name->style & 1));
    name->folder = name->tail = name->table = -1;
    if (name->style == NOTE && names[folder].style == FOLDER && &names[folder] < name)
        name->folder = folder;
    do
        name->sharers = (unsigned)draw(1 << size);
    while (name->sharers == 0);
    if (few == 0)
        name->sharers = (1U << size) - 1;
    if (few == 1)
        name->sharers = 1U << draw(2) | 1U << draw(size > 2 ? 3 : 2);
    if (name->style == TABLE && rank == 0) {
        FILE *file = fopen(path_of(name, ""), "w");

        expect(file && fwrite(name->cell, sizeof name->cell, 1, file) == 1 && fclose(file) == 0,
               "write", name);
    }
}

static void begin(int styles)
{
    int few = draw(3);

    check(size <= RANKS, "too many ranks", size);
    member[0] = (1U << size) - 1;
    comms[0] = MPI_COMM_WORLD;
    for (int i = 1; i < COMMS; i++) {
        member[i] = (unsigned)draw(1 << size);
        MPI_Comm_split(MPI_COMM_WORLD, member[i] >> rank & 1 ? 0 : MPI_UNDEFINED, rank, &comms[i]);
    }
    for (int i = 0; i < NAMES; i++)
        name_begin(&names[i], styles, few);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 300);
    seed = (uint64_t)argument(argc, argv, 2, 1);
    state = mix((uint64_t)rank);
    begin((int)argument(argc, argv, 3, 63));
    for (now = 1; now <= steps; now++) {
        int uses = 1 + draw(3);

        step(now);
        while (uses--)
            use(&names[draw(NAMES)]);
        if (draw(6) == 0)
            meet(draw(COMMS), draw(2));
    }
    return program_end("ledger", state);
}

/* crowd: messages that come from several at once, drawn from a seed. Ranks take them in every way
 * that does not name a sender, or a tag, or neither: one after the other, behind probes, by many
 * receives that are open together, some of which nobody answers, over several steps; they answer
 * who asked, hand tokens on until these are used up, and send to some who do not know of it.
 *
 * Time decides which message comes first, and that decides how much a rank gives, to whom and in
 * which order. But what is given is neither lost nor made: sums over all ranks are the same in
 * every run, and so is each rank's `state`, which does not depend on orders.
 *
 * arguments: [steps 300] [seed 1] [kinds 31]
 *
 * ranks: 4
 * test: 300 1
 * soak: 1000 2
 * pace: 1500
 * kill: 1@hook:100
 * kill: 3@MPI_Barrier:100:exit
 * kill: 0@hook:150 2@hook:220
 */
#include "crowd.h"

static uint64_t gained; /* of the step */

static void take(struct place *place, const uint64_t *word, const MPI_Status *status)
{
    gained += take_in(place, word, status);
}

/* ---- Gathering: all know how many messages each rank gets ---- */

struct want {
    int source, tag;
};

static int by_need(const void *a, const void *b)
{
    const struct want *one = a, *other = b;

    return (one->source == MPI_ANY_SOURCE) + (one->tag == MPI_ANY_TAG) -
           (other->source == MPI_ANY_SOURCE) - (other->tag == MPI_ANY_TAG);
}

/* A receive for each message, the wider ones behind the narrower ones, of which there are no more
 * than messages: so none takes what another one needs. */
static int wants_make(const struct place *place, struct want *want)
{
    int sources = !place->alone || draw_own(2), tags = place->alone && draw_own(2), count = 0;

    for (int source = 0; source < place->size; source++)
        for (int which = 0; which < place->messages[source][place->rank]; which++) {
            int wide = draw_own(4) > 0;

            want[count].source = sources && !wide ? source : MPI_ANY_SOURCE;
            want[count].tag =
                tags && (wide || sources) ? MPI_ANY_TAG : tag_of(place, source, which);
            count++;
        }
    qsort(want, (size_t)count, sizeof *want, by_need);
    return count;
}

/* Ends them one at a time, or some; what ends first sways the rank. */
static void end_by_turns(struct place *place, int count, MPI_Request *request, int way)
{
    MPI_Status status[MOST];
    int index[MOST], found;

    for (int left = count; left > 0; left -= found) {
        found = 1;
        if (way == 0)
            MPI_Waitany(count, request, index, status);
        else if (way == 1)
            MPI_Testany(count, request, index, &found, status);
        else if (way == 2)
            MPI_Waitsome(count, request, &found, index, status);
        else
            MPI_Testsome(count, request, &found, index, status);
        for (int i = 0; i < found; i++) {
            sway(index[i]);
            take(place, inbox[index[i]], &status[i]);
        }
        sway(found);
    }
}

static void end_all(struct place *place, int count, MPI_Request *request, int way)
{
    MPI_Status status[MOST];
    int flag = 0;

    if (way == 0)
        MPI_Waitall(count, request, status);
    for (int i = count - 1; way == 1 && i >= 0; i--)
        MPI_Wait(&request[i], &status[i]);
    for (; way == 2 && !flag; sway(way))
        MPI_Testall(count, request, &flag, status);
    for (int i = 0; way == 3 && i < count; i++)
        for (flag = 0; !flag; sway(i))
            MPI_Test(&request[i], &flag, &status[i]);
    for (int i = 0; i < count; i++)
        take(place, inbox[i], &status[i]);
}

static void end_open(struct place *place, int count, MPI_Request *request)
{
    int way = draw_own(8);

    if (way < 4)
        end_by_turns(place, count, request, way);
    else
        end_all(place, count, request, way - 4);
}

/* Receives that nobody answers: all messages have one before them. */
static void surplus_cancel(int count, MPI_Request *request)
{
    MPI_Status status;
    int flag;

    for (int i = 0; i < count; i++) {
        MPI_Cancel(&request[i]);
        MPI_Wait(&request[i], &status);
        MPI_Test_cancelled(&status, &flag);
        check(flag, "cancelled", i);
    }
}

enum { PLAIN, WITH_SURPLUS, PERSISTENT };

static void take_open(struct place *place, int count, const struct want *want, int way)
{
    int surplus = way == WITH_SURPLUS ? 1 + draw_own(SURPLUS) : 0, early = draw_own(2);
    MPI_Request request[MOST];

    for (int i = 0; i < count; i++)
        (way == PERSISTENT ? MPI_Recv_init : MPI_Irecv)(
            inbox[i], LONGEST, MPI_UINT64_T, want[i].source, want[i].tag, place->comm, &request[i]);
    for (int i = count; i < count + surplus; i++)
        MPI_Irecv(inbox[i], LONGEST, MPI_UINT64_T, MPI_ANY_SOURCE, place->tag, place->comm,
                  &request[i]);
    if (way == PERSISTENT)
        MPI_Startall(count, request);
    sends_begin(place);
    if (early)
        surplus_cancel(surplus, request + count);
    end_open(place, count, request);
    if (!early)
        surplus_cancel(surplus, request + count);
    for (int i = 0; way == PERSISTENT && i < count; i++)
        MPI_Request_free(&request[i]);
}

static void gather(struct place *place)
{
    struct want want[MOST];
    int way = draw_own(TAKE_WAYS + 3), count = wants_make(place, want);
    MPI_Status status;

    if (way >= TAKE_WAYS)
        take_open(place, count, want, way - TAKE_WAYS);
    else
        sends_begin(place);
    for (int i = 0; way < TAKE_WAYS && i < count; i++) {
        status = receive(place, want[i].source, want[i].tag, way);
        take(place, inbox[0], &status);
    }
    sends_end();
    all_seen(place);
}

/* ---- Asking: who asks is answered with the number of its question ---- */

static void answer(const struct place *place, int to, int number)
{
    outbox_send(place, outbox_begin(0, HEAD, number), HEAD, to, place->tag + ANSWER, draw_own(2));
}

static void ask(struct place *place)
{
    int questions = 0, answers = 0, number = 0, way = draw_own(TAKE_WAYS);
    MPI_Status status;

    for (int r = 0; r < place->size; r++) {
        questions += place->messages[r][place->rank];
        answers += place->messages[place->rank][r];
    }
    sends_begin(place);
    while (questions + answers > 0) {
        status = receive(place, MPI_ANY_SOURCE, MPI_ANY_TAG, way);
        if (status.MPI_TAG == place->tag + ANSWER) {
            take_coins(inbox[0], &status);
            numbers += (int64_t)inbox[0][2];
            answers--;
        } else {
            take(place, inbox[0], &status);
            answer(place, status.MPI_SOURCE, number++);
            questions--;
        }
    }
    sends_end();
    all_seen(place);
}

/* ---- Walking: each rank sends a token out, which goes from rank to rank ---- */

static void token_send(const struct place *place, int to, int hops)
{
    outbox_send(place, outbox_begin(0, HEAD, hops), HEAD, to, place->tag, draw_own(3) == 0);
}

/* A rank with a token that may not go on tells the first rank, which waits for all. */
static void token_take(const struct place *place, int hops)
{
    walked++;
    if (hops > 0)
        token_send(place, (int)(course % (uint64_t)place->size), hops - 1);
    else
        MPI_Send(NULL, 0, MPI_UINT64_T, 0, place->tag + DONE, place->comm);
}

static void stop(const struct place *place)
{
    for (int r = 0; r < place->size; r++)
        outbox_send(place, outbox_begin(0, HEAD, 0), HEAD, r, place->tag + STOP, 0);
}

static void walk(const struct place *place)
{
    int done = 0, stopped = 0, way = draw_own(TAKE_WAYS);
    MPI_Status status;

    token_send(place, place->messages[0][place->rank] % place->size, place->messages[0][0] * 4);
    while (!stopped) {
        status = receive(place, MPI_ANY_SOURCE, MPI_ANY_TAG, way);
        if (status.MPI_TAG == place->tag + DONE) {
            if (++done == place->size)
                stop(place);
            continue;
        }
        take_coins(inbox[0], &status);
        stopped = status.MPI_TAG == place->tag + STOP;
        if (!stopped)
            token_take(place, (int)inbox[0][2]);
    }
    sends_end();
}

/* ---- Surprising: who gets something does not know of it, and whether it is all ---- */

/* The messages of this rank go where its course says; when they have been met, it enters a barrier,
 * and when all have, there is nothing left. */
static void surprise(const struct place *place)
{
    MPI_Request barrier = MPI_REQUEST_NULL;
    int sent, ended = 0, found;
    MPI_Status status;

    for (int i = 0; i < place->messages[place->rank][0]; i++)
        outbox_send(place, outbox_begin(0, HEAD, 1), HEAD, (int)(course % (uint64_t)place->size),
                    place->tag, 1);
    while (!ended) {
        MPI_Iprobe(MPI_ANY_SOURCE, place->tag, place->comm, &found, &status);
        if (found) {
            status = receive(place, status.MPI_SOURCE, place->tag, 0);
            take_coins(inbox[0], &status);
            walked++;
        }
        sway(found);
        if (barrier != MPI_REQUEST_NULL) {
            MPI_Test(&barrier, &ended, MPI_STATUS_IGNORE);
            continue;
        }
        MPI_Testall(outbox.count, outbox.request, &sent, MPI_STATUSES_IGNORE);
        if (sent)
            MPI_Ibarrier(place->comm, &barrier);
    }
    sends_end();
}

/* ---- Listening: receives that are open over many steps ---- */

enum { EARS = 4, EAR_TAG = 31000 };

static struct ear {
    int owner, expected, begun; /* owner, expected: all ranks know */
    uint64_t word[EACH * 2];
    MPI_Request request[EACH * 2];
} ears[EARS];

static void ear_open(struct ear *ear, int tag)
{
    ear->owner = draw(size);
    ear->expected = 1 + draw(EACH * 2);
    ear->begun = 0;
    for (int i = 0; i < ear->expected && rank == ear->owner; i++)
        MPI_Irecv(&ear->word[i], 1, MPI_UINT64_T, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD,
                  &ear->request[i]);
}

static void ear_close(struct ear *ear)
{
    int index;

    for (int i = 0; i < ear->expected && rank == ear->owner; i++) {
        MPI_Waitany(ear->expected, ear->request, &index, MPI_STATUS_IGNORE);
        sway(index);
        gained += mix(ear->word[index]);
    }
    ear->expected = 0;
}

static void listen(void)
{
    int which = draw(EARS), sender = draw(size), tag = EAR_TAG + which;
    struct ear *ear = &ears[which];

    if (ear->expected == 0)
        ear_open(ear, tag);
    else if (ear->begun == ear->expected)
        ear_close(ear);
    else if (ear->begun++ >= 0 && rank == sender)
        MPI_Send(&state, 1, MPI_UINT64_T, ear->owner, tag, MPI_COMM_WORLD);
}

/* ---- Steps ---- */

enum { PLACES = 4 };

static MPI_Comm
    comms[PLACES]; /* the first is for fresh tags, the last one is a part of the world */

static void places_make(void)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[2]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[3]);
}

static void place_draw(struct place *place, long number, int alone)
{
    int which = alone ? 1 + draw(PLACES - 1) : 0, dense = 1 + draw(3), fresh = draw(2);

    memset(place, 0, sizeof *place);
    place->comm = comms[which];
    place->alone = alone;
    place->tag = alone && fresh ? 0 : (int)(number * TAGS_OF_STEP % EAR_TAG);
    place->tags = 1 + draw(TAGS);
    for (int from = 0; from < size; from++)
        for (int to = 0; to < size; to++)
            place->messages[from][to] = draw(4) < dense ? draw(EACH + 1) : 0;
    MPI_Comm_rank(place->comm, &place->rank);
    MPI_Comm_size(place->comm, &place->size);
}

static void operation(long number, int kinds)
{
    struct place place;
    int kind;

    do
        kind = draw(5);
    while (!(kinds >> kind & 1));
    place_draw(&place, number, kind != 0 || draw(2));
    if (draw(6) == 0)
        course = mix(course ^ (uint64_t)(MPI_Wtime() * 1e6));
    if (kind == 0)
        gather(&place);
    else if (kind == 1)
        ask(&place);
    else if (kind == 2)
        walk(&place);
    else if (kind == 3)
        surprise(&place);
    else
        listen();
    if (place.alone && kind != 4)
        MPI_Barrier(place.comm);
    state = mix(state + gained);
    gained = 0;
}

static void sums_fold(void)
{
    int64_t sum[3] = {coins, numbers, walked};

    MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    state = digest(state, sum, sizeof sum);
}

/* Receives the messages that are still under way to the ears. */
static void ears_close(void)
{
    for (int i = 0; i < EARS; i++) {
        for (; ears[i].begun < ears[i].expected; ears[i].begun++)
            if (rank == ears[i].begun % size)
                MPI_Send(&state, 1, MPI_UINT64_T, ears[i].owner, EAR_TAG + i, MPI_COMM_WORLD);
        ear_close(&ears[i]);
    }
    state = mix(state + gained);
}

int main(int argc, char **argv)
{
    program_start(&argc, &argv);
    check(size <= RANKS, "too many ranks", size);
    seed = mix((uint64_t)argument(argc, argv, 2, 1));
    state = mix(seed ^ (uint64_t)rank);
    coins = 1000000000;
    places_make();
    for (long number = 1; number <= argument(argc, argv, 1, 300); number++) {
        step(number);
        operation(number, (int)argument(argc, argv, 3, 31));
        if (number % 50 == 0)
            sums_fold();
    }
    ears_close();
    sums_fold();
    for (int i = 0; i < PLACES; i++)
        MPI_Comm_free(&comms[i]);
    return program_end("crowd", state);
}

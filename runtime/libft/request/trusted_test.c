/* Trusted receives of a rank that has rolled back: which message each takes, and which of the
 * messages that are told are not for it. The library is a list of receives and a queue of
 * notices; what holds them back (again.c) and what counts the notices (notices.c) are the real
 * ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "determinant/reading.h"
#include "determinant/trail.h"
#include "request/foreign.h"
#include "request/overtake.h"
#include "request/packed.h"
#include "request/store.h"
#include "request/follow.h"
#include "request/trusted.h"
#include "stream/contents.h"
#include "stream/notices_stub.h"

enum { RANKS = 3, MANY = 100, TAG = 7, OTHER = 8 };
enum { PATTERN = 0x1234, STRANGER = 0x4321 };

static int polled, cancels;          /* questions to the library, and its cancellations */
static uint32_t cancelled;           /* number of the receive that was noted as cancelled last */
static struct ft_request *overtaken; /* pending before all others, by a wildcard */
static struct ft_drained *stored;    /* the only message of the drained store, or NULL */
static struct ft_pattern_place here; /* where the program is */
static jmp_buf ended;                /* by ft_differs, where `may_end` */
static int may_end;

static struct ft_rank self;
static struct ft_spbc spbc;
static struct ft_determinants determinants;
static struct ft_contents contents;
static struct ft_trail trail;
static uint32_t mark[1];
static struct ft_requests requests;
static struct ft_recorder recorder;
static struct ft_comm comm;
static struct ft_pattern_place places[2]; /* outside, and in an iteration */
static struct ft_patterns patterns = {.place = places, .depth = 1};
static int world[] = {2, 1, 0}; /* ranks of the communicator are not those of the world */

/* Stands in for the rooms around these. */

void ft_differs(const struct ft_rank *rank, const char *what)
{
    (void)rank;
    if (!may_end)
        fail_msg("%s", what);
    longjmp(ended, 1);
}

struct ft_pattern_place ft_trust_place(const struct ft_rank *rank)
{
    (void)rank;
    return here;
}

void ft_streams_progress(struct ft_rank *rank)
{
    ft_notices_turn(rank);
}

int ft_running_advance(struct ft_rank *rank)
{
    (void)rank;
    return 0;
}

void ft_trail_specially(struct ft_rank *rank, uint64_t hash, uint64_t alone, const char *subject)
{
    (void)rank, (void)hash, (void)alone, (void)subject;
}

int ft_recv_check(struct ft_rank *rank, const struct ft_request *request)
{
    (void)rank, (void)request;
    return MPI_SUCCESS;
}

struct ft_drained *ft_drained_match(struct ft_rank *rank, const struct ft_comm *on, int source,
                                    int tag)
{
    (void)rank, (void)on;
    return stored && (source == MPI_ANY_SOURCE || source == stored->source) && tag == stored->tag
               ? stored
               : NULL;
}

/* As request_post.c. */
int ft_recv_native(struct ft_rank *rank, struct ft_request *request)
{
    if (ft_drained_match(rank, request->comm, request->peer, request->tag)) {
        request->status.MPI_SOURCE = stored->source;
        request->status.MPI_TAG = stored->tag;
        request->state = FT_REQUEST_COMPLETE;
        free(stored);
        stored = NULL;
        return MPI_SUCCESS;
    }
    ft_trusted_posted(rank, request);
    ft_request_activate(rank, request);
    return MPI_SUCCESS;
}

/* As foreign.c, without streams. */
void ft_recv_number_return(struct ft_rank *rank, struct ft_request *request)
{
    (void)rank;
    request->number = 0;
}

void ft_recv_count(struct ft_rank *rank, struct ft_request *request, int was_cancelled)
{
    ft_recv_ended(rank, request, was_cancelled);
}

struct ft_request *ft_overtaken_search(const struct ft_rank *rank, const struct ft_comm *on,
                                       int source, int tag, const struct ft_request *before)
{
    (void)rank, (void)on, (void)source, (void)tag, (void)before;
    return overtaken;
}

void ft_request_poll(struct ft_rank *rank, struct ft_request *request)
{
    (void)rank, (void)request;
    polled++;
}

void ft_request_release(struct ft_rank *rank, struct ft_request *request)
{
    (void)rank, (void)request;
}

/* Nothing is given again. */
enum ft_determinant_post ft_determinant_receive(struct ft_rank *rank, uint32_t *number, int *source,
                                                int *tag)
{
    (void)source, (void)tag;
    *number = ft_determinant_receive_new(rank);
    return FT_POST_UNKNOWN;
}

enum ft_determinant_post ft_determinant_receive_again(struct ft_rank *rank, uint32_t number,
                                                      int *source, int *tag)
{
    (void)rank, (void)number, (void)source, (void)tag;
    return FT_POST_UNKNOWN;
}

void ft_determinant_receive_note(struct ft_rank *rank, uint64_t site, uint32_t number, int source,
                                 int tag)
{
    (void)rank, (void)site, (void)number, (void)source, (void)tag;
}

void ft_determinant_cancel_note(struct ft_rank *rank, uint64_t site, uint32_t number)
{
    (void)rank, (void)site;
    cancelled = number;
}

void ft_follow_wait(struct ft_rank *rank, unsigned clock, int gate)
{
    (void)rank;
    (void)clock;
    (void)gate;
    fail_msg("a rank with one copy follows");
}

int ft_determinant_poll(struct ft_rank *rank, int *flag)
{
    (void)rank, (void)flag;
    return 0;
}

int ft_determinant_probe(struct ft_rank *rank, int *flag, int *source, int *tag)
{
    (void)rank, (void)flag, (void)source, (void)tag;
    return 0;
}

int ft_determinant_choice(struct ft_rank *rank, int *count, int *index, int room)
{
    (void)rank, (void)count, (void)index, (void)room;
    return 0;
}

int ft_determinant_value(struct ft_rank *rank, enum ft_value_kind kind, void *data, size_t bytes)
{
    (void)rank, (void)kind, (void)data, (void)bytes;
    return 0;
}

int ft_reading_again(struct ft_rank *rank, enum ft_clock clock, int64_t *moment)
{
    (void)rank, (void)clock, (void)moment;
    return 0;
}

int PMPI_Cancel(MPI_Request *request)
{
    (void)request;
    cancels++;
    return MPI_SUCCESS;
}

int PMPI_Status_set_cancelled(MPI_Status *status, int flag)
{
    status->count_hi_and_cancelled = flag;
    return MPI_SUCCESS;
}

/* The words of the tests. */

static int setup(void **state)
{
    (void)state;
    notice_queue_clear();
    polled = cancels = may_end = 0;
    cancelled = 0;
    overtaken = NULL;
    comm = (struct ft_comm){
        .id = 77, .handle = MPI_COMM_WORLD, .peers = RANKS, .world = world, .size = RANKS};
    recorder = (struct ft_recorder){0};
    determinants = (struct ft_determinants){0};
    trail = (struct ft_trail){.ring = mark, .capacity = 1};
    requests = (struct ft_requests){0};
    requests.active.next = requests.active.prev = &requests.active;
    spbc = (struct ft_spbc){.identified = 1,
                            .noted = FT_NOTED_PLACE,
                            .determinants = &determinants,
                            .trail = &trail,
                            .contents = &contents};
    self = (struct ft_rank){.size = RANKS,
                            .spbc = &spbc,
                            .requests = &requests,
                            .recorder = &recorder,
                            .patterns = &patterns};
    ft_trusted_begin(&self);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(stored);
    stored = NULL;
    ft_notices_forget(&self);
    return 0;
}

/* A receive of the program in an iteration of the pattern; 0: at a site that is not trusted. */
static void post(struct ft_request *request, int source, uint32_t iteration)
{
    here = (struct ft_pattern_place){iteration ? PATTERN : 0, iteration};
    *request = (struct ft_request){0};
    ft_request_begin(request, FT_REQUEST_RECV, &comm, NULL, 1, MPI_INT, source, TAG);
    request->handle = ft_request_handle(1);
    assert_int_equal(ft_recv_recorded(&self, request), MPI_SUCCESS);
}

/* Rank `source` of the communicator has sent a message there. */
static void tell(int source, int tag, uint32_t pattern, uint32_t iteration)
{
    queue.sender = world[source];
    places[1] = (struct ft_pattern_place){pattern, iteration};
    ft_trusted_sent(&self, &comm, 0, tag);
}

static int is_held(const struct ft_request *request)
{
    return request->state == FT_REQUEST_ACTIVE && request->advance;
}

/* The library has it, as a receive from `source`. */
static int is_posted(const struct ft_request *request, int source)
{
    return request->state == FT_REQUEST_ACTIVE && !request->advance && request->peer == source;
}

/* The library has completed it, with a message of `source`; or it has cancelled it. */
static void end(struct ft_request *request, int source, int was_cancelled)
{
    ft_active_delete(request);
    request->state = FT_REQUEST_COMPLETE;
    request->status.MPI_SOURCE = source;
    request->status.MPI_TAG = TAG;
    ft_recv_count(&self, request, was_cancelled);
}

/* The next message of `source` is of this iteration; 0: nothing is known of it. */
static void expect_next(int source, uint32_t iteration)
{
    struct ft_pattern_place place = {0, 0};

    assert_int_equal(ft_notice_next(&self, &comm, source, TAG, &place), iteration != 0);
    assert_int_equal(place.iteration, iteration);
}

/* A message of rank `source` of the communicator is in the store. */
static void store(int source, int placed, uint32_t iteration)
{
    stored = calloc(1, sizeof *stored);
    stored->comm = comm.id;
    stored->source = source;
    stored->tag = TAG;
    stored->placed = placed;
    stored->place = (struct ft_pattern_place){PATTERN, iteration};
}

static void takes_its_own_iteration(void **state)
{
    struct ft_request receive, next;

    (void)state;
    post(&receive, MPI_ANY_SOURCE, 3);
    post(&next, MPI_ANY_SOURCE, 4);
    assert_true(is_held(&receive) && is_held(&next));
    tell(0, TAG, PATTERN, 4);
    tell(2, TAG, STRANGER, 3);
    tell(1, OTHER, PATTERN, 3);
    ft_notices_turn(&self);
    assert_true(is_held(&receive) && is_held(&next)); /* in the order of their posting */
    assert_int_equal(recorder.lacks_pattern, PATTERN);
    assert_int_equal(recorder.lacks_iteration, 3);
    tell(1, TAG, PATTERN, 3);
    ft_notices_turn(&self);
    assert_true(is_posted(&receive, 1));
    assert_true(is_posted(&next, 0));
    assert_int_equal(recorder.lacks_pattern, 0);
    assert_null(requests.held);
}

/* A later message of a source does not come before its earlier one. */
static void takes_no_later_message(void **state)
{
    struct ft_request receive, named;

    (void)state;
    tell(1, TAG, STRANGER, 1);
    tell(1, TAG, PATTERN, 3);
    ft_notices_turn(&self);
    post(&receive, MPI_ANY_SOURCE, 3);
    ft_notices_turn(&self);
    assert_true(is_held(&receive));
    assert_int_equal(ft_trusted_source(&self, &receive), -1);
    requests.held = NULL;
    post(&named, 1, 0);
    assert_true(is_posted(&named, 1));
    assert_int_equal(ft_trusted_source(&self, &receive), 1);
}

static void earlier_iteration_ends_the_run(void **state)
{
    struct ft_request receive = {
        .kind = FT_REQUEST_RECV, .comm = &comm, .peer = MPI_ANY_SOURCE, .tag = TAG};

    (void)state;
    receive.place = (struct ft_pattern_place){PATTERN, 3};
    tell(0, TAG, STRANGER, 2);
    tell(1, TAG, PATTERN, 2);
    ft_notices_hear(&self);
    may_end = 1;
    if (!setjmp(ended)) {
        ft_trusted_source(&self, &receive);
        fail_msg("it goes on");
    }
    ft_notice_taken(&self, &comm, 1, TAG, 1);
    store(1, 1, 2);
    if (!setjmp(ended)) {
        ft_trusted_source(&self, &receive);
        fail_msg("it goes on with a message of the store");
    }
}

/* An untrusted wildcard may meet the message, or have met it, until the library has ended it. */
static void waits_for_an_earlier_wildcard(void **state)
{
    struct ft_request wild, receive;

    (void)state;
    post(&wild, MPI_ANY_SOURCE, 0);
    assert_true(is_posted(&wild, MPI_ANY_SOURCE));
    requests.unnumbered = 1;
    overtaken = &wild;
    post(&receive, MPI_ANY_SOURCE, 3);
    tell(1, TAG, PATTERN, 3);
    tell(1, TAG, PATTERN, 3);
    ft_notices_turn(&self);
    assert_true(is_held(&receive) && polled > 0);
    requests.unnumbered = 0;
    overtaken = NULL;
    end(&wild, 1, 0);
    ft_notices_turn(&self);
    assert_true(is_posted(&receive, 1));
    expect_next(1, 0); /* one has the first, the other is promised the second */
}

static void named_receives_are_promised_theirs(void **state)
{
    struct ft_request named, wild;

    (void)state;
    for (uint32_t iteration = 1; iteration <= 3; iteration++)
        tell(1, TAG, PATTERN, iteration);
    ft_notices_hear(&self);
    post(&named, 1, 0);
    expect_next(1, 2);
    post(&wild, MPI_ANY_SOURCE, 0);
    expect_next(1, 2); /* nobody knows yet */
    end(&wild, 1, 0);
    expect_next(1, 3);
    end(&named, 1, 0);
    expect_next(1, 3); /* it was promised */
    post(&named, 1, 0);
    expect_next(1, 0);
    end(&named, 1, 1);
    expect_next(1, 3); /* given back */
    post(&wild, MPI_ANY_SOURCE, 0);
    end(&wild, 1, 1); /* whatever its status says */
    expect_next(1, 3);
}

static void cancelled_while_held(void **state)
{
    struct ft_request receive, behind, next;

    (void)state;
    post(&receive, MPI_ANY_SOURCE, 3);
    post(&behind, 1, 0);
    assert_true(is_held(&receive) && is_held(&behind));
    ft_notices_turn(&self);
    assert_int_equal(recorder.lacks_iteration, 3);
    assert_int_equal(ft_recv_cancel(&self, &receive), MPI_SUCCESS);
    assert_int_equal(receive.state, FT_REQUEST_COMPLETE);
    assert_int_equal(receive.code, MPI_SUCCESS);
    assert_int_equal(receive.status.count_hi_and_cancelled, 1);
    assert_int_equal(cancelled, receive.outcome); /* time has decided that, so it is recorded */
    assert_int_equal(cancels, 0);                 /* the library does not know it */
    assert_null(receive.advance);
    assert_int_equal(recorder.lacks_pattern, 0);
    ft_notices_turn(&self);
    assert_true(is_posted(&behind, 1));
    tell(1, TAG, PATTERN, 2);
    tell(1, TAG, PATTERN, 3);
    ft_notices_turn(&self);
    expect_next(1, 3); /* the named one is promised the first, the cancelled one nothing */
    post(&next, MPI_ANY_SOURCE, 3);
    assert_true(is_posted(&next, 1));
}

/* Those behind it wait by themselves, and nobody turns for them. */
static void who_waits_behind_it_goes_on(void **state)
{
    struct ft_request receive, behind;

    (void)state;
    post(&receive, MPI_ANY_SOURCE, 3);
    post(&behind, 1, 0);
    behind.advance(&self, &behind);
    assert_true(is_held(&behind));
    ft_recv_cancel(&self, &receive);
    behind.advance(&self, &behind);
    assert_true(is_posted(&behind, 1));
}

/* One of two that are held: the other one stays what it was. */
static void cancelled_among_others(void **state)
{
    struct ft_request first, second;

    (void)state;
    post(&first, MPI_ANY_SOURCE, 3);
    post(&second, MPI_ANY_SOURCE, 4);
    ft_recv_cancel(&self, &first);
    assert_int_equal(recorder.lacks_iteration, 4);
    assert_true(is_held(&second));
    tell(2, TAG, PATTERN, 4);
    ft_notices_turn(&self);
    assert_true(is_posted(&second, 2));
}

static void cancelled_when_it_is_named(void **state)
{
    struct ft_request receive, next;

    (void)state;
    post(&receive, MPI_ANY_SOURCE, 3);
    tell(1, TAG, PATTERN, 3);
    ft_notices_turn(&self);
    assert_true(is_posted(&receive, 1));
    expect_next(1, 0);
    ft_recv_cancel(&self, &receive);
    assert_int_equal(cancels, 1);
    assert_int_equal(receive.state, FT_REQUEST_ACTIVE); /* the library decides */
    end(&receive, MPI_ANY_SOURCE, 1);
    expect_next(1, 3);
    post(&next, MPI_ANY_SOURCE, 3);
    ft_notices_turn(&self);
    assert_true(is_posted(&next, 1));
}

/* A drained message is older than those in the library. */
static void takes_from_the_store_first(void **state)
{
    struct ft_request receive;

    (void)state;
    tell(1, TAG, PATTERN, 3);
    ft_notices_hear(&self);
    store(1, 1, 4);
    post(&receive, MPI_ANY_SOURCE, 3);
    assert_true(is_held(&receive));
    stored->place.iteration = 3;
    ft_notices_turn(&self);
    assert_int_equal(receive.state, FT_REQUEST_COMPLETE);
    assert_int_equal(receive.status.MPI_SOURCE, 1);
    expect_next(1, 3); /* the library's one is there still */
}

static void needs_no_place_of_an_undisturbed_message(void **state)
{
    struct ft_request receive;

    (void)state;
    store(2, 0, 1);
    post(&receive, MPI_ANY_SOURCE, 3);
    ft_notices_turn(&self);
    assert_int_equal(receive.state, FT_REQUEST_COMPLETE);
    assert_int_equal(receive.status.MPI_SOURCE, 2);
}

/* A promise may be given back by each receive that is pending, however many there are. */
static void keeps_the_places_of_promises(void **state)
{
    static struct ft_request named[MANY];

    (void)state;
    for (int i = 0; i < MANY; i++) {
        post(&named[i], 0, 0);
        tell(0, TAG, PATTERN, (uint32_t)i + 1);
        ft_notices_turn(&self);
    }
    expect_next(0, 0);
    for (int i = MANY - 1; i >= 0; i--) {
        end(&named[i], MPI_ANY_SOURCE, 1);
        expect_next(0, (uint32_t)i + 1);
    }
}

/* The library of the last epoch, and what it was given, is gone. */
static void new_epoch_counts_anew(void **state)
{
    struct ft_request wild, named, receive;

    (void)state;
    post(&wild, MPI_ANY_SOURCE, 0);
    post(&named, 2, 0);
    tell(1, TAG, PATTERN, 2);
    ft_notices_hear(&self);
    ft_trusted_forget(&self);
    assert_int_equal(spbc.hearing, 0);
    ft_trusted_begin(&self);
    expect_next(1, 0);
    end(&wild, 1, 0);               /* with a message of the store */
    end(&named, MPI_ANY_SOURCE, 1); /* before it was posted again */
    tell(1, TAG, PATTERN, 3);
    tell(2, TAG, PATTERN, 4);
    ft_notices_hear(&self);
    expect_next(1, 3);
    expect_next(2, 4);
    post(&receive, MPI_ANY_SOURCE, 3);
    ft_notices_turn(&self);
    assert_true(is_posted(&receive, 1));
}

/* The ranks that are told, and of which messages. */
static void tells_ranks_that_have_gone_back(void **state)
{
    (void)state;
    tell(0, TAG, PATTERN, 3);
    assert_int_equal(queue.tail, 1);
    assert_int_equal(queue.notice[0].dest, world[0]);
    ft_trusted_sent(&self, &comm, MPI_PROC_NULL, TAG);
    comm.id = FT_LANES_ID;
    ft_trusted_sent(&self, &comm, 0, TAG);
    comm.id = 77;
    spbc.identified = 0;
    ft_trusted_sent(&self, &comm, 0, TAG);
    assert_int_equal(queue.tail, 1);
}

static void trusts_wildcards_of_a_pattern_alone(void **state)
{
    struct ft_request request = {.peer = MPI_ANY_SOURCE, .tag = TAG};

    (void)state;
    assert_false(ft_recv_trusted(&request));
    request.place = (struct ft_pattern_place){PATTERN, 1};
    assert_true(ft_recv_trusted(&request));
    request.peer = 1;
    assert_false(ft_recv_trusted(&request));
}

/* One that has not rolled back records nothing of a trusted receive, and holds nothing. */
static void undisturbed_ranks_post_at_once(void **state)
{
    struct ft_request receive;

    (void)state;
    spbc.identified = 0;
    post(&receive, MPI_ANY_SOURCE, 3);
    assert_true(is_posted(&receive, MPI_ANY_SOURCE));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(takes_its_own_iteration),
        TEST(takes_no_later_message),
        TEST(earlier_iteration_ends_the_run),
        TEST(waits_for_an_earlier_wildcard),
        TEST(named_receives_are_promised_theirs),
        TEST(cancelled_while_held),
        TEST(who_waits_behind_it_goes_on),
        TEST(cancelled_among_others),
        TEST(cancelled_when_it_is_named),
        TEST(takes_from_the_store_first),
        TEST(needs_no_place_of_an_undisturbed_message),
        TEST(keeps_the_places_of_promises),
        TEST(new_epoch_counts_anew),
        TEST(tells_ranks_that_have_gone_back),
        TEST(trusts_wildcards_of_a_pattern_alone),
        TEST(undisturbed_ranks_post_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

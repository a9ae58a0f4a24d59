/* Verdicts after runs, from traces made by hand. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "calls/calls.h"
#include "verify/match.h"
#include "verify/reader.h"
#include "verify/verify.h"

enum { RANKS = 2, MOST = 400 };

static char root[] = "/tmp/verify_test.XXXXXX";

/* A trace that is being made; time goes on with each record. */
struct maker {
    struct ft_trace_record record[MOST];
    int count;
    uint32_t clock;
};

static struct ft_trace_record *add(struct maker *maker, struct ft_trace_record record)
{
    if (maker->count == 0)
        maker->record[maker->count++] =
            (struct ft_trace_record){.kind = FT_TRACE_HEAD, .size = FT_TRACE_VERSION};
    record.time = maker->clock += 10;
    maker->record[maker->count] = record;
    return &maker->record[maker->count++];
}

static struct ft_trace_record *send_to(struct maker *maker, int peer, int tag, uint64_t size)
{
    return add(maker, (struct ft_trace_record){.kind = FT_TRACE_SEND,
                                               .call = FT_CALL_MPI_Send,
                                               .address = 0x500,
                                               .comm = 1,
                                               .peer = peer,
                                               .tag = tag,
                                               .size = size,
                                               .hash = 1});
}

/* An anonymous receive that met rank `peer`. */
static struct ft_trace_record *take_from(struct maker *maker, uint32_t site, int peer, int tag)
{
    return add(maker, (struct ft_trace_record){.kind = FT_TRACE_RECV,
                                               .flags = FT_TRACE_MATCHED | FT_TRACE_ANY_SOURCE,
                                               .call = FT_CALL_MPI_Recv,
                                               .address = 0x600 + site,
                                               .site = site,
                                               .comm = 1,
                                               .peer = peer,
                                               .tag = tag,
                                               .asked_tag = tag});
}

static void place(struct ft_trace_record *record, uint32_t pattern, uint32_t iteration)
{
    record->pattern = pattern;
    record->iteration = iteration;
}

/* Writes the traces of run `number`: RANKS makers. Their folder's path goes into path. */
static void write_run(int number, struct maker *makers, char *path)
{
    char name[128];

    sprintf(path, "%s/run-%d", root, number);
    mkdir(path, 0700);
    for (int rank = 0; rank < RANKS; rank++) {
        struct maker *maker = &makers[rank];

        add(maker, (struct ft_trace_record){.kind = FT_TRACE_COLLECTIVE, .flags = FT_TRACE_FINAL});
        sprintf(name, "%s/rank-%d", path, rank);
        int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        size_t bytes = (size_t)maker->count * sizeof *maker->record;

        assert_int_equal(write(fd, maker->record, bytes), bytes);
        assert_int_equal(ftruncate(fd, 1 << 20), 0); /* the rest of a window */
        close(fd);
    }
}

static struct { /* a table with one site and one pattern */
    struct ft_sites_header header;
    struct ft_site_entry site[2];
    struct ft_pattern_entry pattern[1];
    char text[16];
} table;

static struct ft_sites *table_of(uint32_t class, uint32_t flags, uint32_t trusted)
{
    struct ft_sites *sites;

    memset(&table, 0, sizeof table);
    table.header = (struct ft_sites_header){FT_SITES_MAGIC, FT_SITES_VERSION, 2, 1, 0, 16, 0, 0};
    table.site[0] = (struct ft_site_entry){1, 9, class, flags, 0, 0, 1, 10};
    table.site[1] = (struct ft_site_entry){2, 0, FT_SITE_NON_DETERMINISTIC, 0, 0, 0, 1, 20};
    table.pattern[0] = (struct ft_pattern_entry){9, trusted, 0, 0, 5, 0};
    strcpy(table.text + 1, "MPI_Recv");
    table.header.checksum = XXH64(&table.header + 1, sizeof table - sizeof table.header, 0);
    assert_int_equal(ft_sites_parse(&table, sizeof table, &sites), 0);
    return sites;
}

static void locate(const char *program, uint64_t address, char *text, size_t size)
{
    snprintf(text, size, "%s@%llx", program, (unsigned long long)address);
}

static const char *verified = "p"; /* the program */

static char said[1 << 16];

static size_t longest; /* line of the report */

/* A line that is set in goes on with the one before. */
static void say(const char *line)
{
    size_t indent = strspn(line, " ");

    longest = strlen(line) > longest ? strlen(line) : longest;
    strcat(said, indent ? " " : "\n");
    strcat(said, line + indent);
}

/* Compares two runs; answers the contradictions, and leaves the report in `said`. */
static int judge(const struct ft_sites *sites, struct maker *first, struct maker *second,
                 const char *how)
{
    char *const argv[] = {(char *)(uintptr_t)verified, NULL};
    struct ft_verify_options options = {
        .sites = sites, .program = verified, .argv = argv, .ranks = RANKS, .locate = locate};
    struct ft_verify *verify;
    char path[64], json[64];
    int count;

    assert_int_equal(ft_verify_create(&options, &verify), 0);
    write_run(0, first, path);
    assert_int_equal(ft_verify_run(verify, 0, path, NULL), 0);
    write_run(1, second, path);
    assert_int_equal(ft_verify_run(verify, 1, path, how), 0);
    ft_verify_settle(verify);
    said[0] = 0;
    longest = 0;
    ft_verify_tell(verify, say);
    assert_true(longest <= 92);
    sprintf(json, "%s/json", root);
    assert_int_equal(ft_verify_write(verify, json), 0);
    count = ft_verify_contradictions(verify);
    ft_verify_destroy(verify);
    return count;
}

static void assert_said(const char *text)
{
    if (!strstr(said, text))
        fail_msg("not said: %s\n%s", text, said);
}

/* Rank 0 takes two messages in the order first, second, and sends sizes a and b to rank 1. */
static void worker(struct maker *makers, uint32_t site, int first, int second, uint64_t a,
                   uint64_t b)
{
    memset(makers, 0, RANKS * sizeof *makers);
    take_from(&makers[0], site, first, 5);
    take_from(&makers[0], site, second, 5);
    send_to(&makers[0], 1, 7, a);
    send_to(&makers[0], 1, 7, b);
    makers[1].clock = 1000;
    send_to(&makers[1], 0, 5, 8);
}

static struct maker one[RANKS], two[RANKS];

static void equal_runs_say_nothing(void **state)
{
    struct ft_sites *sites = table_of(FT_SITE_CHANNEL_DETERMINISTIC, 0, 1);

    (void)state;
    worker(one, 1, 0, 1, 100, 200);
    worker(two, 1, 0, 1, 100, 200);
    assert_int_equal(judge(sites, one, two, NULL), 0);
    assert_said("channel-deterministic; 1 perturbed run: held");
    assert_said("nothing is contradicted");
    assert_null(strstr(said, "difference"));
    ft_sites_destroy(sites);
}

static void differences_are_ascribed(void **state)
{
    struct ft_sites *sites = table_of(FT_SITE_CHANNEL_DETERMINISTIC, 0, 1);

    (void)state;
    worker(one, 1, 0, 1, 100, 200);
    worker(two, 1, 1, 0, 200, 100);
    assert_int_equal(judge(sites, one, two, NULL), 1);
    assert_said("CONTRADICTION, in run 1: after MPI_Recv at :10 (channel-deterministic)");
    assert_said("MPI_Send at p@500 sent another sequence from rank 0 to rank 1 (tag 7");
    assert_said(" run 0, tag 7: > 100 bytes <; 200 bytes");
    assert_said(" run 1, tag 7: > 200 bytes <; 100 bytes");
    assert_said("1 perturbed run: contradicted");
    worker(one, 1, 0, 1, 100, 200);
    worker(two, 1, 1, 0, 200, 100);
    assert_int_equal(judge(NULL, one, two, NULL), 0);
    assert_said("difference, explained, in run 1");
    worker(one, 2, 0, 1, 100, 200); /* site 2 is non-deterministic */
    worker(two, 2, 1, 0, 200, 100);
    assert_int_equal(judge(sites, one, two, NULL), 0);
    assert_said("difference, explained, in run 1");
    worker(one, 0, 0, 1, 100, 200); /* unmarked */
    worker(two, 0, 1, 0, 200, 100);
    assert_int_equal(judge(sites, one, two, NULL), 0);
    assert_said("difference, explained, in run 1");
    ft_sites_destroy(sites);
}

/* A path need not be UTF-8, which JSON demands. */
static void report_tells_of_any_path(void **state)
{
    struct ft_sites *sites = table_of(FT_SITE_CHANNEL_DETERMINISTIC, 0, 1);
    const char *command, *message = NULL;
    char path[64];
    json_t *report;

    (void)state;
    verified = "a\xe9";
    worker(one, 1, 0, 1, 100, 200);
    worker(two, 1, 1, 0, 200, 100);
    assert_int_equal(judge(sites, one, two, NULL), 1);
    verified = "p";
    sprintf(path, "%s/json", root);
    report = json_load_file(path, 0, NULL);
    assert_int_equal(json_unpack(report, "{s:s, s:[{s:s}]}", "program", &command, "contradictions",
                                 "message", &message),
                     0);
    assert_string_equal(command, "a?");
    assert_non_null(strstr(message, "MPI_Send at a?@500 sent another sequence"));
    json_decref(report);
    ft_sites_destroy(sites);
}

/* A site that differed only afterwards explains nothing. */
static void later_sites_explain_nothing(void **state)
{
    struct ft_sites *sites = table_of(FT_SITE_CHANNEL_DETERMINISTIC, 0, 1);

    (void)state;
    worker(one, 1, 0, 1, 100, 200);
    worker(two, 1, 1, 0, 200, 100);
    take_from(&one[0], 2, 0, 6);
    take_from(&two[0], 2, 1, 6);
    assert_int_equal(judge(sites, one, two, NULL), 1);
    ft_sites_destroy(sites);
}

/* The message of a named receive follows from what was sent: the receive neither explains nor is
 * to blame. */
static void named_receives_are_no_cause(void **state)
{
    struct ft_sites *sites = table_of(FT_SITE_CHANNEL_DETERMINISTIC, 0, 1);
    struct maker *makers[] = {one, two};

    (void)state;
    for (int run = 0; run < 2; run++) {
        struct ft_trace_record *receive;

        worker(makers[run], 1, run, !run, 100, 200);
        receive = take_from(&makers[run][1], 2, 0, 7 + run); /* site 2 is non-deterministic */
        receive->flags = FT_TRACE_MATCHED | FT_TRACE_ANY_TAG;
        send_to(&makers[run][1], 0, 9, 100 + (uint64_t)run);
    }
    assert_int_equal(judge(sites, one, two, NULL), 1);
    assert_said("after MPI_Recv at :10 (channel-deterministic) had another outcome, "
                "MPI_Send at p@500 sent another sequence from rank 1 to rank 0 (tag 9");
    assert_null(strstr(said, "explained"));
    ft_sites_destroy(sites);
}

/* A message is missing; another size; only the content. */
static void every_difference_is_seen(void **state)
{
    struct ft_sites *sites = table_of(FT_SITE_DETERMINISTIC, 0, 1);

    (void)state;
    worker(one, 1, 0, 1, 100, 200);
    worker(two, 1, 0, 1, 100, 200);
    send_to(&two[0], 1, 7, 300);
    assert_int_equal(judge(sites, one, two, NULL), 0);
    assert_said("run 0, tag 7: 100 bytes; 200 bytes; > nothing <");
    assert_said("run 1, tag 7: 100 bytes; 200 bytes; > 300 bytes <");
    assert_said("though no call with a choice had another outcome before");
    worker(one, 1, 0, 1, 100, 200);
    worker(two, 1, 0, 1, 100, 200);
    two[0].record[4].hash = 2;
    assert_int_equal(judge(sites, one, two, NULL), 0);
    assert_said("advice, in run 1: MPI_Send at p@500 sent other content");
    ft_sites_destroy(sites);
}

/* Only the content differs, behind a site that had another outcome. */
static int judge_content_behind(uint32_t class, int also_before)
{
    struct ft_sites *sites = table_of(class, 0, 1);
    int count;

    for (int run = 0; run < 2; run++) {
        struct maker *makers = run ? two : one;

        memset(makers, 0, sizeof one);
        if (also_before) /* the content differs where no outcome has differed yet */
            send_to(&makers[0], 1, 7, 100)->hash = 8 + (uint32_t)run;
        take_from(&makers[0], 1, run, 5);
        send_to(&makers[0], 1, 7, 100)->hash = 1 + (uint32_t)run;
    }
    count = judge(sites, one, two, NULL);
    ft_sites_destroy(sites);
    return count;
}

static void content_counts_behind_a_good_class(void **state)
{
    (void)state;
    for (uint32_t class = FT_SITE_DETERMINISTIC; class <= FT_SITE_CHANNEL_DETERMINISTIC; class ++) {
        assert_int_equal(judge_content_behind(class, 0), 1);
        assert_said("CONTRADICTION");
        assert_said("deterministic) had another outcome, MPI_Send at p@500 sent other content from "
                    "rank 0 to rank 1 (tag 7");
        assert_said("perturbed run: contradicted");
        assert_int_equal(judge_content_behind(class, 1), 0);
        assert_said("advice, in run 1: MPI_Send at p@500 sent other content");
    }
    assert_int_equal(judge_content_behind(FT_SITE_NON_DETERMINISTIC, 0), 0);
    assert_int_equal(judge_content_behind(FT_SITE_UNKNOWN, 0), 0);
}

/* Another order of sends on other channels: good enough for channel-deterministic, not for
 * send-deterministic. */
static void order_counts_for_send_determinism(void **state)
{
    (void)state;
    for (uint32_t class = FT_SITE_DETERMINISTIC; class <= FT_SITE_CHANNEL_DETERMINISTIC; class ++) {
        struct ft_sites *sites = table_of(class, 0, 1);

        memset(one, 0, sizeof one);
        memset(two, 0, sizeof two);
        take_from(&one[0], 1, 0, 5);
        take_from(&two[0], 1, 1, 5);
        send_to(&one[0], 1, 7, 100);
        send_to(&one[0], 1, 8, 100);
        send_to(&two[0], 1, 8, 100);
        send_to(&two[0], 1, 7, 100);
        assert_int_equal(judge(sites, one, two, NULL), class < FT_SITE_CHANNEL_DETERMINISTIC);
        ft_sites_destroy(sites);
    }
}

static void collectives_are_compared(void **state)
{
    struct ft_trace_record call = {
        .kind = FT_TRACE_COLLECTIVE, .call = FT_CALL_MPI_Bcast, .comm = 1, .size = 8};
    struct ft_sites *sites = table_of(FT_SITE_CHANNEL_DETERMINISTIC, 0, 1);

    (void)state;
    worker(one, 1, 0, 1, 100, 200);
    worker(two, 1, 0, 1, 100, 200);
    add(&one[1], call);
    call.peer = 1;
    add(&two[1], call);
    assert_int_equal(judge(sites, one, two, NULL), 0);
    assert_said("in the collectives of rank 1 on MPI_COMM_WORLD");
    assert_said("run 0: > MPI_Bcast of root 0, 8 bytes <");
    assert_said("run 1: > MPI_Bcast of root 1, 8 bytes <");
    ft_sites_destroy(sites);
}

/* Rank 1 sends twice on one channel, in iterations 1 and 2; rank 0 receives as told. */
static void two_rounds(struct maker *makers, uint32_t first, uint32_t second)
{
    memset(makers, 0, RANKS * sizeof *makers);
    place(send_to(&makers[1], 0, 5, 8), 9, 1);
    place(send_to(&makers[1], 0, 5, 8), 9, 2);
    place(take_from(&makers[0], 1, 1, 5), 9, first);
    place(take_from(&makers[0], 1, 1, 5), 9, second);
}

static int judge_rounds(const struct ft_sites *sites, uint32_t first, uint32_t second)
{
    two_rounds(one, 1, 2);
    two_rounds(two, first, second);
    return judge(sites, one, two, NULL);
}

static void crossed_iterations_contradict(void **state)
{
    struct ft_sites *trusted = table_of(FT_SITE_CHANNEL_DETERMINISTIC, 0, 1);
    struct ft_sites *plain, *logged;

    (void)state;
    assert_int_equal(judge_rounds(trusted, 1, 2), 0);
    assert_int_equal(judge_rounds(trusted, 1, 1), 1);
    assert_said("MPI_Recv at :10 on rank 0 met a message of another iteration");
    assert_said("had sent on rank 1 (tag 5, MPI_COMM_WORLD)");
    assert_said("which MPI_Send at p@500 had sent on rank 1");
    assert_said("asked: iteration 1 of pattern 00000009");
    assert_said("sent:  iteration 2 of pattern 00000009");
    assert_int_equal(judge_rounds(NULL, 1, 1), 1);
    ft_sites_destroy(trusted);
    plain = table_of(FT_SITE_CHANNEL_DETERMINISTIC, 0, 0);
    assert_int_equal(judge_rounds(plain, 1, 1), 0);
    ft_sites_destroy(plain);
    plain = table_of(FT_SITE_CHANNEL_DETERMINISTIC, FT_SITE_LOGGED, FT_PATTERN_CAPTURE);
    assert_int_equal(judge_rounds(plain, 1, 1), 1);
    ft_sites_destroy(plain);
    logged = table_of(FT_SITE_CHANNEL_DETERMINISTIC, FT_SITE_LOGGED, 1);
    assert_int_equal(judge_rounds(logged, 1, 1), 0);
    ft_sites_destroy(logged);
}

static void on_crossed(void *context, const struct ft_match *match)
{
    assert_non_null(match);
    ++*(int *)context;
}

static int crossings(struct maker *makers, uint64_t *matched)
{
    char path[64];
    int count = 0;

    write_run(2, makers, path);
    assert_int_equal(ft_match_check(path, RANKS, on_crossed, NULL, &count, matched), 0);
    return count;
}

/* The k-th message goes to the k-th receive in posting order, whatever completed first; a probe
 * sees the message behind those that are taken; channels are apart by tag. */
static void matching_is_by_posting_order(void **state)
{
    struct ft_trace_record *probe;
    uint64_t matched;

    (void)state;
    two_rounds(one, 1, 2);
    place(send_to(&one[1], 0, 6, 8), 9, 7);
    probe = take_from(&one[0], 1, 1, 6);
    probe->kind = FT_TRACE_PROBE;
    place(probe, 9, 7);
    place(take_from(&one[0], 1, 1, 6), 9, 7);
    assert_int_equal(crossings(one, &matched), 0);
    assert_int_equal(matched, 3);
    two_rounds(one, 2, 1);
    assert_int_equal(crossings(one, &matched), 2);
    two_rounds(one, 1, 2);
    one[0].record[2].flags &= (uint8_t)~FT_TRACE_ANY_SOURCE; /* a named receive may do anything */
    place(&one[0].record[2], 0, 0);
    assert_int_equal(crossings(one, &matched), 0);
    assert_int_equal(matched, 2);
}

/* Nobody knows the message of a receive that never completed. */
static void unknown_matches_stop_the_counting(void **state)
{
    uint64_t matched;

    (void)state;
    two_rounds(one, 2, 2);
    assert_int_equal(crossings(one, &matched), 1);
    two_rounds(one, 2, 2);
    one[0].record[1].flags = FT_TRACE_ANY_SOURCE;
    assert_int_equal(crossings(one, &matched), 0);
    assert_int_equal(matched, 0);
    two_rounds(one, 2, 1);
    one[0].record[1].flags = FT_TRACE_ANY_SOURCE | FT_TRACE_CANCELLED;
    assert_int_equal(crossings(one, &matched), 0);
    assert_int_equal(matched, 1);
}

/* A run that failed is not compared, and damaged files end. */
static void failed_runs_and_damaged_files(void **state)
{
    char path[64], name[128];
    struct ft_reader reader;
    int fd;

    (void)state;
    worker(one, 1, 0, 1, 100, 200);
    worker(two, 1, 1, 0, 200, 100);
    assert_int_equal(judge(NULL, one, two, "rank 1 was killed"), 0);
    assert_said("run 1: rank 1 was killed");
    assert_said("no perturbed run could be compared");
    write_run(3, one, path);
    sprintf(name, "%s/rank-0", path);
    fd = open(name, O_RDWR);
    for (int i = 0; i < 2000; i++) {
        uint64_t noise = (uint64_t)i * 0x9e3779b97f4a7c15u;

        assert_int_equal(pwrite(fd, &noise, sizeof noise, 64 + i * 8), sizeof noise);
    }
    close(fd);
    ft_reader_open(&reader, path, 0);
    while (ft_reader_next(&reader))
        ;
    ft_reader_close(&reader);
    uint64_t matched;
    int count = 0;
    ft_match_check(path, RANKS, on_crossed, NULL, &count, &matched);
}

static int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) == NULL;
}

static int remove_root(void **state)
{
    char command[64];

    (void)state;
    sprintf(command, "rm -r %s", root);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_runs_say_nothing),
        cmocka_unit_test(differences_are_ascribed),
        cmocka_unit_test(report_tells_of_any_path),
        cmocka_unit_test(later_sites_explain_nothing),
        cmocka_unit_test(named_receives_are_no_cause),
        cmocka_unit_test(every_difference_is_seen),
        cmocka_unit_test(content_counts_behind_a_good_class),
        cmocka_unit_test(order_counts_for_send_determinism),
        cmocka_unit_test(collectives_are_compared),
        cmocka_unit_test(crossed_iterations_contradict),
        cmocka_unit_test(matching_is_by_posting_order),
        cmocka_unit_test(unknown_matches_stop_the_counting),
        cmocka_unit_test(failed_runs_and_damaged_files),
    };

    return cmocka_run_group_tests(tests, make_root, remove_root);
}

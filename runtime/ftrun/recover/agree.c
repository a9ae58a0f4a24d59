/* agree: what the living members of a communicator decide together (libft/ulfm/agree.h). An entry
 * is there from the first contribution until all members have contributed or are dead. */
#include <stdlib.h>
#include <string.h>
#include <utlist.h>
#include "recover/mourn.h"
#include "recover/recover.h"

struct ft_agreeing {
    struct ft_wire_agreed answer; /* so far */
    uint32_t count, kind;         /* members; enum ft_agreement_kind, */
    int first;                    /* of this rank, the first one that came */
    uint8_t *come;                /* [count] 1: has contributed */
    struct ft_agreeing *next;
    int32_t member[]; /* [count] world ranks */
};

static struct ft_agreeing *find(struct ft_run *run, const struct ft_wire_agree *word,
                                const int32_t *members, int first)
{
    struct ft_agreeing *agreeing;

    LL_FOREACH (run->deaths.agreeing, agreeing) {
        if (agreeing->answer.comm == word->comm && agreeing->answer.number == word->number)
            return agreeing;
    }
    agreeing = calloc(1, sizeof(*agreeing) + word->count * (sizeof(int32_t) + 1));
    if (!agreeing)
        return NULL;
    agreeing->answer = (struct ft_wire_agreed){
        .comm = word->comm, .number = word->number, .flag = -1, .acknowledged = UINT32_MAX};
    agreeing->count = word->count;
    agreeing->kind = word->kind;
    agreeing->first = first;
    memcpy(agreeing->member, members, word->count * sizeof(int32_t));
    agreeing->come = (uint8_t *)&agreeing->member[word->count];
    LL_PREPEND(run->deaths.agreeing, agreeing);
    return agreeing;
}

static const char *name(uint32_t kind)
{
    static const char *const names[] = {[FT_AGREEMENT_AGREE] = "MPIX_Comm_agree",
                                        [FT_AGREEMENT_IAGREE] = "MPIX_Comm_iagree",
                                        [FT_AGREEMENT_SHRINK] = "MPIX_Comm_shrink",
                                        [FT_AGREEMENT_SHRUNK] = "MPIX_Comm_shrink",
                                        [FT_AGREEMENT_BIRTH] = "a call that makes a communicator",
                                        [FT_AGREEMENT_REPLACE] = "ft_replace"};

    return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "another call";
}

static int is_complete(const struct ft_run *run, const struct ft_agreeing *agreeing)
{
    for (uint32_t i = 0; i < agreeing->count; i++)
        if (!agreeing->come[i] && !run->members[agreeing->member[i]].mourned)
            return 0;
    return 1;
}

static void decide(struct ft_run *run, struct ft_agreeing *agreeing)
{
    struct ft_wire_agreed answer = agreeing->answer;

    answer.deaths = run->deaths.count;
    LL_DELETE(run->deaths.agreeing, agreeing);
    if (agreeing->kind == FT_AGREEMENT_REPLACE) {
        free(agreeing);
        ft_replace_begin(run);
        return;
    }
    for (uint32_t i = 0; i < agreeing->count; i++) {
        struct ft_member *member = &run->members[agreeing->member[i]];

        if (agreeing->come[i] && !member->mourned)
            ft_rank_send(member, FT_WIRE_AGREED, &answer, sizeof(answer), NULL, 0, -1);
    }
    free(agreeing);
}

void ft_agree_take(struct ft_member *member, const struct ft_wire_agree *word,
                   const int32_t *members)
{
    struct ft_run *run = member->run;
    struct ft_agreeing *agreeing = find(run, word, members, member->rank);

    if (!agreeing) {
        ft_say("no memory for an agreement of %u ranks", word->count);
        ft_finish(run, 1);
        return;
    }
    if (agreeing->kind != word->kind) {
        ft_say(
            "rank %d is in %s, and rank %d in %s, of one communicator: all its members must make "
            "these calls in one order",
            agreeing->first, name(agreeing->kind), member->rank, name(word->kind));
        ft_finish(run, FT_EXIT_REFUSED);
        return;
    }
    for (uint32_t i = 0; i < agreeing->count; i++)
        if (agreeing->member[i] == member->rank)
            agreeing->come[i] = 1;
    agreeing->answer.flag &= word->flag;
    if (word->proposal > agreeing->answer.proposal)
        agreeing->answer.proposal = word->proposal;
    if (word->acknowledged < agreeing->answer.acknowledged)
        agreeing->answer.acknowledged = word->acknowledged;
    if (is_complete(run, agreeing))
        decide(run, agreeing);
}

void ft_agree_look(struct ft_run *run)
{
    struct ft_agreeing *agreeing, *next;

    LL_FOREACH_SAFE (run->deaths.agreeing, agreeing, next)
        if (is_complete(run, agreeing))
            decide(run, agreeing);
}

void ft_agree_free(struct ft_run *run)
{
    struct ft_agreeing *agreeing, *next;

    LL_FOREACH_SAFE (run->deaths.agreeing, agreeing, next)
        free(agreeing);
    run->deaths.agreeing = NULL;
}

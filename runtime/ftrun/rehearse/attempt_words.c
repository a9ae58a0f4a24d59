/* attempt_words: the command line of an attempt, from the options of the rehearsal. Options that
 * only the rehearsal needs (its files) are left out of the line that a user is shown. */
#include "rehearse/attempt.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct words {
    char **word; /* NULL-terminated */
    size_t count, room;
    int failed; /* no memory */
};

static void add(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct words *words, const char *format, ...)
{
    char *word = NULL;
    va_list list;

    if (words->count + 1 >= words->room) {
        size_t room = 2 * words->room + 32;
        char **more = realloc(words->word, room * sizeof(*more));

        if (!more) {
            words->failed = 1;
            return;
        }
        words->word = more;
        words->room = room;
    }
    va_start(list, format);
    words->failed |= vasprintf(&word, format, list) < 0;
    va_end(list);
    words->word[words->count++] = word;
    words->word[words->count] = NULL;
}

static void add_pair(struct words *words, const char *name, const char *value)
{
    add(words, "%s", name);
    add(words, "%s", value);
}

static void add_time(struct words *words, const char *name, double seconds)
{
    add(words, "%s", name);
    add(words, "%.4g", seconds);
}

static void add_number(struct words *words, const char *name, uint64_t number)
{
    add(words, "%s", name);
    add(words, "%llu", (unsigned long long)number);
}

/* For the worst case all is done again that was ever done: only the first checkpoint is taken, and
 * no full log asks for another one. */
static void add_checkpoints(struct words *words, const struct ft_attempts *attempts,
                            const struct ft_attempt_order *order)
{
    const struct ft_options *options = attempts->options;

    if (order->adversary) {
        add_pair(words, "--checkpoint-interval", "30d");
        return;
    }
    if (options->interval > 0)
        add_time(words, "--checkpoint-interval", options->interval);
    else if (attempts->interval > 0 && !options->every)
        add_time(words, "--checkpoint-interval", attempts->interval);
    if (options->every)
        add_number(words, "--checkpoint-every", options->every);
    if (options->keep != FT_OPTIONS_KEEP)
        add_number(words, "--keep", options->keep);
    if (options->log_limit)
        add_number(words, "--log-limit", options->log_limit);
}

/* The argument of --trust, NULL: none. With clusters all outcomes are recorded at first, unless the
 * user says otherwise; what may be believed is tried in attempts of its own, with a file of the
 * rehearsal, whose content stands in the rehearsal's result in the end. */
static const char *trust_of(const struct ft_options *options, const struct ft_attempt_order *order,
                            int files)
{
    if (order->trust)
        return files ? order->trust : options->survival ? options->survival : "FILE";
    if (options->rehearsed)
        return options->rehearsed;
    if (options->trust == FT_TRUSTING_DEFAULT)
        return options->clusters ? "none" : NULL;
    return options->trust == FT_TRUSTING_SAID ? "proved" : "none";
}

static void add_protocol(struct words *words, const struct ft_options *options,
                         const struct ft_attempt_order *order, int files)
{
    const char *trust = trust_of(options, order, files);

    if (options->named && options->protocol != FT_PROTOCOL_AUTO)
        add_pair(words, "--protocol", options->named->name);
    if (options->clusters)
        add_pair(words, "--clusters", options->clusters);
    if (options->window)
        add_number(words, "--replay-window", options->window);
    if (options->content || order->content)
        add(words, "--check-content");
    if (trust)
        add_pair(words, "--trust", trust);
}

/* An attempt's own output is read with the ranks. */
static void add_surroundings(struct words *words, const struct ft_options *options, int files)
{
    add(words, "-n");
    add(words, "%d", options->size);
    if (files || options->prepend)
        add(words, "-l");
    if (options->launcher)
        add_pair(words, "--launcher", options->launcher);
    if (options->cwd)
        add_pair(words, "-wdir", options->cwd);
    for (int i = 0; i < options->ignored; i++)
        add_pair(words, "--ignore", options->ignored_word[i]);
    for (int i = 0; i < options->variables; i++) {
        add(words, "-env");
        add_pair(words, options->name[i], options->value[i]);
    }
}

static void add_order(struct words *words, const struct ft_attempts *attempts,
                      const struct ft_attempt_order *order, int files)
{
    if (order->verify) {
        add(words, "--verify");
        add(words, "%d", FT_ATTEMPT_VERIFY_RUNS);
        return;
    }
    add_protocol(words, attempts->options, order, files);
    add_checkpoints(words, attempts, order);
    if (attempts->options->hold)
        add(words, "--output=commit");
    if (order->adversary)
        add(words, "--adversary");
    if (order->kill)
        add_pair(words, "--kill", order->kill);
}

static void add_files(struct words *words, const struct ft_attempts *attempts,
                      const struct ft_attempt_order *order)
{
    char path[FT_STORE_PATH];

    ft_attempt_file(attempts, "store", path);
    add_pair(words, "--store", path);
    ft_attempt_file(attempts, "events", path);
    add_pair(words, "--events", path);
    if (order->calls)
        add(words, "--call-events");
    if (order->verify)
        add_pair(words, "--verify-report", order->verify);
}

static char **make_words(const struct ft_attempts *attempts, const struct ft_attempt_order *order,
                         int files)
{
    struct words words = {0};

    add(&words, "ftrun");
    add_surroundings(&words, attempts->options, files);
    add_order(&words, attempts, order, files);
    if (files)
        add_files(&words, attempts, order);
    for (char **word = attempts->options->argv; *word; word++)
        add(&words, "%s", *word);
    if (!words.failed)
        return words.word;
    ft_attempt_words_destroy(words.word);
    return NULL;
}

char **ft_attempt_words(const struct ft_attempts *attempts, const struct ft_attempt_order *order)
{
    return make_words(attempts, order, 1);
}

void ft_attempt_words_destroy(char **words)
{
    for (char **word = words; words && *word; word++)
        free(*word);
    free(words);
}

static void put_quoted(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_@%+=:,./-";

    if (*word && !word[strspn(word, plain)]) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, 0}, out);
    fputc('\'', out);
}

char *ft_attempt_line(const struct ft_attempts *attempts, const struct ft_attempt_order *order)
{
    char **words = make_words(attempts, order, 0), *line = NULL;
    size_t length;
    FILE *out = words ? open_memstream(&line, &length) : NULL;

    for (char **word = words; out && *word; word++) {
        if (word != words)
            fputc(' ', out);
        put_quoted(out, *word);
    }
    if (out)
        fclose(out);
    ft_attempt_words_destroy(words);
    return line;
}

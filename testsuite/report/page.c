/* page: a page in a headless browser, ordered and asked by a script.
 *
 *     page BROWSER SCRIPT [WORD]...
 *
 * Each line of SCRIPT is an order; $1, $2 ... in it are the WORDs:
 *
 *     viewport WIDTH HEIGHT   in pixels, as a phone or a desktop would have
 *     scheme dark|light       what the page is told that the user prefers
 *     script on|off           JavaScript
 *     load ADDRESS            and wait until it is there
 *     check EXPRESSION        must be true; otherwise what it is gets printed
 *     do EXPRESSION           is evaluated
 *     shot FILE               a PNG of the whole page
 *
 * Any exception, any error or warning on the console, and any request besides those of `load` is a
 * failure. Exit code 0, 1, or 2 when the browser does not run or does not answer, or when a signal
 * ends this program, which stops the browser first.
 *
 * The protocol is DevTools' over a pair of pipes: JSON objects with a '\0' behind each. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE = 60000 }; /* milliseconds for one answer */

struct browser {
    pid_t pid;
    char *profile;       /* its folder */
    int orders, answers; /* pipes */
    int ends;            /* descriptor of the signals that end this program */
    char *bytes;         /* what was read of the next message */
    size_t length, room;
    int last; /* number of the last order */
    char *session;
    bool loaded;       /* the page, since the last `load` */
    unsigned requests; /* since then */
    unsigned failures;
};

static void complain(struct browser *browser, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("FAILED: ", stdout);
    vprintf(format, arguments);
    fputc('\n', stdout);
    va_end(arguments);
    browser->failures++;
}

/* Holds the signals that end this program, or lets them come; returns their set. */
static sigset_t signals_hold(bool held)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(held ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
    return set;
}

/* In the child: descriptors 3 and 4 are the pipes. */
static _Noreturn void browser_run(const char *program, const char *profile, int orders, int answers)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    signals_hold(false);
    int in = fcntl(orders, F_DUPFD, 10), out = fcntl(answers, F_DUPFD, 10);
    dup2(in, 3);
    dup2(out, 4);
    int null = open("/dev/null", O_WRONLY);
    dup2(null, 2);
    char folder[4096];
    snprintf(folder, sizeof folder, "--user-data-dir=%s", profile);
    execlp(program, program, "--headless", "--remote-debugging-pipe", "--no-sandbox",
           "--disable-gpu", "--no-first-run", "--disable-extensions",
           "--disable-background-networking", "--disable-dev-shm-usage", "--hide-scrollbars",
           folder, "about:blank", (char *)NULL);
    _exit(2);
}

static void browser_start(struct browser *browser, const char *program)
{
    int orders[2], answers[2];
    char folder[] = "/tmp/ftpage.XXXXXX";
    if (mkdtemp(folder) == NULL || pipe2(orders, O_CLOEXEC) != 0 ||
        pipe2(answers, O_CLOEXEC) != 0) {
        perror("page");
        exit(1);
    }
    browser->profile = strdup(folder);
    sigset_t set = signals_hold(true);
    browser->ends = signalfd(-1, &set, SFD_CLOEXEC);
    browser->pid = fork();
    if (browser->pid == 0)
        browser_run(program, folder, orders[0], answers[1]);
    close(orders[0]);
    close(answers[1]);
    browser->orders = orders[1];
    browser->answers = answers[0];
}

static void browser_stop(struct browser *browser)
{
    char command[4096];
    close(browser->orders);
    close(browser->answers);
    close(browser->ends);
    kill(-browser->pid, SIGKILL);
    kill(browser->pid, SIGKILL);
    waitpid(browser->pid, NULL, 0);
    snprintf(command, sizeof command, "rm -rf '%s'", browser->profile);
    if (system(command) != 0)
        fprintf(stderr, "page: cannot remove %s\n", browser->profile);
    free(browser->profile);
    free(browser->session);
    free(browser->bytes);
}

static _Noreturn void give_up(struct browser *browser, const char *why)
{
    printf("FAILED: %s\n", why);
    browser_stop(browser);
    exit(2);
}

/* Waits for bytes, and reads them; gives up when there are none. */
static size_t bytes_read(struct browser *browser, char *bytes, size_t room)
{
    struct pollfd ready[] = {{.fd = browser->answers, .events = POLLIN},
                             {.fd = browser->ends, .events = POLLIN}};
    int count = poll(ready, 2, PATIENCE);
    if (count > 0 && ready[1].revents)
        give_up(browser, "a signal");
    ssize_t got = count > 0 ? read(browser->answers, bytes, room) : -1;
    if (got <= 0)
        give_up(browser,
                got == 0 ? "the browser does not run here" : "the browser does not answer");
    return (size_t)got;
}

/* The next message, which the caller owns. */
static json_t *message_read(struct browser *browser)
{
    char *end;
    while ((end = memchr(browser->bytes, '\0', browser->length)) == NULL) {
        if (browser->room - browser->length < 65536) {
            browser->room = 2 * browser->room + 65536;
            browser->bytes = realloc(browser->bytes, browser->room);
        }
        browser->length +=
            bytes_read(browser, browser->bytes + browser->length, browser->room - browser->length);
    }
    json_t *message = json_loads(browser->bytes, JSON_ALLOW_NUL, NULL);
    size_t used = (size_t)(end - browser->bytes) + 1;
    memmove(browser->bytes, end + 1, browser->length - used);
    browser->length -= used;
    return message;
}

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static void log_take(struct browser *browser, const json_t *entry)
{
    const char *level = text_at(entry, "level");
    if (strcmp(level, "error") == 0 || strcmp(level, "warning") == 0)
        complain(browser, "console: %s", text_at(entry, "text"));
}

/* Takes a message that the browser sends unasked. */
static void event_take(struct browser *browser, const json_t *message)
{
    const char *method = text_at(message, "method");
    const json_t *what = json_object_get(message, "params");
    if (strcmp(method, "Page.loadEventFired") == 0)
        browser->loaded = true;
    else if (strcmp(method, "Network.requestWillBeSent") == 0 && browser->requests++ > 0)
        complain(browser, "request: %s", text_at(json_object_get(what, "request"), "url"));
    else if (strcmp(method, "Runtime.exceptionThrown") == 0)
        complain(browser, "exception: %s",
                 text_at(json_object_get(json_object_get(what, "exceptionDetails"), "exception"),
                         "description"));
    else if (strcmp(method, "Runtime.consoleAPICalled") == 0)
        complain(browser, "the page writes on the console");
    else if (strcmp(method, "Log.entryAdded") == 0)
        log_take(browser, json_object_get(what, "entry"));
}

/* Gives an order, and returns its result, which the caller owns. `parameters` is taken. */
static json_t *order(struct browser *browser, const char *method, json_t *parameters)
{
    json_t *message =
        json_pack("{s:i, s:s, s:o}", "id", ++browser->last, "method", method, "params", parameters);
    if (browser->session != NULL)
        json_object_set_new(message, "sessionId", json_string(browser->session));
    char *text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    bool sent = write(browser->orders, text, strlen(text) + 1) == (ssize_t)strlen(text) + 1;
    free(text);
    if (!sent)
        give_up(browser, "the browser does not listen");
    for (;;) {
        json_t *answer = message_read(browser);
        if (json_integer_value(json_object_get(answer, "id")) == browser->last) {
            json_t *result = json_incref(json_object_get(answer, "result"));
            if (result == NULL)
                complain(browser, "%s: %s", method,
                         text_at(json_object_get(answer, "error"), "message"));
            json_decref(answer);
            return result;
        }
        event_take(browser, answer);
        json_decref(answer);
    }
}

static void session_begin(struct browser *browser)
{
    json_t *target =
        order(browser, "Target.createTarget", json_pack("{s:s}", "url", "about:blank"));
    json_t *attached =
        order(browser, "Target.attachToTarget",
              json_pack("{s:s, s:b}", "targetId", text_at(target, "targetId"), "flatten", true));
    browser->session = strdup(text_at(attached, "sessionId"));
    json_decref(target);
    json_decref(attached);
    static const char *const domains[] = {"Page.enable", "Runtime.enable", "Log.enable",
                                          "Network.enable"};
    for (size_t n = 0; n < sizeof domains / sizeof *domains; n++)
        json_decref(order(browser, domains[n], json_object()));
}

static void load(struct browser *browser, const char *address)
{
    browser->loaded = false;
    browser->requests = 0;
    json_t *result = order(browser, "Page.navigate", json_pack("{s:s}", "url", address));
    if (text_at(result, "errorText")[0] != '\0')
        complain(browser, "%s: %s", address, text_at(result, "errorText"));
    /* A mere fragment of the page that is there loads nothing. */
    bool fresh = json_object_get(result, "loaderId") != NULL;
    json_decref(result);
    while (fresh && !browser->loaded) {
        json_t *message = message_read(browser);
        event_take(browser, message);
        json_decref(message);
    }
}

static json_t *answer_of(struct browser *browser, const char *expression)
{
    return order(browser, "Runtime.evaluate",
                 json_pack("{s:s, s:b}", "expression", expression, "returnByValue", true));
}

/* The browser takes a new viewport into account a moment after it has said so. A condition has
 * two seconds to become true. */
static json_t *true_answer_of(struct browser *browser, const char *expression)
{
    json_t *answer = answer_of(browser, expression);
    for (int n = 0;
         n < 40 && json_is_false(json_object_get(json_object_get(answer, "result"), "value"));
         n++) {
        usleep(50000);
        json_decref(answer);
        answer = answer_of(browser, expression);
    }
    return answer;
}

static void evaluate(struct browser *browser, const char *expression, bool must)
{
    json_t *answer = must ? true_answer_of(browser, expression) : answer_of(browser, expression);
    const json_t *value = json_object_get(json_object_get(answer, "result"), "value");
    const json_t *thrown = json_object_get(answer, "exceptionDetails");
    if (thrown != NULL)
        complain(browser, "%s throws %s", expression,
                 text_at(json_object_get(thrown, "exception"), "description"));
    else if (must && !json_is_true(value)) {
        char *text = value != NULL ? json_dumps(value, JSON_ENCODE_ANY) : strdup("undefined");
        complain(browser, "%s is %s", expression, text);
        free(text);
    }
    json_decref(answer);
}

static void base64_write(const char *text, FILE *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned bits = 0, count = 0;
    for (; *text != '\0' && *text != '='; text++) {
        bits = bits << 6 | (unsigned)(strchr(digits, *text) - digits);
        count += 6;
        if (count >= 8) {
            count -= 8;
            fputc((int)(bits >> count & 0xFF), out);
        }
    }
}

static void shot(struct browser *browser, const char *path)
{
    json_t *answer = order(browser, "Page.captureScreenshot",
                           json_pack("{s:s, s:b}", "format", "png", "captureBeyondViewport", true));
    FILE *out = fopen(path, "wb");
    if (out == NULL)
        complain(browser, "%s: %s", path, strerror(errno));
    else
        base64_write(text_at(answer, "data"), out);
    if (out != NULL && fclose(out) != 0)
        complain(browser, "%s: %s", path, strerror(errno));
    json_decref(answer);
}

static void obey(struct browser *browser, const char *verb, const char *rest)
{
    int width, height;
    if (strcmp(verb, "viewport") == 0 && sscanf(rest, "%d %d", &width, &height) == 2)
        json_decref(order(browser, "Emulation.setDeviceMetricsOverride",
                          json_pack("{s:i, s:i, s:i, s:b}", "width", width, "height", height,
                                    "deviceScaleFactor", 1, "mobile", width < 600)));
    else if (strcmp(verb, "scheme") == 0)
        json_decref(order(browser, "Emulation.setEmulatedMedia",
                          json_pack("{s:[{s:s, s:s}]}", "features", "name", "prefers-color-scheme",
                                    "value", rest)));
    else if (strcmp(verb, "script") == 0)
        json_decref(order(browser, "Emulation.setScriptExecutionDisabled",
                          json_pack("{s:b}", "value", strcmp(rest, "off") == 0)));
    else if (strcmp(verb, "load") == 0)
        load(browser, rest);
    else if (strcmp(verb, "check") == 0 || strcmp(verb, "do") == 0)
        evaluate(browser, rest, strcmp(verb, "check") == 0);
    else if (strcmp(verb, "shot") == 0)
        shot(browser, rest);
    else
        complain(browser, "no such order: %s", verb);
}

/* Puts the words in the place of $1, $2 ...; the caller frees the result. */
static char *words_put(const char *line, char **words, int count)
{
    size_t room = strlen(line) + 1;
    for (int n = 0; n < count; n++)
        room += strlen(line) * strlen(words[n]);
    char *result = malloc(room), *out = result;
    for (; *line != '\0'; line++) {
        int number = *line == '$' ? line[1] - '0' : 0;
        if (number >= 1 && number <= count && number <= 9) {
            out = stpcpy(out, words[number - 1]);
            line++;
        } else {
            *out++ = *line;
        }
    }
    *out = '\0';
    return result;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: page BROWSER SCRIPT [WORD]...\n", stderr);
        return 2;
    }
    FILE *script = fopen(argv[2], "r");
    if (script == NULL) {
        perror(argv[2]);
        return 2;
    }
    struct browser browser = {0};
    signal(SIGPIPE, SIG_IGN);
    browser_start(&browser, argv[1]);
    session_begin(&browser);
    char *line = NULL;
    size_t room = 0;
    for (ssize_t length; (length = getline(&line, &room, script)) > 0;) {
        line[strcspn(line, "\n")] = '\0';
        char *whole = words_put(line, argv + 3, argc - 3);
        char *rest = strchr(whole, ' ');
        if (whole[0] != '#' && rest != NULL) {
            *rest++ = '\0';
            obey(&browser, whole, rest);
        }
        free(whole);
    }
    free(line);
    fclose(script);
    browser_stop(&browser);
    return browser.failures == 0 ? 0 : 1;
}

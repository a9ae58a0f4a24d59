/* Idea: a word is looked at once, left to right, with a little state: the language of -x, and
 * whether it is the value of the word before. */
#include "ftcc/options.h"
#include "ftcc/response.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options whose value is the next word, and the kind of both. */
static const struct {
    const char *name;
    enum cc_kind kind;
} valued[] = {
    {"-o", CC_OUTPUT},          {"-x", CC_LANGUAGE},
    {"-MF", CC_DEPEND},         {"-MT", CC_DEPEND},
    {"-MQ", CC_DEPEND},         {"-I", CC_PLAIN},
    {"-D", CC_PLAIN},           {"-U", CC_PLAIN},
    {"-L", CC_PLAIN},           {"-B", CC_PLAIN},
    {"-T", CC_PLAIN},           {"-J", CC_PLAIN},
    {"-A", CC_PLAIN},           {"-u", CC_PLAIN},
    {"-z", CC_PLAIN},           {"-e", CC_PLAIN},
    {"-l", CC_INPUT},           {"-include", CC_PLAIN},
    {"-imacros", CC_PLAIN},     {"-iquote", CC_PLAIN},
    {"-isystem", CC_PLAIN},     {"-idirafter", CC_PLAIN},
    {"-iprefix", CC_PLAIN},     {"-isysroot", CC_PLAIN},
    {"-iwithprefix", CC_PLAIN}, {"-iwithprefixbefore", CC_PLAIN},
    {"-imultilib", CC_PLAIN},   {"-Xlinker", CC_PLAIN},
    {"-Xassembler", CC_PLAIN},  {"-Xpreprocessor", CC_PLAIN},
    {"-Xclang", CC_PLAIN},      {"-aux-info", CC_ASIDE},
    {"--param", CC_PLAIN},      {"-dumpdir", CC_PLAIN},
    {"-dumpbase", CC_PLAIN},    {"-dumpbase-ext", CC_PLAIN},
    {"-wrapper", CC_PLAIN},     {"-specs", CC_PLAIN},
    {"--sysroot", CC_PLAIN},    {"-target", CC_PLAIN},
    {"-mllvm", CC_PLAIN},       {"-soname", CC_PLAIN},
    {"-p", CC_DATABASE},
};

struct parse {
    struct cc_options *options;
    bool c;            /* -x c is in force */
    bool other;        /* -x with another language is in force */
    bool value;        /* the next word is the value of the last one */
    enum cc_kind kind; /* of that value */
};

static bool begins(const char *word, const char *prefix)
{
    return strncmp(word, prefix, strlen(prefix)) == 0;
}

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

static bool begins_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (begins(word, *list))
            return true;
    return false;
}

static struct cc_word *word_add(struct parse *parse, const char *text, enum cc_kind kind)
{
    struct cc_word word = {.text = strdup(text), .kind = kind};
    utarray_push_back(&parse->options->words, &word);
    return utarray_back(&parse->options->words);
}

static void language_set(struct parse *parse, const char *language)
{
    parse->c = strcmp(language, "c") == 0;
    parse->other = !parse->c && strcmp(language, "none") != 0;
}

/* A word for the linker itself that asks for an object: behind -Xlinker, or one of those of -Wl. */
static bool is_relocatable(const char *word)
{
    static const char *const names[] = {"-r", "-i", "-Ur", "--relocatable", NULL};
    return is_one_of(word, names);
}

static bool is_for_linker(const struct cc_options *options)
{
    const struct cc_word *word = utarray_back(&options->words);
    return word && strcmp(word->text, "-Xlinker") == 0;
}

static void linker_words(struct cc_options *options, const char *words)
{
    char *copy = strdup(words), *rest = copy;
    for (char *word; (word = strsep(&rest, ","));)
        options->relocatable |= is_relocatable(word);
    free(copy);
}

static void value_add(struct parse *parse, const char *text)
{
    parse->options->relocatable |= is_for_linker(parse->options) && is_relocatable(text);
    word_add(parse, text, parse->kind);
    parse->value = false;
    parse->options->inputs += parse->kind == CC_INPUT;
    parse->options->aside |= parse->kind == CC_ASIDE;
    const char *kept = ((struct cc_word *)utarray_back(&parse->options->words))->text;
    if (parse->kind == CC_LANGUAGE)
        language_set(parse, text);
    if (parse->kind == CC_OUTPUT)
        parse->options->output = kept;
    if (parse->kind == CC_DATABASE)
        parse->options->database = kept;
}

static void input_add(struct parse *parse, const char *text)
{
    static const char *const cxx_endings[] = {".cc",  ".cp", ".cpp", ".cxx",
                                              ".c++", ".C",  ".CPP", NULL};
    static const char *const endings[] = {
        ".i", ".ii",  ".m",   ".f",   ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08",
        ".F", ".FOR", ".FTN", ".F77", ".F90", ".F95", ".F03", ".F08", ".fpp", ".FPP", NULL};
    struct cc_options *options = parse->options;
    const char *dot = strrchr(text, '.');
    bool named = dot && !parse->other;
    bool ends_in_c = named && strcmp(dot, ".c") == 0;
    bool library = begins(text, "-l");
    bool cxx = named && !parse->c &&
               (is_one_of(dot, cxx_endings) || (ends_in_c && options->driver == CC_MPICXX_DRIVER));
    bool source = !library && strcmp(text, "-") != 0 && (parse->c || ends_in_c || cxx);
    struct cc_word *word = word_add(parse, text, source ? CC_SOURCE : CC_INPUT);
    word->forced = source && parse->c;
    word->cxx = source && cxx;
    options->inputs++;
    options->sources += source;
    options->compiles |=
        source || (!library && (parse->c || parse->other || (dot && is_one_of(dot, endings)) ||
                                (dot && strcmp(dot, ".c") == 0)));
}

static void wrong_set(struct cc_options *options, const char *format, const char *word)
{
    if (options->wrong)
        return;
    size_t size = strlen(format) + strlen(word) + 1;
    options->wrong = malloc(size);
    if (!options->wrong)
        abort();
    snprintf(options->wrong, size, format, word);
}

static void report_add(struct cc_options *options, const char *path)
{
    static const char *const endings[] = {".txt", ".json", ".sarif", ".html", NULL};
    const char *dot = strrchr(path, '.');
    if (!dot || !is_one_of(dot, endings))
        wrong_set(options, "--ft-report=%s: a report is .txt, .json, .sarif or .html", path);
    utarray_push_back(&options->reports, &path);
}

static void verified_set(struct cc_options *options, const char *path)
{
    free(options->verified);
    options->verified = strdup(path);
}

/* One ftcc stands before one library, because libft.so is built for its mpi.h. */
static void library_check(struct cc_options *options, const char *name)
{
    if (strcmp(name, FT_MPI) != 0)
        wrong_set(options,
                  "-cc-mpi=%s: this ftcc is built for " FT_MPI "; cmake -DFT_MPI=mpich and "
                  "-DFT_MPI=openmpi, in folders of their own, build both",
                  name);
}

/* The options of ftcc itself; the word goes nowhere else. */
static void own_option(struct parse *parse, const char *word)
{
    struct cc_options *options = parse->options;
    const struct {
        const char *name;
        bool *where, value;
    } switches[] = {{"--ft-diff", &options->diff, true},
                    {"--ft-report", &options->report, true},
                    {"--ft-analyze", &options->analyze, true},
                    {"--ft-strict", &options->strict, true},
                    {"--ft-later", &options->later, true},
                    {"--ft-judge", &options->judge, true},
                    {"--ft-no-annotate", &options->annotate, false},
                    {"--ft-no-lines", &options->lines, false},
                    {"--ft-help", &options->help, true},
                    {"--ft-version", &options->version, true}};
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (strcmp(word, switches[i].name) == 0) {
            *switches[i].where = switches[i].value;
            return;
        }
    if (begins(word, "--ft-report=") && word[strlen("--ft-report=")])
        report_add(options, word + strlen("--ft-report="));
    else if (begins(word, "-cc-mpi="))
        library_check(options, word + strlen("-cc-mpi="));
    else if (begins(word, "--ft-verified=") && word[strlen("--ft-verified=")])
        verified_set(options, word + strlen("--ft-verified="));
    else
        wrong_set(options, "unknown option %s (see ftcc --ft-help)", word);
}

static bool step_option(struct parse *parse, const char *word)
{
    static const struct {
        const char *name;
        enum cc_step step;
    } steps[] = {{"-c", CC_OBJECT},     {"-S", CC_ASSEMBLE},    {"-E", CC_PREPROCESS},
                 {"-M", CC_PREPROCESS}, {"-MM", CC_PREPROCESS}, {"-fsyntax-only", CC_PREPROCESS}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (strcmp(word, steps[i].name) != 0)
            continue;
        if (steps[i].step < parse->options->step)
            parse->options->step = steps[i].step;
        word_add(parse, word, CC_STEP);
        return true;
    }
    return false;
}

static bool valued_option(struct parse *parse, const char *word)
{
    for (size_t i = 0; i < sizeof valued / sizeof *valued; i++) {
        if (strcmp(word, valued[i].name) != 0)
            continue;
        if (valued[i].kind == CC_DATABASE && !parse->options->analyze)
            return false; /* the compiler's -p asks for a profile */
        parse->value = true;
        parse->kind = valued[i].kind;
        word_add(parse, word, valued[i].kind);
        return true;
    }
    return false;
}

static bool depend_option(struct parse *parse, const char *word)
{
    static const char *const names[] = {"-MD", "-MMD", "-MP", "-MG", NULL};
    bool joined = begins(word, "-MF") || begins(word, "-MT") || begins(word, "-MQ");
    if (!joined && !is_one_of(word, names))
        return false;
    parse->options->depends |= strcmp(word, "-MD") == 0 || strcmp(word, "-MMD") == 0;
    word_add(parse, word, CC_DEPEND);
    return true;
}

static bool mpicc_option(struct parse *parse, const char *word)
{
    static const char *const answers[] = {"-show", "-echo", "-help", "-v", NULL};
    static const char *const links[] = {"-link-info", "-link_info", "-show-link-info", NULL};
    static const char *const compiles[] = {"-compile-info", "-compile_info", "-show-compile-info",
                                           NULL};
    bool compile = is_one_of(word, compiles);
    if (compile || is_one_of(word, links)) {
        parse->options->tell = true;
        parse->options->show = true;
        parse->options->step = compile ? CC_OBJECT : CC_LINK;
        word_add(parse, word, CC_TELL);
        return true;
    }
    if (is_one_of(word, answers)) {
        parse->options->ask_mpicc = true;
        parse->options->show |= strcmp(word, "-v") != 0 && strcmp(word, "-echo") != 0;
        word_add(parse, word, CC_PLAIN);
        return true;
    }
    static const char *const compilers[] = {
        "-cc=", "-cxx=", "-CC=", "-fc=", "-f90=", "-f77=", "-config=", "-profile=", NULL};
    if (!begins_one_of(word, compilers) && strcmp(word, "-static-mpi") != 0 &&
        strcmp(word, "-nativelinking") != 0)
        return false;
    word_add(parse, word, CC_MPICC);
    return true;
}

static bool takes_value(const char *word)
{
    for (size_t i = 0; i < sizeof valued / sizeof *valued; i++)
        if (strcmp(word, valued[i].name) == 0)
            return true;
    return strcmp(word, "-MD") == 0 || strcmp(word, "-MMD") == 0; /* behind -Wp, */
}

static void preprocessor_word(struct parse *parse, const char *option, const char *value)
{
    bool aside = begins(option, "-M");
    bool plain = begins(option, "-D") || begins(option, "-U") || begins(option, "-I") ||
                 begins(option, "-i");
    parse->options->aside |= aside;
    if (plain) {
        word_add(parse, option, CC_PLAIN);
        if (value)
            word_add(parse, value, CC_PLAIN);
        return;
    }
    char *word = NULL;
    if (asprintf(&word, "-Wp,%s%s%s", option, value ? "," : "", value ? value : "") < 0)
        abort();
    word_add(parse, word, aside ? CC_ASIDE : CC_PLAIN);
    free(word);
}

/* "-Wp,-DX=1,-MD,x.d" becomes "-DX=1" and "-Wp,-MD,x.d": headers and macros concern the parser,
 * too, and the file of dependencies is another matter. */
static bool preprocessor_option(struct parse *parse, const char *word)
{
    if (!begins(word, "-Wp,"))
        return false;
    char *copy = strdup(word + strlen("-Wp,")), *rest = copy;
    for (char *option; (option = strsep(&rest, ","));)
        preprocessor_word(parse, option, takes_value(option) ? strsep(&rest, ",") : NULL);
    free(copy);
    return true;
}

static bool aside_option(struct parse *parse, const char *word)
{
    if (!begins(word, "-save-temps") && !begins(word, "-fcallgraph-info"))
        return false;
    parse->options->aside = true;
    word_add(parse, word, CC_ASIDE);
    return true;
}

static const char *const sanitizers[] = {"address", "hwaddress", "leak", "memory", "thread"};

#define SANITIZERS (sizeof sanitizers / sizeof *sanitizers)

/* Options with which a compiler writes further files beside an object. */
static bool is_beside(const char *word)
{
    static const char *const beginnings[] = {"--coverage",
                                             "-coverage",
                                             "-ftest-coverage",
                                             "-fprofile-arcs",
                                             "-fprofile-generate",
                                             "-fprofile-use",
                                             "-fstack-usage",
                                             "-fcallgraph-info",
                                             "-gsplit-dwarf",
                                             "-fdump-",
                                             NULL};
    return begins_one_of(word, beginnings);
}

static bool is_listed(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (; names; names = strchr(names, ',') ? strchr(names, ',') + 1 : NULL)
        if (strncmp(names, name, length) == 0 && (!names[length] || names[length] == ','))
            return true;
    return false;
}

static void sanitizer_option(struct cc_options *options, const char *word)
{
    bool on = begins(word, "-fsanitize=");
    if (!on && !begins(word, "-fno-sanitize="))
        return;
    const char *names = strchr(word, '=') + 1;
    for (unsigned i = 0; i < SANITIZERS; i++) {
        if (on && is_listed(names, sanitizers[i]))
            options->sanitizers |= 1u << i;
        if (!on && (is_listed(names, sanitizers[i]) || is_listed(names, "all")))
            options->sanitizers &= ~(1u << i);
    }
}

const char *cc_options_sanitizer(const struct cc_options *options)
{
    for (unsigned i = 0; i < SANITIZERS; i++)
        if (options->sanitizers & 1u << i)
            return sanitizers[i];
    return NULL;
}

/* Answers of the compiler, which then makes nothing, whatever files are named. */
static bool is_question(const char *word)
{
    static const char *const names[] = {"-###",
                                        "--version",
                                        "--target-help",
                                        "-dumpversion",
                                        "-dumpfullversion",
                                        "-dumpmachine",
                                        "-dumpspecs",
                                        NULL};
    return is_one_of(word, names) || begins(word, "-print-") || begins(word, "--print-") ||
           strcmp(word, "--help") == 0 || begins(word, "--help=");
}

/* Options that go through, and of which something must be known. */
static void plain_option(struct parse *parse, const char *word)
{
    static const char *const pic[] = {"-fPIC", "-fpic", "-fPIE", "-fpie", NULL};
    struct cc_options *options = parse->options;
    options->show |= is_question(word);
    options->beside |= is_beside(word);
    options->debug |= begins(word, "-g");
    options->openmp |= begins(word, "-fopenmp");
    options->pic |= is_one_of(word, pic);
    options->shared |= strcmp(word, "-shared") == 0;
    options->relocatable |= strcmp(word, "-r") == 0;
    if (begins(word, "-Wl,"))
        linker_words(options, word);
    if (strcmp(word, "-fsplit-stack") == 0 || strcmp(word, "-fno-split-stack") == 0)
        options->split = word[2] == 's';
    options->fixed |= strcmp(word, "-static") == 0 || strcmp(word, "-static-pie") == 0;
    sanitizer_option(options, word);
    if (begins(word, "-x")) {
        language_set(parse, word + 2);
        word_add(parse, word, CC_LANGUAGE);
    } else if (begins(word, "-o")) {
        options->output = word_add(parse, word, CC_OUTPUT)->text + 2;
    } else {
        word_add(parse, word, CC_PLAIN);
    }
}

/* Other spellings of options that matter here. */
static const struct {
    const char *name, *plain;
    bool valued; /* also by "=" */
} spellings[] = {
    {"--assemble", "-S", false},
    {"--compile", "-c", false},
    {"--debug", "-g", true},
    {"--define-macro", "-D", true},
    {"--dependencies", "-M", false},
    {"--entry", "-e", true},
    {"--for-assembler", "-Xassembler", false},
    {"--for-linker", "-Xlinker", false},
    {"--force-link", "-u", true},
    {"--imacros", "-imacros", true},
    {"--include", "-include", true},
    {"--include-directory", "-I", true},
    {"--include-directory-after", "-idirafter", true},
    {"--language", "-x", true},
    {"--library-directory", "-L", true},
    {"--output", "-o", true},
    {"--prefix", "-B", true},
    {"--preprocess", "-E", false},
    {"--save-temps", "-save-temps", false},
    {"--shared", "-shared", false},
    {"--static", "-static", false},
    {"--static-pie", "-static-pie", false},
    {"--undefine-macro", "-U", true},
    {"--user-dependencies", "-MM", false},
    {"--write-dependencies", "-MD", false},
    {"--write-user-dependencies", "-MMD", false},
};

static bool is_spelling(const char *word, size_t i)
{
    size_t length = strlen(spellings[i].name);
    return begins(word, spellings[i].name) &&
           (word[length] == '\0' || (word[length] == '=' && spellings[i].valued));
}

/* The option as it is looked for here; the caller frees it. */
static char *plain_spelling(const char *word)
{
    char *plain = NULL;
    const char *value = strchr(word, '=');
    for (size_t i = 0; !plain && i < sizeof spellings / sizeof *spellings; i++)
        if (is_spelling(word, i) &&
            asprintf(&plain, "%s%s", spellings[i].plain, value ? value + 1 : "") < 0)
            abort();
    return plain ? plain : strdup(word);
}

static void option_parse(struct parse *parse, const char *word)
{
    if (begins(word, "--ft-") || begins(word, "-cc-mpi="))
        own_option(parse, word);
    else if (mpicc_option(parse, word))
        return; /* -link-info is no library */
    else if (*word != '-' || word[1] == '\0' || (begins(word, "-l") && word[2]))
        input_add(parse, word);
    else if (!step_option(parse, word) && !valued_option(parse, word) &&
             !depend_option(parse, word) && !preprocessor_option(parse, word) &&
             !aside_option(parse, word))
        plain_option(parse, word);
}

static void word_parse(struct parse *parse, const char *word)
{
    if (parse->value) {
        value_add(parse, word);
        return;
    }
    char *plain = plain_spelling(word);
    if (!plain)
        abort();
    option_parse(parse, plain);
    free(plain);
}

static void word_destroy(void *element)
{
    free(((struct cc_word *)element)->text);
}

static const UT_icd word_icd = {sizeof(struct cc_word), NULL, NULL, word_destroy};

/* `ftcc -show` without a file asks for the flags. */
static void show_check(struct cc_options *options)
{
    for (struct cc_word *word = NULL; (word = cc_options_next(options, word));)
        if (options->inputs == 0 && strcmp(word->text, "-show") == 0) {
            options->tell = true;
            word->kind = CC_TELL;
        }
}

/* `ftcc --ft-report=r.html ./app`: one file that is no source, and nothing for a compiler. */
static bool is_inspection(const struct cc_options *options)
{
    bool asked = options->judge || options->report || utarray_len(&options->reports) > 0;
    if (!asked || options->diff || options->analyze || utarray_len(&options->words) != 1)
        return false;
    const struct cc_word *word = utarray_front(&options->words);
    return word->kind == CC_INPUT && word->text[0] != '-' && !options->compiles;
}

/* Results that lie beside no verdict would be left out without a word. */
static void verified_check(struct cc_options *options)
{
    bool printed = options->report || (options->analyze && !options->diff);
    if (options->verified && !printed && utarray_len(&options->reports) == 0)
        wrong_set(options, "--ft-verified=%s needs --ft-report", options->verified);
}

static void judge_check(struct cc_options *options)
{
    if (options->judge && !options->inspect)
        wrong_set(options, "%s is for one program that is linked already", "--ft-judge");
}

static enum cc_driver driver_of(const char *program)
{
    static const struct {
        const char *name;
        enum cc_driver driver;
    } names[] = {{"ftcxx", CC_MPICXX_DRIVER},
                 {"ftc++", CC_MPICXX_DRIVER},
                 {"ftfort", CC_MPIFORT_DRIVER},
                 {"ftf90", CC_MPIFORT_DRIVER},
                 {"ftf77", CC_MPIFORT_DRIVER}};
    const char *slash = program ? strrchr(program, '/') : NULL;
    for (size_t i = 0; program && i < sizeof names / sizeof *names; i++)
        if (strcmp(slash ? slash + 1 : program, names[i].name) == 0)
            return names[i].driver;
    return CC_MPICC_DRIVER;
}

/* Everything is judged as it comes but -p, whose meaning hangs on --ft-analyze wherever that is. */
static void options_begin(int count, const char *const *arguments, struct cc_options *options)
{
    *options = (struct cc_options){.step = CC_LINK, .annotate = true, .lines = true};
    options->program = count > 0 ? arguments[0] : NULL;
    options->driver = driver_of(options->program);
    utarray_init(&options->given, &ut_str_icd);
    utarray_init(&options->reports, &ut_str_icd);
    utarray_init(&options->words, &word_icd);
    for (int i = 1; i < count; i++)
        options->analyze |= strcmp(arguments[i], "--ft-analyze") == 0;
}

/* The values of MPI's constants, by which the analysis knows wildcards, are those of MPICH; Open
 * MPI's bindings of Fortran pass by the wrappers. */
static void mpich_check(struct cc_options *options)
{
    if (strcmp(FT_MPI, "mpich") == 0)
        return;
    if (options->driver == CC_MPIFORT_DRIVER)
        wrong_set(options,
                  "%s: programs in Fortran are carried with MPICH alone: use an ftfort that "
                  "is built for it",
                  "ftfort");
    if (options->report || options->analyze || utarray_len(&options->reports) > 0)
        wrong_set(options,
                  "%s and --ft-analyze judge programs of MPICH alone: use an ftcc that is "
                  "built for it",
                  "--ft-report");
}

void cc_options_parse(int count, const char *const *arguments, struct cc_options *options)
{
    options_begin(count, arguments, options);
    struct parse parse = {.options = options};
    for (int i = 1; i < count; i++) {
        if (!begins(arguments[i], "--ft-") && !begins(arguments[i], "-cc-mpi="))
            utarray_push_back(&options->given, &arguments[i]);
        UT_array expanded;
        utarray_init(&expanded, &ut_str_icd);
        cc_response_expand(arguments[i], &expanded);
        for (char **word = NULL; (word = utarray_next(&expanded, word));)
            word_parse(&parse, *word);
        utarray_done(&expanded);
    }
    show_check(options);
    options->ask_mpicc |= options->inputs == 0 && !options->analyze;
    options->ask_mpicc &= !options->tell;
    options->annotate &= !options->show;
    const char *only = count == 2 ? arguments[1] : "";
    options->ask_help = strcmp(only, "--help") == 0;
    options->ask_version = strcmp(only, "--version") == 0;
    options->inspect = is_inspection(options);
    verified_check(options);
    mpich_check(options);
    judge_check(options);
}

void cc_options_release(struct cc_options *options)
{
    utarray_done(&options->given);
    utarray_done(&options->words);
    utarray_done(&options->reports);
    free(options->verified);
    free(options->wrong);
}

struct cc_word *cc_options_next(const struct cc_options *options, struct cc_word *word)
{
    return utarray_next(&options->words, word);
}

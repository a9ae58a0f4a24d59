/* options: the command line of mpicc as a value.
 *
 * Every word is classified once; what follows builds commands by leaving kinds of words out or by
 * putting others in their place. A word that is not known is PLAIN and goes through unchanged.
 *
 * Thread rule: one thread. */
#ifndef CC_OPTIONS_H
#define CC_OPTIONS_H

#include <stdbool.h>
#include <utarray.h>

enum cc_kind {
    CC_PLAIN,    /* goes to the compiler as it is */
    CC_SOURCE,   /* a file of C or C++ */
    CC_INPUT,    /* any other file, a library, standard input */
    CC_OUTPUT,   /* -o and its value */
    CC_STEP,     /* -c -S -E -M -MM -fsyntax-only */
    CC_LANGUAGE, /* -x and its value */
    CC_DEPEND,   /* -MD and what belongs to it */
    CC_ASIDE,    /* asks for files that show the source: -save-temps, -aux-info, -Wp,-MD */
    CC_MPICC,    /* concerns mpicc itself: -cc=, -profile=, -config= */
    CC_DATABASE, /* -p of --ft-analyze and its value */
    CC_TELL,     /* asks ftcc for its flags: -show without a file, -link_info */
};

struct cc_word {
    char *text; /* owned by the options */
    enum cc_kind kind;
    bool forced; /* a source that is one by -x */
    bool cxx;    /* a source in C++ */
};

/* The compiler for which ftcc stands in, by the name under which it was called. */
enum cc_driver {
    CC_MPICC_DRIVER,   /* ftcc: mpicc */
    CC_MPICXX_DRIVER,  /* ftcxx, ftc++: mpicxx */
    CC_MPIFORT_DRIVER, /* ftfort, ftf90, ftf77: mpifort */
};

enum cc_step { CC_PREPROCESS, CC_ASSEMBLE, CC_OBJECT, CC_LINK }; /* the last step asked for */

struct cc_options {
    const char *program; /* the name by which ftcc was called, or NULL; the caller's */
    enum cc_driver driver;
    UT_array given; /* of char *: the arguments without --ft-*, response files not expanded */
    UT_array words; /* of struct cc_word: the same, response files expanded */
    enum cc_step step;
    const char *output;  /* -o, or NULL */
    unsigned sources;    /* files of C and C++ */
    unsigned inputs;     /* files and libraries, sources included */
    bool compiles;       /* an input is source text, of whatever language */
    bool debug;          /* some -g option */
    bool openmp;         /* -fopenmp */
    bool pic;            /* -fPIC, -fpie, ... */
    bool shared;         /* -shared */
    bool relocatable;    /* -r, also in -Wl and -Xlinker */
    bool fixed;          /* -static, which cannot be served */
    bool split;          /* -fsplit-stack, likewise */
    unsigned sanitizers; /* those that cannot be served: cc_options_sanitizer */
    bool depends;        /* -MD or -MMD */
    bool beside;         /* files are written beside each object: --coverage, -gsplit-dwarf */
    bool aside;          /* some CC_ASIDE */
    bool show;           /* -show, -###, --version: something is printed, and nothing is made */
    bool tell;      /* -show without a file, -compile_info, -link_info: print the flags of a command
                       that ends with `step` */
    bool ask_mpicc; /* mpicc itself must answer: -show, -v, -help, no input */
    bool diff;      /* --ft-diff */
    bool report;    /* --ft-report: to the terminal */
    bool analyze;   /* --ft-analyze: judge, and build nothing */
    bool later;     /* --ft-later: a link does not judge the program */
    bool judge;     /* --ft-judge: judges a program that was linked so, and stores its table */
    bool strict;    /* --ft-strict: what could not be analysed is an error */
    bool annotate;  /* not --ft-no-annotate */
    bool lines;     /* not --ft-no-lines */
    bool help, version; /* --ft-help, --ft-version */
    bool ask_help,
        ask_version;      /* the compiler's --help or --version, and nothing else: both answer */
    bool inspect;         /* reports of one file that exists, and nothing else, are asked for */
    UT_array reports;     /* of char *: the files of --ft-report=FILE */
    const char *database; /* -p of --ft-analyze, or NULL */
    char *verified;       /* --ft-verified=FILE, or NULL */
    char *wrong;          /* a sentence about what is wrong with them, or NULL */
};

/* Effect: classifies the arguments. The first one is the name of the program. `options` is released
 * with cc_options_release. On an unknown
 * --ft-* option, or a report of unknown kind, `options->wrong` is a sentence that says so. */
void cc_options_parse(int count, const char *const *arguments, struct cc_options *options);

void cc_options_release(struct cc_options *options);

/* The first of the sanitizers that are in force and keep memory of their own, which no checkpoint
 * holds: a name as -fsanitize takes it. NULL: none. */
const char *cc_options_sanitizer(const struct cc_options *options);

/* For loops over the words: the first, the one behind `word`, NULL at the end. */
struct cc_word *cc_options_next(const struct cc_options *options, struct cc_word *word);

#endif

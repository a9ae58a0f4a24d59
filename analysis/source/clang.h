/* clang: the only header through which libclang is seen.
 *
 * The library is 100 MB and takes 16 ms to load, so it is loaded when the first file is parsed, and
 * a command that needs no parse (every test of a configure script) never pays for it. Where it is
 * not installed, files are compiled without annotation, and ftcc says so.
 *
 * Thread rule: one thread. */
#ifndef AN_CLANG_H
#define AN_CLANG_H

#include <clang-c/Index.h>

struct an_clang {
#define AN_CLANG(name) __typeof__(&name) name;
#include "analysis/source/clang.def"
#undef AN_CLANG
};

/* Effect: loads the library at the first call. Returns its functions, which stay for the life of
 * the process, or NULL with a sentence in *problem (static memory). */
const struct an_clang *an_clang_load(const char **problem);

#endif

/* early_death: in front of libc (LD_PRELOAD), the first rank of a zygote that is ftrun's child is
 * killed before it does anything else. */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Raw calls, because this is no access of the program's. */
static void die_once(void)
{
    const char *marker = getenv("FT_TEST_MARKER"); /* the verbs count these files as deaths */
    char name[4096];

    snprintf(name, sizeof name, "%s.0", marker ? marker : "");
    if (marker && syscall(SYS_openat, AT_FDCWD, name, O_CREAT | O_EXCL | O_CLOEXEC, 0600) >= 0)
        raise(SIGKILL);
}

__attribute__((visibility("default"))) int prctl(int option, ...)
{
    static int (*next)(int, ...);
    static int tried;
    va_list list;

    va_start(list, option);
    unsigned long word = va_arg(list, unsigned long);
    va_end(list);
    if (!next)
        next = (int (*)(int, ...))dlsym(RTLD_NEXT, "prctl");
    if (option == PR_SET_PDEATHSIG && !tried++)
        die_once();
    return next(option, word, 0, 0, 0);
}

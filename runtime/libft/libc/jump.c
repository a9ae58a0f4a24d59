/* The half of setjmp and longjmp that deals with the signal mask (jump.S has the rest). */
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libc/state.h"

#define KERNEL_MASK_BYTES 8

int libc_jump_mask_save(struct __jmp_buf_tag *buffer, int wanted)
    __attribute__((visibility("hidden")));
_Noreturn void libc_jump_take(struct __jmp_buf_tag *buffer, int value);
_Noreturn void __longjmp_chk(struct __jmp_buf_tag buffer[1], int value);

/* Tail of all setjmp functions: answers 0 on their behalf. */
int libc_jump_mask_save(struct __jmp_buf_tag *buffer, int wanted)
{
    buffer->__mask_was_saved = wanted && syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL,
                                                 &buffer->__saved_mask, KERNEL_MASK_BYTES) == 0;
    return 0;
}

FT_EXPORT _Noreturn void longjmp(struct __jmp_buf_tag buffer[1], int value)
{
    if (buffer->__mask_was_saved)
        syscall(SYS_rt_sigprocmask, SIG_SETMASK, &buffer->__saved_mask, NULL, KERNEL_MASK_BYTES);
    libc_jump_take(buffer, value == 0 ? 1 : value);
}

FT_EXPORT _Noreturn void _longjmp(struct __jmp_buf_tag buffer[1], int value)
{
    longjmp(buffer, value);
}

FT_EXPORT _Noreturn void siglongjmp(struct __jmp_buf_tag buffer[1], int value)
{
    longjmp(buffer, value);
}

/* _FORTIFY_SOURCE's form. Its check that the frame is still there is not made. */
FT_EXPORT _Noreturn void __longjmp_chk(struct __jmp_buf_tag buffer[1], int value)
{
    longjmp(buffer, value);
}

/* setjmp and longjmp.
 *
 * The layout and the mangling are glibc's (pointer guard, rotate by 17), so that libc's thread
 * cancellation, which jumps to buffers filled by __sigsetjmp, goes on working. But the guard differs
 * from life to life, so the one that was used is kept in the buffer: in the part of the signal mask
 * that the kernel's 64 signals leave unused. The thread's ft_depth is kept there, too: a jump out of
 * the runtime leaves the runtime.
 *
 *   0 rbx, 8 rbp*, 16 r12, 24 r13, 32 r14, 40 r15, 48 rsp*, 56 pc*   (*: mangled)
 *   64 mask was saved (int), 72 mask, 80 guard, 88 depth
 */
    .text

    .globl  _setjmp
    .type   _setjmp, @function
_setjmp:
    .cfi_startproc
    xorl    %esi, %esi
    jmp     .Lsave
    .cfi_endproc
    .size   _setjmp, .-_setjmp

    .globl  setjmp
    .type   setjmp, @function
setjmp:
    .cfi_startproc
    movl    $1, %esi
    jmp     .Lsave
    .cfi_endproc
    .size   setjmp, .-setjmp

    .globl  __sigsetjmp
    .type   __sigsetjmp, @function
__sigsetjmp:
    .cfi_startproc
.Lsave:
    movq    %fs:0x30, %rax
    movq    %rbx, 0(%rdi)
    movq    %rbp, %rdx
    xorq    %rax, %rdx
    rolq    $17, %rdx
    movq    %rdx, 8(%rdi)
    movq    %r12, 16(%rdi)
    movq    %r13, 24(%rdi)
    movq    %r14, 32(%rdi)
    movq    %r15, 40(%rdi)
    leaq    8(%rsp), %rdx
    xorq    %rax, %rdx
    rolq    $17, %rdx
    movq    %rdx, 48(%rdi)
    movq    (%rsp), %rdx
    xorq    %rax, %rdx
    rolq    $17, %rdx
    movq    %rdx, 56(%rdi)
    movq    %rax, 80(%rdi)
    movq    ft_depth@gottpoff(%rip), %rdx
    movl    %fs:(%rdx), %edx
    movl    %edx, 88(%rdi)
    jmp     libc_jump_mask_save
    .cfi_endproc
    .size   __sigsetjmp, .-__sigsetjmp

/* void libc_jump_take(buffer, value): value is not 0. */
    .globl  libc_jump_take
    .hidden libc_jump_take
    .type   libc_jump_take, @function
libc_jump_take:
    .cfi_startproc
    movq    80(%rdi), %rcx
    movq    48(%rdi), %r8
    rorq    $17, %r8
    xorq    %rcx, %r8
    movq    8(%rdi), %r9
    rorq    $17, %r9
    xorq    %rcx, %r9
    movq    56(%rdi), %rdx
    rorq    $17, %rdx
    xorq    %rcx, %rdx
    movl    88(%rdi), %ecx
    movq    ft_depth@gottpoff(%rip), %r10
    movl    %ecx, %fs:(%r10)
    movq    0(%rdi), %rbx
    movq    16(%rdi), %r12
    movq    24(%rdi), %r13
    movq    32(%rdi), %r14
    movq    40(%rdi), %r15
    movl    %esi, %eax
    movq    %r8, %rsp
    movq    %r9, %rbp
    jmpq    *%rdx
    .cfi_endproc
    .size   libc_jump_take, .-libc_jump_take

    .section .note.GNU-stack, "", @progbits

/* Places to continue (os.h). System V x86-64: callee-saved are rbx rbp r12-r15 rsp, the control
 * bits of mxcsr and the x87 control word. The exceptions raised so far (fetestexcept) lie in mxcsr
 * and in the x87 status word. Offsets are those of struct ft_os_context. */
    .text
    .globl ft_os_context_save
    .hidden ft_os_context_save
    .type ft_os_context_save, @function
ft_os_context_save:
    movq %rbx, 0(%rdi)
    movq %rbp, 8(%rdi)
    movq %r12, 16(%rdi)
    movq %r13, 24(%rdi)
    movq %r14, 32(%rdi)
    movq %r15, 40(%rdi)
    leaq 8(%rsp), %rax          /* the caller's stack pointer after our return */
    movq %rax, 48(%rdi)
    movq (%rsp), %rax
    movq %rax, 56(%rdi)
    movq %fs:0x28, %rax         /* the canary: frames in the image hold it */
    movq %rax, 64(%rdi)
    stmxcsr 72(%rdi)
    fnstcw 76(%rdi)
    fnstsw 78(%rdi)
    xorl %eax, %eax
    ret
    .size ft_os_context_save, .-ft_os_context_save

    .globl ft_os_context_continue
    .hidden ft_os_context_continue
    .type ft_os_context_continue, @function
ft_os_context_continue:
    movq 64(%rdi), %rax
    movq %rax, %fs:0x28
    ldmxcsr 72(%rdi)
    fnstsw %ax
    xorw 78(%rdi), %ax
    testb $0x7f, %al            /* other exceptions: seldom, and fldenv is slow */
    jnz 2f
1:  fldcw 76(%rdi)
    movq 0(%rdi), %rbx
    movq 8(%rdi), %rbp
    movq 16(%rdi), %r12
    movq 24(%rdi), %r13
    movq 32(%rdi), %r14
    movq 40(%rdi), %r15
    movq 48(%rdi), %rsp
    movq 56(%rdi), %rdx
    movl $1, %eax
    jmp *%rdx
2:  subq $32, %rsp
    fnstenv (%rsp)              /* 28 bytes: control, status and tag word, each in four */
    movzwl 78(%rdi), %eax
    andl $0x7f, %eax            /* the exceptions alone: the register stack is empty at a call */
    movl %eax, 4(%rsp)
    movl $0xffff, 8(%rsp)
    fldenv (%rsp)
    addq $32, %rsp
    jmp 1b
    .size ft_os_context_continue, .-ft_os_context_continue

    .globl ft_os_stack_switch
    .hidden ft_os_stack_switch
    .type ft_os_stack_switch, @function
ft_os_stack_switch:
    .cfi_startproc
    .cfi_undefined rip          /* unwinders end here: there is no caller on this stack */
    movq %rdi, %rsp
    xorl %ebp, %ebp
    movq %rdx, %rdi
    call *%rsi
    ud2
    .cfi_endproc
    .size ft_os_stack_switch, .-ft_os_stack_switch

    .section .note.GNU-stack, "", @progbits

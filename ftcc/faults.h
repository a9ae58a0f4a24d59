/* faults: --ft-fault-points and --ft-list-faults, which are words for somebody else. */
#ifndef FT_CC_FAULTS_H
#define FT_CC_FAULTS_H

/* Puts `-include ft_fault_points.h` in place of --ft-fault-points. The caller's list,
 * NULL-terminated, of *count words, which are those of argv and two strings that live as long as
 * the program. With --ft-list-faults it becomes `ftrun --list-faults`, and returns only after a
 * message, with NULL. */
char **cc_faults_arguments(int argc, char **argv, int *count);

#endif

# The programs that a build for Open MPI runs. Left out: what asks for calls of MPI 4.0 (collinit, widecounts, evencounts,
# everycollective, inquiries, oldnames, sessions, exchange, duets, seldom), for variables of the environment, classes of
# errors and texts that are MPICH's (cstate, bsend, wrongcollectives, generalized), and what Open MPI 4.1.4 itself does not
# end: its non-blocking collectives stand still (medley) or end by SIGSEGV (chorus).
file(GLOB programs CONFIGURE_DEPENDS programs/*.c)
list(FILTER programs EXCLUDE REGEX
  "/(collinit|widecounts|evencounts|everycollective|inquiries|oldnames|sessions|exchange|duets|cstate|bsend|wrongcollectives|generalized|seldom|medley|chorus)\\.c$")
ft_whole(programs ${programs})
file(GLOB clusters CONFIGURE_DEPENDS openmpi/*.test)
ft_whole(openmpi ${clusters})

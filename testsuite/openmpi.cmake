# The programs that a build for Open MPI runs. Left out: what asks for calls of MPI 4.0 (collinit, widecounts, evencounts,
# everycollective, inquiries, oldnames, sessions, exchange), for variables (cstate), classes of errors and texts that are MPICH's (bsend,
# wrongcollectives, generalized), and what does not yet survive there (seldom, medley: docs/limits.md).
file(GLOB programs CONFIGURE_DEPENDS programs/*.c)
list(FILTER programs EXCLUDE REGEX
  "/(collinit|widecounts|evencounts|everycollective|inquiries|oldnames|sessions|exchange|cstate|bsend|wrongcollectives|generalized|seldom|medley)\\.c$")
ft_whole(programs ${programs})
file(GLOB clusters CONFIGURE_DEPENDS openmpi/*.test)
ft_whole(openmpi ${clusters})

# bash completion for ftrun and ftcc; the options are those that --help names.
_ftcc_words()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} name=${COMP_WORDS[0]##*/}
    case $name/$before in
    ftrun/--protocol) COMPREPLY=($(compgen -W "auto coordinated coordinated:nonblocking spbc hydee pessimistic none" -- "$word")) && return ;;
    ftrun/--output) COMPREPLY=($(compgen -W "line commit" -- "$word")) && return ;;
    ftrun/--trust) COMPREPLY=($(compgen -W "none proved" -f -- "$word")) && return ;;
    ftrun/--status | ftrun/--inspect | ftrun/--remove | ftrun/--store)
        COMPREPLY=($(compgen -d -- "${word:-.ftrun/}")) && return ;;
    esac
    case $name/$word in
    ftrun/-*)
        COMPREPLY=($(compgen -W "-n -wdir -env -l -v -configfile --checkpoint-every --checkpoint-interval --clusters
            --doctor --events --inspect --keep --kill --list --output --profile --protocol --rehearse --remove
            --replicas --restart --status --store --time-limit --trust --verify --help --version" -- "$word")) ;;
    *-ft-* | *--)
        COMPREPLY=($(compgen -W "--ft-report --ft-report= --ft-analyze --ft-diff --ft-judge --ft-later --ft-strict
            --ft-verified= --ft-no-annotate --ft-no-lines --ft-help --ft-version" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
    esac
}
complete -o filenames -F _ftcc_words ftrun ftcc ftcxx ftc++ ftfort ftf90 ftf77

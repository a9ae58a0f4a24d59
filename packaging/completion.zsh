#compdef ftrun
_arguments \
    '-n[number of ranks]:ranks:' '-wdir[working directory of the ranks]:folder:_files -/' \
    '*-env[set a variable]:name:' '-l[begin lines with their rank]' '-v[show what happens]' \
    '--protocol[how failures are survived]:protocol:(auto coordinated coordinated\\:nonblocking spbc hydee pessimistic none)' \
    '--clusters[which ranks go back together]:clusters:_files' \
    '--checkpoint-interval[time between checkpoints]:time:' '--checkpoint-every[turns between checkpoints]:turns:' \
    '--store[folder of checkpoints]:folder:_files -/' '--restart[continue the job of --store]' \
    '--time-limit[a last checkpoint after that time]:time:' '--output[when lines are printed]:when:(line commit)' \
    '--events[write events as JSON]:file:_files' '*--kill[kill a rank on purpose]:order:' \
    '--rehearse[kill each rank at each kind of call]' '--verify[run with disturbed timing]:runs:' \
    '--list[stores of this folder]' '--status[what a store holds]:folder:_files -/' \
    '--inspect[the same by rank]:folder:_files -/' '--remove[remove a store]:folder:_files -/' \
    '--doctor[what this machine allows]' '--help[the options]' '--version[the version]' \
    '*::program:_normal'

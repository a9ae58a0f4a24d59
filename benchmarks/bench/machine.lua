-- machine: commands, and whether the machine is fit to measure on.
local machine = {}

-- Ends the bench: what was asked for cannot be done.
function machine.die(...)
    io.stderr:write("benchmarks: ", string.format(...), "\n")
    os.exit(1)
end

-- Ends one measurement, as an error that machine.try catches.
function machine.fail(...)
    error({failure = string.format(...)}, 0)
end

-- Calls work(...). Returns nothing, or what machine.fail said; other errors pass.
function machine.try(work, ...)
    local good, problem = pcall(work, ...)
    if not good and type(problem) == "table" and problem.failure then
        return problem.failure
    elseif not good then
        error(problem, 0)
    end
end

function machine.quote(text)
    return "'" .. text:gsub("'", "'\\''") .. "'"
end

-- The output of a shell command, whether it ended with 0, and its exit code.
function machine.capture(command)
    local pipe = assert(io.popen(command))
    local text = pipe:read("a")
    local good, _, code = pipe:close()
    return text, good, code
end

-- Each run carries a name of its own in the environment of its processes, so that what it left
-- behind is found wherever it went.
local number = 0
local session = machine.capture("echo $PPID.$(date +%s)"):match("%S+")

-- Runs a command, then kills what is left of it. The same shell does both: a process that is left
-- holds the pipe open through which the output comes.
local script = [=[
FT_BENCH_RUN=%s timeout -s INT -k 10 %d sh -c %s </dev/null
code=$?
for folder in /proc/[0-9]*; do
    grep -qsz '^FT_BENCH_RUN=%s$' "$folder/environ" && kill -KILL "${folder#/proc/}" 2>/dev/null
done
exit $code]=]

-- The output of a command that must end with 0 within `limit` seconds. A run that hangs is
-- interrupted, then killed with all its processes, and is a failure like any other.
function machine.run(command, limit)
    number = number + 1
    local name = session .. "." .. number
    local text, good, code = machine.capture(string.format(script, name, limit, machine.quote(command), name))
    if code == 124 or code == 137 then
        machine.fail("hangs: no end after %d s: %s\n%s", limit, command, text)
    elseif not good then
        machine.fail("exit code %s: %s\n%s", code, command, text)
    end
    return text
end

function machine.has(tool)
    local _, good = machine.capture("command -v " .. tool .. " 2>/dev/null")
    return good
end

-- The full name of a folder, or the name as it is when there is none.
function machine.folder(name)
    local text = machine.capture("cd " .. machine.quote(name) .. " 2>/dev/null && pwd")
    return text:match("[^\n]+") or name
end

-- pid -> {ticks, name} of all processes, and the ticks that all processors were not idle.
local function ticks_read()
    local all, used = {}, 0
    for line in machine.capture("cat /proc/[0-9]*/stat 2>/dev/null"):gmatch("[^\n]+") do
        local pid, name, rest = line:match("^(%d+) %((.*)%) (.*)$")
        local field = {}
        for word in (rest or ""):gmatch("%S+") do
            field[#field + 1] = word
        end
        if pid and field[13] then
            all[pid] = {field[12] + field[13], name}
        end
    end
    local user, nice, system = machine.capture("head -1 /proc/stat"):match("(%d+) (%d+) (%d+)")
    used = user + nice + system
    return all, used
end

-- Nothing on an idle machine, else what keeps it busy and its share of one processor: a process, or
-- many that are too short to be seen.
function machine.busy()
    local before, used_before = ticks_read()
    os.execute("sleep 2")
    local share, name = 0, nil
    local after, used_after = ticks_read()
    for pid, now in pairs(after) do
        local used = (now[1] - (before[pid] and before[pid][1] or now[1])) / 200
        if used > share then
            share, name = used, now[2] .. " (pid " .. pid .. ")"
        end
    end
    if share > 0.05 then
        return name, share
    end
    share = (used_after - used_before) / 200
    if share > 0.2 then
        return "a crowd of short processes", share
    end
end

-- Seconds since the boot; and how many of them, summed over the processors, a hypervisor gave to others
-- while this machine had something to do.
local function times_read()
    local uptime, stat = assert(io.open("/proc/uptime")), assert(io.open("/proc/stat"))
    local seconds = uptime:read("n")
    local stolen = stat:read("l"):match("^cpu" .. (" +%d+"):rep(7) .. " +(%d+)")
    uptime:close()
    stat:close()
    return seconds, (stolen or 0) / 100
end

-- Calls work(...) until hardly anything was stolen from it: at most `tries` times. The result from
-- which least was stolen, and how many times it was called. A stolen processor stops all ranks that
-- wait for the one on it, so a small share makes a large difference.
function machine.undisturbed(tries, work, ...)
    local best, least
    for try = 1, tries do
        local began, before = times_read()
        local result = work(...)
        local ended, after = times_read()
        local share = (after - before) / math.max(ended - began, 0.1)
        if not least or share < least then
            best, least = result, share
        end
        if share <= 0.01 or try == tries then
            return best, try
        end
    end
end

local function line_of(command)
    return (machine.capture(command .. " 2>/dev/null"):gsub("%s+$", ""))
end

-- Facts that a reader of the numbers needs.
function machine.describe(build)
    return {
        processor = line_of("grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ *//'"),
        cores = tonumber(line_of("nproc")),
        memory_gib = math.floor(tonumber(line_of("awk '/MemTotal/ {print $2}' /proc/meminfo")) / 1048576 + 0.5),
        kernel = line_of("uname -sr"),
        mpi = line_of("mpichversion 2>/dev/null | head -1 | tr -s ' \\t' ' '"),
        compiler = line_of("cc --version | head -1"),
        ftcc = line_of(machine.quote(build .. "/bin/ftcc") .. " --ft-version"),
        date = os.date("!%Y-%m-%dT%H:%M:%SZ"),
    }
end

return machine

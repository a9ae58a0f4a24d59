-- machine: commands, and whether the machine is fit to measure on.
local machine = {}

function machine.die(...)
    io.stderr:write("benchmarks: ", string.format(...), "\n")
    os.exit(1)
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

-- The output of a command that must end with 0 within `limit` seconds. A run that hangs is
-- interrupted, then killed with all its processes, and is an error like any other.
function machine.run(command, limit)
    local text, good, code = machine.capture(
        string.format("timeout -s INT -k 20 %d sh -c %s", limit, machine.quote(command)))
    if code == 124 or code == 137 then
        machine.die("hangs: no end after %d s: %s\n%s", limit, command, text)
    elseif not good then
        machine.die("exit code %s: %s\n%s", code, command, text)
    end
    return text
end

function machine.has(tool)
    local _, good = machine.capture("command -v " .. tool .. " 2>/dev/null")
    return good
end

-- pid -> {ticks, name} of all processes.
local function ticks_read()
    local all = {}
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
    return all
end

-- Nothing on an idle machine, else the busiest process and its share of one processor.
function machine.busy()
    local before = ticks_read()
    os.execute("sleep 2")
    local share, name = 0, nil
    for pid, now in pairs(ticks_read()) do
        local used = (now[1] - (before[pid] and before[pid][1] or now[1])) / 200
        if used > share then
            share, name = used, now[2] .. " (pid " .. pid .. ")"
        end
    end
    if share > 0.05 then
        return name, share
    end
end

local function line_of(command)
    return (machine.capture(command .. " 2>/dev/null"):gsub("%s+$", ""))
end

-- What a reader of the numbers needs to know.
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

-- instructions: user instructions, which do not depend on how busy the machine is. Those of single
-- calls are counted by a program that steps through them (instructions.c). Those of whole programs
-- need a performance counter, which virtual machines often lack; they contain the turns of ranks that
-- wait for each other, so the fewest of some runs count.
local machine = require("bench.machine")

local instructions = {}

local runs = 5
local counter = "perf stat -x, -e instructions:u"

local function count_of(path)
    local file = io.open(path)
    local text = file and file:read("a") or ""
    if file then
        file:close()
    end
    os.remove(path)
    return tonumber(text:match("(%d+),[^\n]*instructions"))
end

-- Can this machine count those of whole programs?
function instructions.countable()
    local path = os.tmpname()
    machine.capture(counter .. " -o " .. path .. " true 2>/dev/null")
    return count_of(path) ~= nil
end

-- Rows of a table of counts by kind: each kind but the base beside it.
local function rows_of(what, counts, list, base)
    local rows = {}
    for _, kind in ipairs(list) do
        if kind ~= base then
            rows[#rows + 1] = {what = what, kind = kind.name, base = base.name, count = counts[kind.name],
                               base_count = counts[base.name], ratio = counts[kind.name] / counts[base.name]}
        end
    end
    return rows
end

-- The counts of instructions.c, and their names.
local names = {{"send", "8-byte send"}, {"recv", "8-byte recv"}, {"allreduce", "8-byte allreduce"}, {"clock", "clock reading"}}

-- Rows for one send, receive and allreduce of 8 bytes, and one reading of a clock.
function instructions.calls(program, list, base, limit, progress)
    local counts, rows = {send = {}, recv = {}, allreduce = {}, clock = {}}, {}
    for _, kind in ipairs(list) do
        progress("instructions of calls, " .. kind.name)
        local text = machine.run(kind.command(2, kind.compile(program), ""), limit)
        for name, by_kind in pairs(counts) do
            by_kind[kind.name] = tonumber(text:match("%f[%w]" .. name .. " (%d+)")) or
                machine.fail("instructions as %s: no count of %s: %s", kind.name, name, text)
        end
    end
    for _, name in ipairs(names) do
        table.move(rows_of(name[2], counts[name[1]], list, base), 1, #list, #rows + 1, rows)
    end
    return rows
end

-- Rows for a whole program, launcher included.
function instructions.program(program, list, base, arguments, limit, progress)
    local counts, path = {}, os.tmpname()
    for _, kind in ipairs(list) do
        local binary = kind.compile(program)
        local command = kind.command(program.ranks, binary, arguments)
        for _ = 1, runs do
            progress("instructions of " .. program.name .. ", " .. kind.name)
            machine.run(string.format("%s -o %s sh -c %s", counter, path, machine.quote(command)), limit)
            local count = count_of(path) or machine.fail("perf counted nothing for %s as %s", program.name, kind.name)
            counts[kind.name] = math.min(counts[kind.name] or count, count)
        end
    end
    return rows_of(program.name, counts, list, base)
end

return instructions

-- agree: does the runtime's own account (--events) agree with what was seen from outside?
--
--     lua5.4 agree.lua -w WATCH_LOG -e EVENTS [-s STEPS] [-p PROGRAM] [-u] [-r] [-c CODE]
--
-- WATCH_LOG is the log of watch, STEPS the file of the programs' own step counters ("rank pid step",
-- written with raw system calls), PROGRAM the executable of the ranks, -u: the steps of this program
-- are no hooks (its ranks turn unevenly, or have none), -r: the job was continued with --restart. It
-- checks that
--   * every line is one JSON object, flat but for lists and counts, with a time that does not go back;
--   * the pid of each `start` lived at that time and was PROGRAM;
--   * each `death` is the death of a rank's process, seen from outside at about that time, and each
--     death of a rank's process is told, or explained by a rollback, or comes with the end: behind
--     MPI_Finalize, which all ranks leave together, so behind all that the runtime did before;
--   * each `rollback` names a checkpoint whose commit was told before it, and so does each `resume`;
--     their hooks agree, unless the rank has `left` as a survivor in between;
--   * each process of a rank counts its steps without a gap, and a process that took a rank's place
--     begins at the step that belongs to the hook of the rollback, not after the last step seen;
--   * the last event is `end`, with the exit code.
-- Prints "agree: deaths=D rollbacks=R real=C" (C: rollbacks to a checkpoint of at
-- least 1); on a disagreement prints what, and exits with 1.
local slack = 1.0 -- seconds between an event and its observation, on a busy machine
local ending = 3.0 -- seconds between the end of the first rank and that of the run: images may be big
local options, wrong = {}, 0

local function disagree(...)
    wrong = wrong + 1
    print("agree: " .. string.format(...))
end

local function lines_of(path)
    local file = path and io.open(path)
    if not file then
        return {}
    end
    local lines = {}
    for line in file:lines() do
        lines[#lines + 1] = line
    end
    file:close()
    return lines
end

-- One JSON object, flat but for lists of numbers and objects of them; nil when it is none.
local function object_parse(line)
    local object, rest = {}, line:match("^%s*{%s*(.-)%s*}%s*$")
    while rest and rest ~= "" do
        local key, after = rest:match('^"([%w_-]+)"%s*:%s*(.*)$')
        if not key then
            return nil
        end
        local text, tail = after:match('^("[^"\\]*")%s*(.*)$')
        if not text and after:sub(1, 1) == '"' then
            local at = 2
            while at <= #after and after:sub(at, at) ~= '"' do
                at = at + (after:sub(at, at) == "\\" and 2 or 1)
            end
            text, tail = after:sub(1, at), after:sub(at + 1):match("^%s*(.*)$")
        elseif not text then
            text, tail = after:match("^([^,%s%[%]{}]+)%s*(.*)$")
            if not text then -- a list of numbers, or an object of them
                text, tail = after:match("^(%b[])%s*(.*)$")
            end
            if not text then
                text, tail = after:match("^(%b{})%s*(.*)$")
            end
        end
        if not text then
            return nil
        end
        object[key] = text:sub(1, 1) == '"' and text:sub(2, -2) or tonumber(text) or text
        if tail ~= "" and tail:sub(1, 1) ~= "," then
            return nil
        end
        rest = tail:match("^,%s*(.*)$") or ""
    end
    return rest and object
end

local function events_read(path)
    local events, before = {}, 0
    for number, line in ipairs(lines_of(path)) do
        local event = object_parse(line)
        if not event or not event.event or type(event.t) ~= "number" then
            disagree("event line %d is no event: %s", number, line)
        else
            if event.t < before then
                disagree("event line %d: time goes back: %s", number, line)
            end
            before, event.line = event.t, line
            events[#events + 1] = event
        end
    end
    return events
end

-- A state seen at a time may have been so since earlier: the machine may have stood still until shortly before, and watch
-- with it.
local function seen_since(path)
    local gaps = {}
    for _, line in ipairs(lines_of(path)) do
        local to, from = line:match("^(%S+) still (%S+)$")
        if to then
            gaps[#gaps + 1] = {from = tonumber(from), to = tonumber(to)}
        end
    end
    return function(t)
        for _, gap in ipairs(gaps) do
            if t >= gap.from and t <= gap.to + 0.1 then
                return gap.from
            end
        end
        return t
    end
end

-- pid -> {birth, death, died, exe = {names}}; pids may return, so each is a list of lives.
-- died: it may have been so early.
local function watch_read(path)
    local lives, code, since = {}, nil, seen_since(path)
    for _, line in ipairs(lines_of(path)) do
        local t, what, pid, rest = line:match("^(%S+) (%S+) (%d+) ?(.*)$")
        local list = lives[pid] or {}
        if what == "birth" then
            lives[pid] = list
            list[#list + 1] = {birth = since(tonumber(t)), death = math.huge, died = math.huge,
                               exe = {[rest:match("%S*$")] = true}}
        elseif what == "exec" and #list > 0 then
            list[#list].exe[rest:match("%S*$")] = true
        elseif what == "death" and #list > 0 then
            list[#list].death, list[#list].died = tonumber(t), since(tonumber(t))
        elseif what == "end" then
            code = tonumber(pid)
        end
    end
    return lives, code
end

local function life_at(lives, pid, t)
    for _, life in ipairs(lives[tostring(pid)] or {}) do
        if life.birth <= t + slack and t - slack <= life.death then
            return life
        end
    end
end

-- A process that was killed at once, or has ended the run, may never have been seen, or not yet as PROGRAM.
local function is_brief(events, index)
    for i = index + 1, #events do
        local event = events[i]
        if event.event == "end" or
            event.rank == events[index].rank and (event.event == "death" or event.event == "rollback") then
            return event.t < events[index].t + 0.5
        end
    end
end

local function check_starts(events, lives)
    for index, event in ipairs(events) do
        if event.event == "start" then
            event.life = life_at(lives, event.pid, event.t)
            local brief = is_brief(events, index)
            if not event.life and not brief then
                disagree("no such process was alive: %s", event.line)
            elseif event.life and options.p and not event.life.exe[options.p] and not brief then
                disagree("this process was never %s: %s", options.p, event.line)
            end
        end
    end
end

-- Each death event must be the observed end of the rank's current process.
local function check_deaths(events)
    local current, deaths, reported = {}, 0, {}
    for _, event in ipairs(events) do
        if event.event == "start" then
            current[event.rank] = event
        elseif event.event == "death" then
            local start = current[event.rank]
            deaths = deaths + 1
            if not start then
                disagree("death of a rank that had no process: %s", event.line)
            elseif start.life and start.life.died > event.t + slack then
                disagree("pid %d did not die then: %s", start.pid, event.line)
            else
                reported[start] = true
            end
        end
    end
    return deaths, reported
end

-- When a rank may end by itself: shortly before the run does, and when nobody is ordered anything any more. A death
-- is not observed before it happens, and watch's clock has begun before that of ftrun.
local function earliest_end(events)
    local before = {["checkpoint-begin"] = true, start = true, resume = true, hook = true, left = true, exec = true}
    local finish, last = events[#events] and events[#events].t or 0, 0
    for _, event in ipairs(events) do
        last = before[event.event] and event.t or last
    end
    return math.max(finish - ending, last)
end

-- An observed death that nobody tells: allowed when the rank is rolled back, or at the end.
local function check_untold(events, reported)
    local earliest = earliest_end(events)
    for i, start in ipairs(events) do
        if start.event == "start" and start.life and not reported[start] then
            local explained = start.life.death >= earliest
            for j = i + 1, #events do
                local event = events[j]
                explained = explained or event.rank == start.rank and
                    (event.event == "rollback" or event.event == "start")
            end
            if not explained then
                disagree("pid %d of rank %d died at %.3f and no event tells", start.pid, start.rank,
                         start.life.death)
            end
        end
    end
end

local function check_rollbacks(events)
    local committed, rolled, rollbacks, real = {}, {}, 0, 0
    for _, event in ipairs(events) do
        if event.event == "checkpoint-commit" then
            committed[event.checkpoint] = true
        elseif event.event == "rollback" then
            rollbacks = rollbacks + 1
            real = real + (event.checkpoint >= 1 and 1 or 0)
            rolled[event.rank] = event
            if event.checkpoint >= 0 and not committed[event.checkpoint] and not options.restarted then
                disagree("a rollback to a checkpoint that was not committed: %s", event.line)
            end
        elseif event.event == "left" then -- what is known of it is its present state
            rolled[event.rank] = nil
        elseif event.event == "resume" then
            local back = rolled[event.rank]
            if back and event.hook and back.hook and event.hook ~= back.hook then
                disagree("rank %d resumed at hook %d instead of %d", event.rank, event.hook, back.hook)
            end
        end
    end
    return rollbacks, real
end

-- The rollback that put process `pid` in its place, or nil for a first life and for one that continues
-- what the rank had saved as a survivor.
local function rollback_of(events, rank, pid)
    local back
    for _, event in ipairs(events) do
        if event.event == "rollback" and event.rank == rank then
            back = event
        elseif event.event == "left" and event.rank == rank then
            back = nil
        elseif event.event == "start" and event.rank == rank and event.pid == pid then
            return back
        end
    end
end

-- Between the starts of two processes that have worked as this rank: was it told that the rank rolls back; or
-- has it left as a survivor, and somebody died behind that?
local function was_replaced(events, rank, old, new)
    local back, left, dead
    for _, event in ipairs(events) do
        local own = event.rank == rank
        if own and event.event == "start" and event.pid == old then
            back, left, dead = nil, nil, nil
        elseif own and event.event == "start" and event.pid == new then
            break
        elseif event.event == "death" then
            dead = left
        elseif own and event.event == "rollback" then
            back = true
        elseif own and event.event == "left" then
            back, left, dead = nil, true, nil
        end
    end
    return back, dead
end

local function is_started(events, rank, pid)
    for _, event in ipairs(events) do
        if event.event == "start" and event.rank == rank and event.pid == pid then
            return true
        end
    end
end

local function check_first_step(events, rank, pid, number, last, old)
    if not is_started(events, rank, pid) then
        if options.restarted then -- of the ftrun before this one
            return
        end
        disagree("pid %d works as rank %d and no event tells its start", pid, rank)
    end
    if number > last + 1 then
        disagree("rank %d: pid %d begins at step %d, the last one before was %d", rank, pid, number, last)
    end
    local told, dead = was_replaced(events, rank, old, pid)
    if old and not told and not options.restarted and not (dead and number == last + 1) then
        disagree("rank %d: pid %d begins at step %d behind %d of pid %d, and no event tells that it rolled back", rank,
                 pid, number, last, old)
    end
    local back = not options.u and rollback_of(events, rank, pid)
    if back and back.checkpoint < 0 and number ~= 1 then
        disagree("rank %d: pid %d begins at step %d without a checkpoint", rank, pid, number)
    elseif back and back.checkpoint >= 0 and back.hook and
        (number < math.max(back.hook, 1) or number > back.hook + 1) then
        disagree("rank %d: pid %d begins at step %d, its checkpoint is of hook %d", rank, pid, number,
                 back.hook)
    end
end

local function check_steps(events, path)
    local last, process, count = {}, {}, 0
    for _, line in ipairs(lines_of(path)) do
        local rank, pid, number = line:match("^(%d+) (%d+) (%d+)$")
        if not rank then
            disagree("a torn step record: %s", line)
            return
        end
        rank, pid, number, count = tonumber(rank), tonumber(pid), tonumber(number), count + 1
        if process[rank] ~= pid then
            check_first_step(events, rank, pid, number, last[rank] or 0, process[rank])
        elseif number ~= last[rank] + 1 then
            disagree("rank %d: pid %d goes from step %d to %d", rank, pid, last[rank], number)
        end
        process[rank], last[rank] = pid, number
    end
    if path and count == 0 then
        disagree("no step was recorded in %s", path)
    end
end

local function check_end(events, code)
    local last = events[#events]
    if not last or last.event ~= "end" then
        disagree("the last event is no end")
    elseif last.code and tonumber(options.c) and last.code ~= tonumber(options.c) then
        disagree("the end tells code %s, it was %s", last.code, options.c)
    end
    if code and tonumber(options.c) and code ~= tonumber(options.c) then
        disagree("watch saw code %s, not %s", code, options.c)
    end
end

local at = 1
while arg[at] do
    local name = arg[at]:match("^-(%a)$")
    if name == "u" or name == "r" then
        options[name == "r" and "restarted" or "u"] = true
    elseif name and arg[at + 1] then
        at = at + 1
        options[name] = arg[at]
    else
        error("agree: what is " .. arg[at])
    end
    at = at + 1
end
local events = events_read(options.e)
local lives, code = watch_read(options.w)
check_starts(events, lives)
local deaths, reported = check_deaths(events)
check_untold(events, reported)
local rollbacks, real = check_rollbacks(events)
check_steps(events, options.s)
check_end(events, code)
print(string.format("agree: deaths=%d rollbacks=%d real=%d", deaths, rollbacks, real))
os.exit(wrong == 0)

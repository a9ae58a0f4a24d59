#!/usr/bin/env lua5.4
-- figures.lua FOLDER [FTSIM]: figures that need more than one sweep of ftsim, as SVG by gnuplot.
--
--   plane-PROTECTION.svg   useful share over nodes and mean time between failures (coordinated, combined, clusters,
--                          replication)
--   break-even.svg         from how many nodes on replication, and the combined protocol, cost fewer socket hours than
--                          coordinated checkpoints, by the bandwidth of the file system
local json = require "dkjson"
local folder = arg[1] or error("figures.lua FOLDER [FTSIM]")
local ftsim = arg[2] or "build/bin/ftsim"
local protections = {"coordinated", "combined", "clusters", "replication"}

-- result[nodes][protection] of a job with these fields.
local function simulate(fields, nodes)
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write("return {protections = {'coordinated', 'combined', 'clusters', 'replication'}, " .. fields .. "}\n")
    file:close()
    local pipe = assert(io.popen(string.format("'%s' --json - --nodes %s %s", ftsim, table.concat(nodes, ","), path)))
    local answer = assert(json.decode(pipe:read("a")), "ftsim gives no JSON")
    pipe:close()
    os.remove(path)
    local result = {}
    for _, point in ipairs(answer.points) do
        local row = {}
        for _, sample in ipairs(point.protections) do row[sample.protection] = sample end
        result[math.tointeger(point.nodes)] = row
    end
    return result
end

local function finishes(sample)
    return sample.seconds and sample.unfinished * 2 <= sample.runs
end

local function steps(from, to, factor)
    local list, at = {}, from
    while at <= to * 1.001 do
        list[#list + 1] = math.floor(at + 0.5)
        at = at * factor
    end
    return list
end

local function open(name)
    return assert(io.open(folder .. "/" .. name, "w"))
end

local function write_planes()
    local nodes = steps(1000, 300000, 300 ^ (1 / 12))
    local files = {}
    for _, name in ipairs(protections) do files[name] = open("plane-" .. name .. ".txt") end
    for _, years in ipairs {1, 2, 3, 5, 7, 10, 15, 25, 50, 100} do
        local result = simulate("file_system_bandwidth = 10e12, mtbf_years = " .. years, nodes)
        for _, name in ipairs(protections) do
            for _, count in ipairs(nodes) do
                local sample = result[count][name]
                files[name]:write(string.format("%d %g %.2f\n", count, years,
                                                finishes(sample) and 100 * sample.efficiency or 0))
            end
            files[name]:write("\n")
        end
    end
    for _, file in pairs(files) do file:close() end
end

-- The first number of nodes from which on `better` costs less than coordinated checkpoints; nil: none.
local function crossing(result, nodes, better)
    for _, count in ipairs(nodes) do
        local one, two = result[count][better], result[count].coordinated
        if finishes(one) and (not finishes(two) or one.socket_hours < two.socket_hours) then return count end
    end
end

local function write_break_even()
    local nodes, file = steps(500, 2000000, 1.15), open("break-even.txt")
    for _, bandwidth in ipairs {0.5, 1, 2, 5, 10, 20, 30} do
        local result = simulate(string.format("file_system_bandwidth = %ge12", bandwidth), nodes)
        file:write(string.format("%g %s %s\n", bandwidth, crossing(result, nodes, "replication") or "nan",
                                 crossing(result, nodes, "combined") or "nan"))
    end
    file:close()
end

local function draw()
    local file = open("figures.gp")
    file:write("set terminal svg size 720,480 dynamic background 'white' font 'sans-serif,13'\nset logscale xy\n",
               "set xlabel 'nodes'\nset ylabel 'years between failures of a socket'\nset cblabel 'useful, percent'\n",
               "set cbrange [0:100]\nset xrange [1000:300000]\nset yrange [1:100]\nset view map\nset pm3d\n")
    for _, name in ipairs(protections) do
        file:write(string.format("set output 'plane-%s.svg'\nset title '%s, 10 TB/s'\nsplot 'plane-%s.txt' with pm3d notitle\n",
                                 name, name, name))
    end
    file:write("unset pm3d\nunset view\nset autoscale\nset output 'break-even.svg'\nset title 'fewer socket hours than coordinated from here on'\n",
               "set xlabel 'bandwidth of the file system, TB/s'\nset ylabel 'nodes'\nset key left top\nset grid\n",
               "plot 'break-even.txt' using 1:2 with linespoints title 'replication', ",
               "'' using 1:3 with linespoints title 'combined'\n")
    file:close()
    assert(os.execute(string.format("cd '%s' && gnuplot figures.gp", folder)), "gnuplot failed")
end

assert(os.execute(string.format("mkdir -p '%s'", folder)))
write_planes()
write_break_even()
draw()

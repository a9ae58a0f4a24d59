#!/usr/bin/env lua5.4
-- figures.lua FOLDER [FTSIM]: figures that need more than one sweep of ftsim, as SVG by gnuplot.
--
--   plane-PROTECTION.svg   useful share over nodes and mean time between failures (coordinated, combined, clusters,
--                          replication)
--   break-even.svg         from how many nodes on replication, and the combined protocol, cost fewer socket hours than
--                          coordinated checkpoints, by the bandwidth of the file system
--   speed.svg              seconds that ftsim needs for 168 hours, four protections, five runs each, by nodes
--   index.html             all of them
local json = require "dkjson"
local folder = arg[1] or error("figures.lua FOLDER [FTSIM]")
local ftsim = arg[2] or "build/bin/ftsim"
local protections = {"coordinated", "combined", "clusters", "replication"}

-- result[nodes][protection] of a job with these fields.
local function simulate(fields, nodes, runs)
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write("return {protections = {'coordinated', 'combined', 'clusters', 'replication'}, " .. fields .. "}\n")
    file:close()
    local pipe = assert(io.popen(string.format("'%s' --json - --runs %d --nodes %s %s", ftsim, runs or 10,
                                               table.concat(nodes, ","), path)))
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
    local nodes = steps(1000, 300000, 300 ^ (1 / 9))
    local files = {}
    for _, name in ipairs(protections) do files[name] = open("plane-" .. name .. ".txt") end
    for _, years in ipairs {1, 2, 4, 7, 12, 25, 50, 100} do
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

-- Seconds since some moment.
local function now()
    local pipe = assert(io.popen("cut -d ' ' -f 1 /proc/uptime"))
    local time = tonumber(pipe:read("a"))
    pipe:close()
    return time
end

local function write_speed()
    local file = open("speed.txt")
    for _, count in ipairs {1000, 3000, 10000, 30000, 100000, 300000, 1000000} do
        local times = {}
        for i, distribution in ipairs {"exponential", "weibull"} do
            local begin = now()
            simulate(string.format("file_system_bandwidth = 30e12, distribution = %q", distribution), {count}, 5)
            times[i] = now() - begin
        end
        file:write(string.format("%d %.2f %.2f\n", count, times[1], times[2]))
    end
    file:close()
end

local function write_page()
    local file = open("index.html")
    file:write('<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>ftsim</title>\n')
    for _, name in ipairs {"plane-coordinated", "plane-combined", "plane-clusters", "plane-replication", "break-even", "speed"} do
        file:write(string.format('<p><img src="%s.svg" alt="%s"></p>\n', name, name))
    end
    file:write("</html>\n")
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
               "'' using 1:3 with linespoints title 'combined'\n",
               "set output 'speed.svg'\nset title 'what ftsim needs for 20 runs'\nset xlabel 'nodes'\nset ylabel 'seconds'\n",
               "plot 'speed.txt' using 1:2 with linespoints title 'exponential', ",
               "'' using 1:3 with linespoints title 'weibull'\n")
    file:close()
    assert(os.execute(string.format("cd '%s' && gnuplot figures.gp", folder)), "gnuplot failed")
end

assert(os.execute(string.format("mkdir -p '%s'", folder)))
write_planes()
write_break_even()
write_speed()
draw()
write_page()

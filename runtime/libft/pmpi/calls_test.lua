-- calls_test: the table of calls says something about every function of mpi.h, and libft.so does it.
--
--     lua5.4 calls_test.lua calls.def mpi.i libft.so         (mpi.i: mpi.h, preprocessed)
--
-- Fails when mpi.h declares a function that the table lacks, or the table names one that mpi.h lacks;
-- when libft.so does not export a function of the table, or exports an MPI or PMPI function besides
-- them; when a function is called absent though the library has it.

local def, header, library = arg[1], arg[2], arg[3]
local failures = 0

local function complain(...)
    failures = failures + 1
    print(string.format(...))
end

local function read(path)
    local file = assert(io.open(path))
    local text = file:read("a")
    file:close()
    return text
end

local function declared()
    local text, names = read(header):gsub("__attribute__%s*%b()", ""):gsub("%s+", " "), {}
    for name in text:gmatch("[%w_]+[ %*]+(MPIX?_[%w_]+) ?%b() ?;") do names[name] = true end
    return names
end

local function tabled()
    local text, names = read(def):gsub("/%*.-%*/", ""), {}
    for name, class in text:gmatch("FT_CALL%(([%w_]+), ([%w_]+)%)") do names[name] = class end
    for name in text:gmatch("FT_REFUSED%(([%w_]+), [%w_]+%)") do names[name] = "refused" end
    return names
end

local function exported(path)
    local pipe, names = assert(io.popen("nm -D --defined-only '" .. path .. "'")), {}
    for line in pipe:lines() do
        local name = line:match(" [TW] ([%w_]+)$")
        if name and (name:match("^P?MPIX?_") or name == "ft_replace") then names[name] = true end
    end
    assert(pipe:close(), "nm failed")
    return names
end

local in_header, in_table, in_library = declared(), tabled(), exported(library)
local count = 0
for name in pairs(in_header) do
    count = count + 1
    if not in_table[name] then complain("%s is declared by mpi.h: say in calls.def what becomes of it", name) end
end
for name, class in pairs(in_table) do
    if not in_header[name] and class ~= "added" then complain("%s is in calls.def, but mpi.h does not declare it", name) end
    if (class ~= "absent") ~= (in_library[name] or false) then
        complain("%s (%s) is %s by libft.so", name, class, class == "absent" and "exported" or "not exported")
    end
end
for name in pairs(in_library) do
    if not in_table[name] then complain("libft.so exports %s, which calls.def does not name", name) end
end
if count < 500 then complain("only %d functions were found in %s", count, header) end
print(("%d functions, %d failures"):format(count, failures))
os.exit(failures == 0)

-- wrappers: writes the regular wrappers, from calls.def and the prototypes of mpi.h.
--
--     lua5.4 wrappers.lua calls.def mpi.i wrappers.c         (mpi.i: mpi.h, preprocessed)
--     lua5.4 wrappers.lua calls.def mpi.i file_wrappers.c io   those of MPI-IO alone; the first leaves them out
--
-- The treatment of an argument depends on its type alone: a handle that goes in is translated to the
-- real one; a handle that comes out is given to the runtime, and the program gets the virtual one.
-- Each class of calls.def is one template below.

local def, header, output, room = arg[1], arg[2], arg[3], arg[4]

local function read(path)
    local file = assert(io.open(path))
    local text = file:read("a")
    file:close()
    return text
end

-- name -> {result = "int", parameters = {{text, type, name, array}}}
local function prototypes_read(path)
    local text = read(path):gsub("__attribute__%s*%b()", ""):gsub("%s+", " ")
    local found = {}
    for result, name, list in text:gmatch("([%w_]+) (MPIX?_[%w_]+)%s*(%b())%s*;") do
        local parameters = {}
        for item in (list:sub(2, -2) .. ","):gmatch("%s*([^,]-)%s*,") do
            if item ~= "void" and item ~= "" and item ~= "..." then
                local base = item:match("^(.-)%s*%[") or item
                local kind, word = base:match("^(.-)([%w_]+)$")
                parameters[#parameters + 1] = {
                    text = item, name = word, array = base ~= item,
                    type = kind:gsub("const", ""):gsub("%s+", ""),
                }
            end
        end
        found[name] = { name = name, result = result, parameters = parameters }
    end
    return found
end

-- In order of the table: {name, class} or {name, class = "refused", reason}.
local function calls_read(path)
    local text = read(path):gsub("/%*.-%*/", "")
    local calls, reasons = {}, {}
    for reason, words in text:gmatch('FT_REASON%(([%w_]+),%s*("[^"]*")%)') do
        reasons[reason] = words
    end
    for kind, name, second in text:gmatch("FT_(%u+)%(([%w_]+), ([%w_]+)%)") do
        local refused = kind == "REFUSED"
        calls[#calls + 1] = {
            name = name, class = refused and "refused" or second,
            reason = refused and assert(reasons[second], "no reason " .. second) or nil,
        }
    end
    return calls
end

local real = {
    MPI_Comm = "ft_comm_real", MPI_Group = "ft_group_real", MPI_Info = "ft_info_real",
    MPI_Datatype = "ft_type_real", MPI_Op = "ft_op_real",
}
local made = { ["MPI_Group*"] = "ft_group_made", ["MPI_Info*"] = "ft_info_made" }

-- Joins with ", " and breaks lines at 100 columns; `indent` is where continued lines start.
local function wrap(head, items, tail, indent)
    local lines, line = {}, head
    for i, item in ipairs(items) do
        local piece = item .. (i < #items and "," or tail)
        local glue = (i == 1) and "" or " "
        if #line + #glue + #piece > 100 then
            lines[#lines + 1] = line
            line = (" "):rep(indent) .. piece
        else
            line = line .. glue .. piece
        end
    end
    if #items == 0 then line = line .. tail end
    lines[#lines + 1] = line
    return table.concat(lines, "\n")
end

local function head_of(p)
    local texts = {}
    for _, parameter in ipairs(p.parameters) do texts[#texts + 1] = parameter.text end
    if #texts == 0 then texts[1] = "void" end
    local start = ("FT_EXPORT %s %s("):format(p.result, p.name)
    return wrap(start, texts, ")", #start)
end

-- The native call; translate(parameter) gives an argument's text, nil: as it is.
local function call_of(p, start, translate)
    local items = {}
    for _, parameter in ipairs(p.parameters) do
        items[#items + 1] = translate and translate(parameter) or parameter.name
    end
    local before = start .. "P" .. p.name .. "("
    return wrap(before, items, ");", math.min(#before, 40))
end

local function find(p, kind)
    for _, parameter in ipairs(p.parameters) do
        if parameter.type == kind and not parameter.array then return parameter.name end
    end
end

local function translated(parameter)
    if real[parameter.type] and not parameter.array then
        return ("%s(self, %s)"):format(real[parameter.type], parameter.name)
    end
end

-- The runtime's own form of a call: ft_PREFIX_cart_create(self, on, ...).
local function own_call_of(p, prefix)
    local items = prefix == "ft_birth_" and { "self" } or {}
    for _, parameter in ipairs(p.parameters) do
        items[#items + 1] = parameter.type == "MPI_Comm" and "on" or parameter.name
    end
    local before = "        code = " .. prefix .. p.name:sub(5):lower() .. "("
    return wrap(before, items, ");", math.min(#before, 40))
end

-- The same with the communicator that was looked up as `on`.
local function translated_on(parameter)
    if parameter.type == "MPI_Comm" then return "on->real" end
    if parameter.type == "MPI_Request*" then return "&posted" end
    return translated(parameter)
end

local function fill(template, values)
    return (template:gsub("%$(%w+)", function(key) return assert(values[key], key) end))
end


local entry = [[
$head
{
    struct ft_rank *self = ft_self;
$locals
    if (ft_unlikely(!self))
$native
    ft_enter(self, FT_CALL_$name, __builtin_return_address(0));
]]

local unknown = [[
    on = ft_comm_find(self, $comm);
    if (ft_unlikely(!on)) {
$invalid
        return ft_leave(self, ft_error(self, NULL, code, "$name"));
    }
]]

local template = {}

-- At a depth it is the library's own: MPICH asks MPI-IO whether a folder is common (MPI_Comm_split_type).
template.refused = [[
$head
{
    if (ft_self && ft_depth == 0)
        ft_refuse("$name", __builtin_return_address(0),
                  $reason);
$return
}
]]

-- Neither a safe point nor counted: it may come before MPI_Init and after MPI_Finalize. `pass` is there
-- where the result is an MPI code.
template.pass = [[
$head
{
    $result code;

    ft_depth++;
$plain
$pass    ft_depth--;
    return code;
}
]]

template["local"] = entry .. [[
$call
$out    return ft_leave(self, ft_error(self, $error, code, "$name"));
}
]]

-- MPI's answers about a topology. With --protocol spbc the library knows of none.
template.topology = entry .. [[
    on = ft_comm_find(self, comm);
    if (on && self->spbc)
$spbc
    else
$invalid
    return ft_leave(self, ft_error(self, on, code, "$name"));
}
]]

template.constructor = entry .. [[
    made = $old;
$call
    if (ft_likely(code == MPI_SUCCESS))
        *$new = ft_type_made(self, *$new, 1, &made);
    return ft_leave(self, ft_error(self, NULL, code, "$name"));
}
]]

template.collective = entry .. unknown .. [[
    ft_trace_collective(self, on, $root, $given);
    ft_comm_tick(on);
    code = FT_LANES_NATIVE;
$lanes
    if (ft_likely(code == FT_LANES_NATIVE)) {
        ft_block_begin(self, on->id, on->clock);
    $call
        ft_block_end(self);
        if (ft_unlikely(code != MPI_SUCCESS))
            ft_comm_untick(on, code);
    }
    return ft_leave(self, ft_error(self, on, code, "$name"));
}
]]

template.birth = entry .. unknown .. [[
    ft_trace_collective(self, on, $root, $given);
    if (self->spbc) {
        ft_trail_call(self, on->id, 0, 0, 0, 0);
$spbc
        return ft_leave(self, ft_error(self, on, code, "$name"));
    }
    ft_block_begin(self, on->id, ft_comm_tick(on));
$call
    ft_block_end(self);
    if (ft_likely(code == MPI_SUCCESS))
        *$newcomm = $born(self, on, on->clock, *$newcomm$hints);
    else
        ft_comm_untick(on, code);
    return ft_leave(self, ft_error(self, on, code, "$name"));
}
]]

template.icollective = entry .. unknown .. [[
    ft_trace_collective(self, on, $root, $given);
    ft_comm_tick(on);
    code = FT_LANES_NATIVE;
$lanes
    if (ft_likely(code == FT_LANES_NATIVE)) {
    $call
        if (ft_likely(code == MPI_SUCCESS))
            *request = ft_collective_post(self, on, posted, NULL, $used);
        else
            on->clock--; /* it was not posted */
    }
    return ft_leave(self, ft_error(self, on, code, "$name"));
}
]]

-- Calls of an open file. Behind the entry the room runs at depth 0, as the program does; at a depth it is the library that
-- calls: MPICH asks MPI-IO whether a folder is common (MPI_Comm_split_type).
template.file = [=[
$head
{
    struct ft_rank *self = ft_self;
    struct ft_upcall upcall;
    struct ft_file *file;
    int code = MPI_ERR_FILE;

    if (ft_unlikely(!self || ft_depth))
$native
    ft_enter(self, FT_CALL_$name, __builtin_return_address(0));
    upcall = ft_upcall_begin(self);
    file = ft_file_find(self, fh);
    if (ft_likely(file != NULL))
$io
    ft_upcall_end(self, upcall);
    return ft_leave(self, ft_file_error(self, file, code, "$name"));
}
]=]
template.transfer = template.file

template.window = entry .. [=[
    on = ft_win_find(self, win);
    if (ft_likely(on != NULL))
$io
    else
$invalid
    return ft_leave(self, ft_win_error(self, on, code, "$name"));
}
]=]

template.rma = entry .. [=[
    on = ft_win_find(self, win);
$call
$posted    return ft_leave(self, ft_win_error(self, on, code, "$name"));
}
]=]

local function translated_win(parameter)
    if parameter.type == "MPI_Win" then return "ft_win_use(on, win)" end
    if parameter.type == "MPI_Request*" then return "&posted" end
    return translated(parameter)
end

-- MPI_File_iwrite_at_all_c: what its name says of the transfer.
local function transfer_of(p)
    local kinds, fields = {}, {}
    local words = { write = "WRITE", iwrite = "WRITE", at = "AT", shared = "SHARED", ordered = "ORDERED", all = "ALL",
                    ["begin"] = "BEGIN", ["end"] = "END" }
    local names = { offset = "offset", buf = "buffer", count = "count", datatype = "type", status = "status",
                    request = "request" }
    for word in p.name:sub(#"MPI_File_" + 1):gmatch("[^_]+") do
        if words[word] then kinds[#kinds + 1] = "FT_TRANSFER_" .. words[word] end
    end
    for _, parameter in ipairs(p.parameters) do
        local field = names[parameter.name]
        local cast = field == "buffer" and "(void *)(uintptr_t)" or ""
        if field then fields[#fields + 1] = (".%s = %s%s"):format(field, cast, parameter.name) end
    end
    local start = "        code = ft_file_transfer("
    return wrap(start, { "self", "file", #kinds > 0 and table.concat(kinds, " | ") or "0" }, ",", #start) .. "\n" ..
        wrap("            &(struct ft_access){", fields, "});", 32)
end

-- The room's own function, which gets the structure in place of the handle.
local function room_call_of(p, handle, name)
    local items = { "self", name }
    for _, parameter in ipairs(p.parameters) do
        if parameter.type ~= handle then items[#items + 1] = parameter.name end
    end
    local start = "        code = ft_" .. p.name:sub(5):lower() .. "("
    return wrap(start, items, ");", math.min(#start, 40))
end

-- MPI_Allreduce_init is MPI_Iallreduce each time it is started, with the same arguments; arrays are the program's.
template.init = [=[
struct given_$name {
$fields};

static int start_$name(const void *given, MPI_Request *request)
{
    const struct given_$name *with = given;

$start
}

]=] .. entry .. unknown .. [=[
    comm = ft_collective_comm(self, comm);
    given = ft_image_alloc(sizeof(*given));
    *given = (struct given_$name){$values};
    *request = ft_collective_init(self, on, comm, start_$name, given, $used);
    return ft_leave(self, MPI_SUCCESS);
}
]=]

-- The form with ints of a call with large counts.
template.narrow = [=[
$head
{
$locals    int code;

    if (ft_unlikely(!ft_self || ft_depth))
$native
$begin$narrow
$finish    return code;
}
]=]

local function init_of(p)
    local fields, values, items = "", {}, {}
    for _, parameter in ipairs(p.parameters) do
        if parameter.name ~= "info" and parameter.name ~= "request" then
            local kind = parameter.text:gsub(parameter.array and "%s*[%w_]+%s*%[%s*%]$" or "[%w_]+$", "")
            fields = fields .. ("    %s%s%s;\n"):format(kind, parameter.array and " *" or "", parameter.name)
            values[#values + 1] = parameter.name
            items[#items + 1] = "with->" .. parameter.name
        end
    end
    items[#items + 1] = "request"
    local start = "    return " .. p.name:gsub("_init", ""):gsub("MPI_(%u)", function(c) return "MPI_I" .. c:lower() end) .. "("
    return fields, wrap("", values, "", 40):gsub("^ ", ""), wrap(start, items, ");", math.min(#start, 30))
end

-- Pairs of a large count and a datatype become pairs with an int.
local function narrow_of(p)
    local types = { count = "datatype", sendcount = "sendtype", recvcount = "recvtype" }
    local pairs_, items, names, begin, finish = {}, {}, "", "", ""
    for _, parameter in ipairs(p.parameters) do
        if parameter.type == "MPI_Count" then
            local kind = assert(find(p, "MPI_Datatype") and types[parameter.name], p.name)
            pairs_[parameter.name], pairs_[kind] = parameter.name .. "_part.count", parameter.name .. "_part.type"
            names = names .. ("    struct ft_large %s_part;\n"):format(parameter.name)
            local first = ("    %s_part = ft_large_begin("):format(parameter.name)
            begin = begin .. wrap(first, { '"' .. p.name .. '"', parameter.name, kind, "__builtin_return_address(0)" },
                ");", #first) .. "\n"
            finish = ("    ft_large_end(&%s_part);\n"):format(parameter.name) .. finish
        end
    end
    if p.name:find("endrecv_replace") then assert(pairs_.count) end
    for _, parameter in ipairs(p.parameters) do items[#items + 1] = pairs_[parameter.name] or parameter.name end
    local start = "    code = " .. p.name:gsub("_c$", "") .. "("
    return names, begin, wrap(start, items, ");", math.min(#start, 30)), finish
end

local function root_of(p)
    for _, parameter in ipairs(p.parameters) do
        if parameter.name == "root" then return "root" end
    end
    return "-1"
end

-- The record of a collective in a verification: the buffer, count and datatype of what this process
-- gives (MPI_IN_PLACE: only how much), as far as they are significant in every correct program.
local function given_of(p)
    local has = {}
    for _, parameter in ipairs(p.parameters) do has[parameter.name] = not parameter.array or "array" end
    local rooted = has.root and "on->inter ? 0 : " or ""
    if has.recvcount == true and p.name:find("catter") and has.recvtype then
        return rooted .. "recvbuf == MPI_IN_PLACE ? 0 : recvcount", "MPI_IN_PLACE", "recvtype"
    elseif has.sendcount == true then
        return rooted .. "sendbuf == MPI_IN_PLACE ? 0 : sendcount", "sendbuf", "sendtype"
    elseif has.buffer then
        return rooted .. "count", "on->rank == root ? buffer : MPI_IN_PLACE", "datatype"
    elseif has.sendbuf and has.datatype and (has.count or has.recvcount == true) then
        return rooted .. (has.count and "count" or "recvcount"), "sendbuf", "datatype"
    end
    return "0", "NULL", "MPI_BYTE"
end

-- The handles that a pending collective uses: datatypes and the operation.
local function used_of(p)
    local items = {}
    for _, parameter in ipairs(p.parameters) do
        if (parameter.type == "MPI_Datatype" or parameter.type == "MPI_Op") and not parameter.array then
            items[#items + 1] = ("ft_handle_bits(%s)"):format(parameter.name)
        end
    end
    if #items == 0 then return "0, NULL" end
    return ("%d, (uint32_t[]){%s}"):format(#items, table.concat(items, ", "))
end

-- How long an array of counts or displacements is that this process gives; 0 where nobody reads it.
local function length_of(p, parameter)
    if p.name:find("[nN]eighbor") then
        return ("ft_lanes_neighbours(on, %d)"):format(parameter.name:find("^s") and 1 or 0)
    elseif p.name:find("atherv") and not p.name:find("llgatherv") or p.name:find("catterv") then
        return "ft_lanes_is_root(on, root) ? on->peers : 0"
    elseif p.name:find("educe_scatter") then
        return "on->size"
    end
    return parameter.name:find("^s") and "sendbuf == MPI_IN_PLACE ? 0 : on->peers" or "on->peers"
end

-- The arguments that a call with large counts gives to its form with ints: {arguments, declarations, test, frees}.
local function narrowed(p, class)
    local items, names, large, frees = { "self", "on" }, "", {}, ""
    for _, parameter in ipairs(p.parameters) do
        local item = parameter.name
        if parameter.array and (parameter.type == "MPI_Count" or parameter.type == "MPI_Aint") then
            names = names .. wrap(("        int *%s_int = ft_lanes_narrow("):format(item),
                { '"' .. p.name .. '"', item, length_of(p, parameter) }, ");", 12) .. "\n"
            frees = frees .. ("\n        ft_image_free(%s_int);"):format(item)
            item = item .. "_int"
        elseif parameter.type == "MPI_Count" then
            large[#large + 1] = ("ft_lanes_large(%s)"):format(item)
            item = "(int)" .. item
        end
        if parameter.type ~= "MPI_Comm" and parameter.type ~= "MPI_Request*" then
            items[#items + 1] = item
        end
    end
    items[#items + 1] = class == "icollective" and "request" or "NULL"
    return items, names, table.concat(large, " || "), frees
end

-- With --protocol spbc: the call made of messages (runtime/libft/coll/lanes.h), which takes the program's
-- handles. Of the calls with large counts, those are carried whose counts fit.
local function lanes_of(p, class)
    local given, _, kind = given_of(p)
    local mark = ("        ft_trail_call(self, on->id, %s, 0, %s,\n                      %s);\n")
        :format(root_of(p), given, kind)
    local name = p.name:gsub("^MPI_", ""):gsub("_c$", ""):lower()
    if class == "icollective" then name = name:sub(2) end
    local items, names, large, frees = narrowed(p, class)
    local start = ("        code = ft_lanes_%s("):format(name)
    local call = wrap(start, items, ");", #start) .. frees
    if large ~= "" then
        mark = ("        if (%s)\n            ft_lanes_refuse(\"%s\");\n"):format(large, p.name) .. mark
    end
    local test = name:find("^neighbor") and "self->spbc != NULL" or "ft_lanes_carry(self, on)"
    return "    if (ft_unlikely(" .. test .. ")) {\n" .. names .. mark .. call ..
        "\n    }"
end

local function outs_of(p)
    local text = ""
    for _, parameter in ipairs(p.parameters) do
        local adopt = made[parameter.type]
        if adopt then
            text = text .. ("    if (ft_likely(code == MPI_SUCCESS))\n        *%s = %s(self, *%s);\n")
                :format(parameter.name, adopt, parameter.name)
        end
    end
    return text
end

-- MPIX_Query_* tell of the library.
local function pass_of(p)
    if p.result ~= "int" or p.name:find("^MPIX_") then return "" end
    return ('    if (ft_unlikely(code != MPI_SUCCESS))\n        code = ft_error_pass(code, "%s");\n')
        :format(p.name)
end

-- Calls of an operation with a request.
local function posted_of(p)
    if not find(p, "MPI_Request*") then return "" end
    return wrap("    if (ft_likely(code == MPI_SUCCESS))\n        *request = ft_collective_post(",
        { "self", "ft_comm_find(self, on->comm)", "posted", "NULL", used_of(p) }, ");\n", 40)
end

local locals = {
    narrow = "", -- its own
    window = "    struct ft_win *on;\n    int code;\n",
    rma = "    struct ft_win *on;\n    int code;\n",
    ["local"] = "    int code;\n",
    constructor = "    MPI_Datatype made;\n    int code;\n",
    collective = "    struct ft_comm *on;\n    int code;\n",
    birth = "    struct ft_comm *on;\n    int code;\n",
    topology = "    struct ft_comm *on;\n    int code;\n",
    icollective = "    struct ft_comm *on;\n    MPI_Request posted;\n    int code;\n",
}

local function wrapper(call, p)
    local comm = find(p, "MPI_Comm")
    local count, buffer, kind = given_of(p)
    local hinted = call.name == "MPI_Comm_split_type" -- others only read their info
    local on_comm = call.class:find("collective") or call.class == "birth"
    local fields, values, start, names, begin, narrow, finish = "", "", "", "", "", "", ""
    if call.class == "init" then
        fields, values, start = init_of(p)
    elseif call.class == "narrow" then
        names, begin, narrow, finish = narrow_of(p)
    end
    return fill(template[call.class], {
        fields = fields, values = values, start = start, begin = begin, narrow = narrow, finish = finish,
        name = call.name, head = head_of(p), result = p.result, reason = call.reason or "",
        locals = (locals[call.class] or "") .. names ..
            (call.class == "init" and ("    struct given_%s *given;\n    struct ft_comm *on;\n    int code;\n"):format(call.name) or "") ..
            (call.class == "rma" and find(p, "MPI_Request*") and "    MPI_Request posted;\n" or ""),
        native = call_of(p, "        return "),
        ["return"] = call_of(p, "    return "),
        plain = call_of(p, "    code = "), pass = pass_of(p),
        invalid = call_of(p, "        code = ", call.class == "topology" and translated or nil),
        spbc = own_call_of(p, call.class == "birth" and "ft_birth_" or "ft_"),
        call = call_of(p, "    code = ", on_comm and translated_on or call.class == "rma" and translated_win or translated),
        comm = comm or "",
        error = comm and ("ft_comm_find(self, %s)"):format(comm) or "NULL",
        out = outs_of(p), used = used_of(p),
        old = find(p, "MPI_Datatype") or "", new = find(p, "MPI_Datatype*") or "",
        newcomm = find(p, "MPI_Comm*") or "",
        born = hinted and "ft_comm_born_hinted" or "ft_comm_born", hints = hinted and ", info" or "",
        lanes = call.class:find("collective") and lanes_of(p, call.class) or "",
        root = root_of(p),
        io = call.class == "transfer" and transfer_of(p) or call.class == "file" and room_call_of(p, "MPI_File", "file") or
            call.class == "window" and room_call_of(p, "MPI_Win", "on") or "",
        posted = call.class == "rma" and posted_of(p) or "",
        given = ("%s,\n                        %s, %s"):format(buffer, count, kind),
    })
end

local prototypes = prototypes_read(header)
local of_io = { file = true, transfer = true }
local pieces = room and {
    "/* Written by runtime/libft/pmpi/wrappers.lua from calls.def; changes here are lost. */",
    '#include "library/library.h"\n#include "calls/calls.h"\n#include "io/io.h"\n#include "process.h"',
} or {
    "/* Written by runtime/libft/pmpi/wrappers.lua from calls.def; changes here are lost. */",
    '#include "library/library.h"\n#include "coll/lanes.h"\n#include "determinant/trail.h"\n#include "handle/handle.h"\n#include "calls/calls.h"',
    '#include "pmpi/births.h"\n#include "pmpi/collective.h"\n#include "pmpi/large.h"\n#include "process.h"\n#include "trace/trace.h"\n#include "window/window.h"',
}
for _, call in ipairs(calls_read(def)) do
    if template[call.class] and (of_io[call.class] or false) == (room ~= nil) then
        local p = prototypes[call.name] -- calls_test names those that this mpi.h lacks
        if p then pieces[#pieces + 1] = "\n" .. wrapper(call, p):gsub("%s+$", "") end
    end
end
local file = assert(io.open(output, "w"))
file:write(table.concat(pieces, "\n"), "\n")
file:close()

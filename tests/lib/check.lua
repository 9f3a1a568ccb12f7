-- Assertions for the test scripts, for every Lua flavour.
--
-- A test ends with check.done(), whose "ok" is what the runner looks for.
-- A failed assertion is an error at the line that made it.
local check = {}

local select, type, tostring, pairs, ipairs, pcall, error = select, type, tostring, pairs, ipairs, pcall, error
local concat, find, format = table.concat, string.find, string.format

-- A value as one would write it; tables one level deep.
local function show(value, inner)
    if type(value) == "string" then
        if #value > 200 then
            return format("%q... (%d bytes)", value:sub(1, 200), #value)
        end
        return format("%q", value)
    end
    if type(value) ~= "table" or inner then
        return tostring(value)
    end
    local parts = {}
    for k, v in pairs(value) do
        parts[#parts + 1] = "[" .. show(k, true) .. "]=" .. show(v, true)
        if #parts == 20 then
            parts[#parts + 1] = "..."
            break
        end
    end
    return "{" .. concat(parts, ", ") .. "}"
end

local function fail(what, text)
    error((what and tostring(what) .. ": " or "") .. text, 3)
end

-- Raw equality. NaN equals NaN here.
function check.eq(got, want, what)
    if not rawequal(got, want) and (got ~= want or type(got) ~= type(want)) and (got == got or want == want) then
        fail(what, "got " .. show(got) .. ", want " .. show(want))
    end
    return got
end

-- Same content: tables by their fields, cycles included; metatables are not looked at.
local function same(a, b, seen)
    if type(a) ~= "table" or type(b) ~= "table" then
        return a == b or (a ~= a and b ~= b)
    end
    if seen[a] ~= nil then
        return seen[a] == b
    end
    seen[a] = b
    for k, v in next, a do
        if not same(v, rawget(b, k), seen) then
            return false
        end
    end
    for k in next, b do
        if rawget(a, k) == nil then
            return false
        end
    end
    return true
end

function check.same(got, want, what)
    if not same(got, want, {}) then
        fail(what, "got " .. show(got) .. ", want " .. show(want))
    end
    return got
end

function check.is_true(value, what)
    if not value then
        fail(what, "got " .. show(value) .. ", want a true value")
    end
    return value
end

-- f(...) raises an error whose text contains `text` (plain, not a pattern).
-- Returns the error value.
function check.raises(text, f, ...)
    local ok, err = pcall(f, ...)
    if ok then
        fail(nil, "no error; one was expected with the text " .. show(text))
    end
    if not find(tostring(err), text, 1, true) then
        fail(nil, "the error " .. show(tostring(err)) .. " does not contain " .. show(text))
    end
    return err
end

-- Exactly `count` results, nils included. Returns them.
function check.results(count, ...)
    local n = select("#", ...)
    if n ~= count then
        local parts = {}
        for i = 1, n do
            parts[i] = show((select(i, ...)))
        end
        fail(nil, format("got %d results (%s), want %d", n, concat(parts, ", "), count))
    end
    return ...
end

-- A list that keeps its length: nils inside and at the end count.
function check.list(...)
    return { n = select("#", ...), ... }
end

-- The results are exactly those of `want`, a check.list: their number, and each
-- of them with the type it has.
function check.gives(want, ...)
    local got = check.list(...)
    local good = got.n == want.n
    for i = 1, want.n do
        local g, w = got[i], want[i]
        good = good and type(g) == type(w) and (g == w or type(w) == "table" and same(g, w, {}))
    end
    if not good then
        local parts = {}
        for _, list in ipairs { got, want } do
            for i = 1, list.n do
                parts[#parts + 1] = (i > 1 and ", " or "") .. show(list[i])
            end
            parts[#parts + 1] = list == got and "), want (" or ")"
        end
        fail(nil, "got (" .. concat(parts))
    end
end

function check.done()
    print "ok"
end

return check

-- The assertions of tests/lib/check.lua tell right from wrong
local check = require "check"

local function refuses(text, f, ...)
    local ok, err = pcall(f, ...)
    assert(not ok, "was accepted")
    assert(err:find(text, 1, true), err)
end

check.eq(1, 1)
check.eq(0 / 0, 0 / 0)
refuses("count: got 1, want 2", check.eq, 1, 2, "count")
refuses('got "1", want 1', check.eq, "1", 1)
refuses("got nil, want false", check.eq, nil, false)

local a, b = { 1, { x = "y" } }, { 1, { x = "y" } }
a.self, b.self = a, b
check.same(a, b)
b[2].z = false
refuses("want {", check.same, a, b)
refuses("got", check.same, { 1 }, { 1, 2 })
refuses("got", check.same, { 1, 2 }, { 1 })
refuses("got", check.same, {}, 1)

local err = check.raises("a [pattern]", function(text) error(text, 0) end, "not a [pattern] here")
check.eq(err, "not a [pattern] here")
refuses("no error", check.raises, "x", function() end)
refuses("does not contain", check.raises, "x", error, "y")

check.eq(select("#", check.results(3, nil, 1, nil)), 3)
refuses("got 2 results (nil, nil), want 1", check.results, 1, nil, nil)
refuses("want a true value", check.is_true, false)

check.gives(check.list(1, nil, { "x" }), 1, nil, { "x" })
check.gives(check.list())
refuses("got (1), want (1, nil)", check.gives, check.list(1, nil), 1)
refuses('got ("1"), want (1)', check.gives, check.list(1), "1")

check.done()

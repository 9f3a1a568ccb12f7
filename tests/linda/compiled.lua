-- Many sends and receives in a loop do what a few do
-- load: lanes.v4
-- What LuaJIT compiles (lua/ffi.lua) must be told apart from the classic
-- functions by nothing: every case is tried before and after.
local check = require "check"
local lanes = require "lanes"

local function cases()
  local l = lanes.linda()
  local values = { "", "x", ("long"):rep(20), ("longer"):rep(2000), "a\0b", 1, -0.5, 1e300, true, false }
  for _, value in ipairs(values) do
    check.gives(check.list(true), l:send("k", value))
    check.gives(check.list("k", value), l:receive("k"))
    check.gives(check.list(true), l:send(0, "k", value))
    check.gives(check.list("k", value), l:receive(0, "k"))
    check.gives(check.list(true), l:send(nil, "k", value))
    check.gives(check.list("k", value), l:receive(nil, "k"))
  end
  local nan = select(2, l:receive((l:send("k", 0 / 0) and 0), "k"))
  check.is_true(nan ~= nan)
  -- What is not common.
  check.gives(check.list(true), l:send("k", nil))
  check.gives(check.list("k", nil), l:receive("k"))
  check.gives(check.list(true), l:send("k", 1, 2))
  check.gives(check.list("k", 1), l:receive("k"))
  check.gives(check.list("k", 2), l:receive("k", "other"))
  check.gives(check.list(true), l:send("k", { 7 }))
  check.eq(select(2, l:receive("k"))[1], 7)
  check.gives(check.list(true), l:send(true, "b"))
  check.gives(check.list(true, "b"), l:receive(true))
  check.gives(check.list(true), l:send("k", l))
  check.eq(select(2, l:receive("k")), l)
  -- Nothing done.
  check.gives(check.list(nil, "timeout"), l:receive(0, "k"))
  check.gives(check.list(nil, "timeout"), l:receive(0.001, "k"))
  l:limit("k", 1)
  l:send("k", "first")
  check.gives(check.list(nil, "timeout"), l:send(0, "k", "second"))
  check.gives(check.list(nil, "timeout"), l:send(0.001, "k", "second"))
  check.eq(l:count("k"), 1)
  l:limit("k", "unlimited")
  l:set("k")
  -- Errors.
  check.raises("duration cannot be < 0", l.send, l, -1, "k", 1)
  check.raises("duration cannot be < 0", l.receive, l, -1, "k")
  check.raises("NaN", l.send, l, 0 / 0, "k", 1)
  check.raises("NaN", l.receive, l, 0 / 0, "k")
  check.raises("no data to send", l.send, l, "k")
  check.raises("expecting a linda", l.send, "no linda", "k", 1)
  check.raises("expecting a linda", l.receive, io.stdout, "k")
  check.raises("coroutine", l.send, l, "k", coroutine.create(function() end))
  l:restrict("k", "set/get")
  check.raises("restricted", l.send, l, "k", 1)
  check.raises("restricted", l.receive, l, 0, "k")
  l:restrict("k", "none")
  -- Cancelled.
  l:cancel("both")
  check.gives(check.list(nil, lanes.cancel_error), l:send("k", 1))
  check.gives(check.list(nil, lanes.cancel_error), l:receive("k"))
  check.eq(l.status, "cancelled")
  l:cancel("none")
  check.eq(l.status, "active")
  check.raises("unknown field 'nothing'", function() return l.nothing end)
end

cases()
local l = lanes.linda()
for i = 1, 1000 do
  l:send("k", i)
  local key, value = l:receive("k")
  if key ~= "k" or value ~= i then error("round " .. i) end
  l:send("k", "text" .. i)
  key, value = l:receive(1, "k")
  if key ~= "k" or value ~= "text" .. i then error("text, round " .. i) end
end
for _ = 1, 20 do cases() end

-- Values that change their kind in a loop that is compiled.
local mixed = { "s", 1, true, false, ("x"):rep(100), { 1 }, "t", 2.5 }
for i = 1, 4000 do
  local value = mixed[i % #mixed + 1]
  l:send("m", value)
  local _, got = l:receive("m")
  if type(value) == "table" then
    check.eq(got[1], 1)
  elseif got ~= value then
    error("round " .. i)
  end
end

-- A hard cancel ends a compiled loop of receives.
local h = lanes.gen("*", function(l)
  for i = 1, math.huge do l:send("loop", i) l:receive("loop") end
end)(l)
while (l:count "loop" or 0) == 0 do end
check.is_true(h:cancel("hard", 5))
check.gives(check.list(nil, lanes.cancel_error), h:join(5))

-- Finalizers and hooks that receive while a text is being made.
local texts = {}
local queue = lanes.linda()
for i = 1, 500 do queue:send("q", "from the queue " .. i) end
local function finalized()
  local p = newproxy and newproxy(true) or setmetatable({}, {})
  getmetatable(p).__gc = function() texts[#texts + 1] = select(2, queue:receive(0, "q")) end
  if not newproxy then setmetatable(p, getmetatable(p)) end
end
for i = 1, 3000 do
  if i % 10 == 0 then finalized() end
  local text = ("message %d "):format(i):rep(10)
  l:send("t", text)
  local _, got = l:receive("t")
  if got ~= text then error("text, round " .. i) end
end
for i = 1, #texts do check.eq(texts[i], "from the queue " .. i) end

check.done()

-- finalizers that run when ours have run find closed objects, not freed ones
-- valgrind: yes

local check = require "check"
local lanes = require "lanes"
local function finalizer(f)
  if newproxy then
    local p = newproxy(true)
    getmetatable(p).__gc = f
    return p
  end
  return setmetatable({}, { __gc = f })
end

-- older than the objects, so finalized after them when the state closes
local linda, generator, handle, share
late = finalizer(function()
  pcall(function() linda:send("k", 1) end)
  pcall(function() return tostring(linda) end)
  pcall(generator)
  pcall(function() return handle:join(0) end)
  pcall(function() return handle.status end)
  pcall(function() return share:open() end)
  pcall(lanes.linda)
end)
linda = lanes.linda()
generator = lanes.gen("*", function() return 1 end)
handle = generator()
check.eq(handle[1], 1)
share = lanes.share(io.stdout)
-- in one cycle, too
for _ = 1, 20 do
  local l, g = lanes.linda(), lanes.gen("", function() end)
  local p
  p = finalizer(function() pcall(l.send, l, "k", 1) pcall(g) return p end)
end
collectgarbage() collectgarbage()
check.done()

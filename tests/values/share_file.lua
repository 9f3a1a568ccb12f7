-- lanes.share hands an open file to another lane
-- needs: linux
-- valgrind: yes

local check = require "check"
local lanes = require "lanes"
local linda = lanes.linda()

local function descriptors()
  local n = 0
  for _ in io.popen("ls /proc/" .. io.open("/proc/self/stat"):read("*n") .. "/fd"):lines() do n = n + 1 end
  collectgarbage() collectgarbage()
  return n
end

local name = os.tmpname()
local f = assert(io.open(name, "w"))
f:write("main ")
local writer = lanes.gen("*", function(share)
  local f = share:open()
  f:write("lane ")
  f:close()
  return io.type(f)
end)
check.eq(writer(lanes.share(f))[1], "closed file")
f:write("main again")
f:close()
check.eq(io.open(name):read("*a"), "main lane main again")

-- reading goes on where the other side stopped
f = assert(io.open(name))
check.eq(f:read(5), "main ")
linda:send("share", lanes.share(f))
f:close()
check.eq(lanes.gen("*", function()
  local _, share = linda:receive("share")
  local f = share:open()
  local text = f:read("*a")
  f:close()
  return text
end)()[1], "lane main again")

-- a pipe, which cannot be opened again by name
local p = io.popen("echo from a pipe")
local line = lanes.gen("*", function(share) return share:open():read("*l") end)(lanes.share(p))[1]
check.eq(line, "from a pipe")
p:close()

-- a share is good for one open
local once = lanes.share(io.stdout)
once:open():close()
check.raises("opened already", once.open, once)
check.raises("a share expected", once.open, io.stdout)

-- what cannot be shared
check.raises("a closed file cannot be shared", lanes.share, f)
check.raises("an open file or a socket", lanes.share, 42)
check.raises("an open file or a socket", lanes.share)
check.raises("an open file or a socket", lanes.share, linda)
check.raises("the library 'io' is needed", function()
  local h = lanes.gen("base", function(share) share:open() end)(lanes.share(io.stdout))
  return h[1]
end)
os.remove(name)

-- nothing stays open
collectgarbage() collectgarbage()
local before = descriptors()
for _ = 1, 200 do lanes.share(io.stdout):open():close() end
collectgarbage() collectgarbage()
check.eq(descriptors() <= before + 2, true, "descriptors are closed")
check.done()

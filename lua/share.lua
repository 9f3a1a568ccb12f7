-- lanes.share: files and sockets for other lanes.
--
-- Called once per state with the steps that Lua cannot do; answers the two
-- functions of which the rest is made.

local steps = ...
local type, tostring, pcall, require, error = type, tostring, pcall, require, error
local io = io

local share = {}

-- -> a share, or nil and what is wrong with the object
function share.share(object)
  if io and io.type(object) == "file" then
    local descriptor, mode = steps.descriptor(object)
    return steps.pack(descriptor, "file", mode)
  elseif io and io.type(object) == "closed file" then
    return nil, "a closed file cannot be shared"
  end
  local class = type(object) == "userdata" and steps.class(object)
  if not class or not (class:find("^tcp{") or class:find("^udp{") or class:find("^unix")) then
    return nil, "an open file or a socket of luasocket expected, got " .. type(object)
  end
  -- What luasocket has read ahead belongs to this state and would be lost.
  if object.dirty and object:dirty() then
    return nil, "the socket has data that was received but not read yet: read it before sharing"
  end
  return steps.pack(object:getfd(), class)
end

local function make(class)
  local ok, socket = pcall(require, "socket")
  if not ok then return nil, "luasocket is needed to open a shared socket: " .. tostring(socket) end
  local kind = class:match("^%a+")
  if kind == "tcp" then return socket.tcp() end
  if kind == "udp" then return socket.udp() end
  local unix
  ok, unix = pcall(require, "socket.unix")
  if not ok then return nil, "luasocket is needed to open a shared socket: " .. tostring(unix) end
  if kind == "unixdgram" then return unix.dgram() end
  return type(unix) == "table" and unix.stream() or unix()
end

-- share:open() -> a file or socket of this state's own. The descriptor is taken
-- last, when there is an object to close it.
function share.open(self)
  local class, mode = steps.describe(self)
  if class == "file" then
    if not io then error("the library 'io' is needed to open a shared file", 2) end
    -- A file of the io library, which then gets another descriptor.
    local file, why = io.open("/dev/null", mode)
    if not file then error("cannot open a file: " .. tostring(why), 2) end
    steps.replace(file, steps.take(self))
    return file
  end
  local object, why = make(class)
  if not object then error(why, 2) end
  steps.set_class(object, class)
  if object:getfd() >= 0 then object:close() end
  object:setfd(steps.take(self))
  return object
end

return share

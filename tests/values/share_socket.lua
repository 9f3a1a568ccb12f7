-- lanes.share hands a connected TCP socket and a server to other lanes
-- needs: socket

local check = require "check"
local lanes = require "lanes"
local socket = require "socket"
local linda = lanes.linda()

local server = assert(socket.bind("127.0.0.1", 0))
local _, port = server:getsockname()

-- a worker answers on a connection that main has accepted
local worker = lanes.gen("*", function()
  local n = 0
  while true do
    local _, share = linda:receive("clients")
    if share == "stop" then return n end
    local client = share:open()
    client:send("you said " .. client:receive() .. "\n")
    client:close()
    n = n + 1
  end
end)()

for i = 1, 5 do
  local client = assert(socket.connect("127.0.0.1", port))
  local accepted = assert(server:accept())
  linda:send("clients", lanes.share(accepted))
  accepted:close()
  client:send("hello " .. i .. "\n")
  check.eq(client:receive(), "you said hello " .. i)
  check.eq(select(2, client:receive()), "closed", "the worker's close ends the connection")
  client:close()
end
linda:send("clients", "stop")
check.eq(worker[1], 5)

-- a lane that accepts by itself
local acceptor = lanes.gen("*", function(share)
  local server = share:open()
  local client = server:accept()
  local line = client:receive()
  client:close()
  server:close()
  return line
end)(lanes.share(server))
local client = assert(socket.connect("127.0.0.1", port))
client:send("to the acceptor\n")
check.eq(acceptor[1], "to the acceptor")
client:close()

-- data that was read ahead would be lost
client = assert(socket.connect("127.0.0.1", port))
local accepted = assert(server:accept())
client:send("one\ntwo\n")
check.eq(accepted:receive(), "one")
check.raises("not read yet", lanes.share, accepted)
check.eq(accepted:receive(), "two")
check.eq(type(lanes.share(accepted)), "userdata")
server:close()
check.raises("closed", lanes.share, server)
check.done()

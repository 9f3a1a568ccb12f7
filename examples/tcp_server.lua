-- A TCP server: one lane accepts, several serve
-- needs: socket
--
--   lua tcp_server.lua [PORT]
--
-- Needs luasocket. Each client sends lines and gets them back in capitals, until
-- it sends an empty one. With a port it serves for ever; without one it picks
-- one, serves three clients of its own and ends.

local lanes = require "lanes"
local socket = require "socket"

local WORKERS = 2
local linda = lanes.linda { name = "server" }
linda:limit("connection", 8) -- when all are busy, clients wait in the system's queue

-- A worker gets connections as *shares*: a socket belongs to one state, a share
-- of it can travel, and `open` makes a socket of the receiver's own.
local start = lanes.gen("*", { name = "tcp worker" }, function()
    local served = 0
    while true do
        local _, share = linda:receive("connection")
        if not share then return served end
        local client = share:open()
        client:settimeout(10) -- a client that sleeps does not keep the lane
        while true do
            local line = client:receive("*l")
            if not line or line == "" then break end
            client:send(line:upper() .. "\n")
        end
        client:close()
        served = served + 1
    end
end)

local server = assert(socket.bind("127.0.0.1", tonumber((...)) or 0))
local _, port = server:getsockname()
local workers = {}
for i = 1, WORKERS do workers[i] = start() end

-- Without a port: three clients, each a lane that could as well be elsewhere.
local clients, expected = {}, math.huge
if not (...) then
    expected = 3
    local client = lanes.gen("*", { name = "tcp client" }, function(number)
        local socket = require "socket"
        local connection = assert(socket.connect("127.0.0.1", port))
        local answers = {}
        for _, word in ipairs { "hello", "from", "client " .. number } do
            connection:send(word .. "\n")
            answers[#answers + 1] = assert(connection:receive("*l"))
        end
        connection:send("\n")
        connection:close()
        return table.concat(answers, " ")
    end)
    for i = 1, expected do clients[i] = client(i) end
end

local accepted = 0
while accepted < expected do
    local client = assert(server:accept())
    linda:send("connection", lanes.share(client))
    client:close() -- ours; the worker has its own
    accepted = accepted + 1
end
for _ = 1, WORKERS do linda:send("connection", false) end
server:close()

for _, client in ipairs(clients) do print(client[1]) end
local served = 0
for _, worker in ipairs(workers) do served = served + worker[1] end
print(served .. " connections served")

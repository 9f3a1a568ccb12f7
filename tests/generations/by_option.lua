-- configure{ api = N } and options that only one generation has select it
-- args: 2
-- args: 3
-- args: 4
-- args: hint3
-- args: positional
-- args: hint4
-- args: both
-- args: bad
local check = require "check"
local lanes = require "lanes"
local what = arg[1]
local list, gives = check.list, check.gives

if what == "2" or what == "3" or what == "4" then
    local configured = lanes.configure { api = tonumber(what) }
    local l = configured.linda()
    l:send("k", "v")
    if what == "2" then
        gives(list("v", "k"), l:receive "k")
    else
        gives(list("k", "v"), l:receive "k")
        gives(what == "3" and list() or list(nil, "timeout"), l:receive(0, "k"))
    end
    check.eq(require "lanes", lanes)
elseif what == "hint3" then
    lanes.configure { nb_keepers = 1 }
    gives(list(), lanes.linda():receive(0, "k"))
elseif what == "positional" then
    lanes.configure(1)
    gives(list(), lanes.linda():receive(0, "k"))
elseif what == "hint4" then
    lanes.configure { nb_user_keepers = 0 }
    gives(list(nil, "timeout"), lanes.linda():receive(0, "k"))
elseif what == "both" then
    check.raises("of Lanes 3.x and of 4.x", lanes.configure, { nb_keepers = 1, strip_functions = true })
else
    check.raises("api", lanes.configure, { api = 5 })
end

check.done()

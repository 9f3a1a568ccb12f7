-- The module's own functions travel: as lane bodies, upvalues and values
-- valgrind: yes
local check = require "check"
local lanes = require "lanes"
local list, gives = check.list, check.gives

gives(list(true, nil, "timeout"), lanes.gen("*", lanes.sleep)(0.01):join())
local sleep, now = lanes.sleep, lanes.now_secs
local ok, same, t = lanes.gen("*", function() sleep(0.01); return sleep == require "lanes".sleep, now() end)():join()
check.is_true(ok, same)
check.eq(same, true)
check.eq(type(t), "number")
local h = lanes.gen("*", lanes.sleep)(nil)
require "lane".reaches(h, "waiting")
gives(list(true, "cancelled"), h:cancel())

check.done()

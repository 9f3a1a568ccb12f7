-- `luarocks make` builds and installs the module for the Lua that LuaRocks is
-- configured for:
--
--     luarocks --lua-version 5.4 make
--
-- It needs cargo. For LuaJIT:
--
--     luarocks --lua-version 5.1 make LUA="$(command -v luajit)"

rockspec_format = "3.0"
package = "rlanes"
version = "scm-1"
source = {
    url = "file://.", -- built where it lies
}
description = {
    summary = "Threads with a Lua state each, and queues between them",
    detailed = [[
        Runs Lua functions on operating-system threads ("lanes"), each in a Lua
        state of its own, and connects them by keyed, bounded queues ("lindas").
        An implementation of the interface of Lua Lanes, in Rust.
    ]],
    license = "MIT",
}
supported_platforms = { "unix" }
dependencies = {
    "lua >= 5.1, < 5.5",
}
build = {
    type = "command",
    build_command = 'cargo xtask install --lua "$(LUA)"',
    install_command = 'cargo xtask install --lua "$(LUA)" --lib "$(LIBDIR)" --share "$(PREFIX)"',
    copy_directories = { "docs", "examples" },
}

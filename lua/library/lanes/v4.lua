---@meta lanes.v4

return require "lanes"

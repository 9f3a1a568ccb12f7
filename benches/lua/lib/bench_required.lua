-- The module that lanes of the row create/required load.
return {
    same = function(value)
        return value
    end,
}

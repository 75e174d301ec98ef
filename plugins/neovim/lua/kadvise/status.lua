-- The server's state, for a status line: require("kadvise").status()
local M = { last = nil }

local icons = { parsing = "…", idle = "", degraded = "!" }

function M.set(status)
  M.last = type(status) == "table" and status or nil
  pcall(vim.cmd, "redrawstatus!")
end

function M.text()
  if not M.last then
    return ""
  end
  local icon = icons[M.last.state] or "?"
  return icon == "" and "kadvise" or "kadvise " .. icon
end

return M

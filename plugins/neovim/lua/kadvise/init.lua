-- require("kadvise").setup{ cmd = …, trusted = …, settings = { … } }
local M = {}

local function has_list_of_servers()
  return vim.fn.has("nvim-0.11") == 1
end

function M.setup(options)
  local config = require("kadvise.config")
  for key in pairs(options or {}) do
    if not vim.tbl_contains({ "cmd", "trusted", "settings" }, key) then
      error("kadvise.setup: there is no option " .. key)
    end
  end
  config.options = vim.tbl_extend("force", config.options, options or {})
  if has_list_of_servers() then
    vim.lsp.config("kadvise", config.server())
    vim.lsp.enable("kadvise")
  else
    require("kadvise.attach").install()
  end
end

-- Ends the servers and starts them anew, with what holds now.
function M.restart()
  local clients = require("kadvise.clients")
  for _, client in ipairs(clients.all()) do
    vim.lsp.stop_client(client.id)
  end
  vim.wait(3000, function()
    return #clients.all() == 0
  end, 20)
  if has_list_of_servers() then
    vim.lsp.enable("kadvise")
    vim.cmd("doautoall nvim.lsp.enable FileType") -- by itself it does so only once the editor has started
  else
    require("kadvise.attach").install()
  end
end

function M.status()
  return require("kadvise.status").text()
end

return M

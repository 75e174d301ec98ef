-- Running servers, by whichever names this Neovim has for them.
local M = {}

function M.all()
  local get = vim.lsp.get_clients or vim.lsp.get_active_clients
  local out = {}
  for _, client in ipairs(get()) do
    if client.name == "kadvise" then
      table.insert(out, client)
    end
  end
  return out
end

-- The one of this buffer, or any.
function M.of(buffer)
  for _, client in ipairs(M.all()) do
    if vim.lsp.buf_is_attached(buffer, client.id) then
      return client
    end
  end
  return M.all()[1]
end

-- done(result), or a message where there is no server or it refuses.
function M.ask(command, argument, done)
  local client = M.of(vim.api.nvim_get_current_buf())
  if not client then
    vim.notify("kadvise: the server is not running in this buffer", vim.log.levels.WARN)
    return
  end
  local params = { command = "kadvise.server." .. command, arguments = { next(argument) and argument or vim.empty_dict() } }
  local function answered(err, result)
    if err then
      vim.notify("kadvise: " .. (err.message or tostring(err)), vim.log.levels.ERROR)
    else
      done(result)
    end
  end
  if vim.fn.has("nvim-0.11") == 1 then
    client:request("workspace/executeCommand", params, answered)
  else
    client.request("workspace/executeCommand", params, answered)
  end
end

return M

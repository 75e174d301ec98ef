-- Before 0.11 the editor has no list of servers: a buffer of ours starts one for its folder, or joins it.
local config = require("kadvise.config")

local M = {}

local started = {} -- id by root folder

local function root_of(path)
  local folder = vim.fn.fnamemodify(path, ":p:h")
  for _, marker in ipairs(config.root_markers) do
    local found = vim.fn.finddir(marker, folder .. ";")
    if found == "" then
      found = vim.fn.findfile(marker, folder .. ";")
    end
    if found ~= "" then
      return vim.fn.fnamemodify(found, ":p"):gsub("/$", ""):match("^(.*)/[^/]*$") or folder
    end
  end
  return folder
end

local function is_alive(id)
  return id and vim.lsp.get_client_by_id(id) ~= nil
end

local function start(root)
  local server = config.server()
  server.name, server.root_dir = "kadvise", root
  server.capabilities = vim.lsp.protocol.make_client_capabilities()
  server.workspace_folders = { { uri = vim.uri_from_fname(root), name = root } }
  -- 0.7 sends no settings by itself.
  server.on_init = function(client)
    client.notify("workspace/didChangeConfiguration", { settings = server.settings })
    return true
  end
  server.on_exit = function()
    started[root] = nil
  end
  return vim.lsp.start_client(server)
end

function M.attach(buffer)
  local path = vim.api.nvim_buf_get_name(buffer)
  if path == "" or vim.bo[buffer].buftype ~= "" then
    return
  end
  local root = root_of(path)
  if not is_alive(started[root]) then
    started[root] = start(root)
  end
  if started[root] then
    vim.lsp.buf_attach_client(buffer, started[root])
  end
end

function M.install()
  local group = vim.api.nvim_create_augroup("kadvise", { clear = true })
  vim.api.nvim_create_autocmd("FileType", {
    group = group,
    pattern = config.filetypes,
    callback = function(event)
      M.attach(event.buf)
    end,
  })
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.tbl_contains(config.filetypes, vim.bo[buffer].filetype) then
      M.attach(buffer)
    end
  end
end

return M

-- How the server is started, whichever Neovim starts it.
local M = {}

M.filetypes = { "cuda", "cpp", "c", "python" }
M.root_markers = { "kadvise.toml", "compile_commands.json", ".kadvise", ".git" }

-- Defaults are the server's own; what stands here is what the user says.
M.options = { cmd = nil, trusted = nil, settings = {} }

-- The options, else $PATH.
local function program()
  return M.options.cmd or { "kadvise", "lsp" }
end

-- A table without keys would be sent as a list.
local function object(t)
  return next(t) == nil and vim.empty_dict() or t
end

-- A result that crossed an edit on its way is about a text that is gone; the one for the newer text is coming.
local function show_current(err, result, context, config)
  local buffer = result and vim.fn.bufnr(vim.uri_to_fname(result.uri)) or -1
  local current = buffer > 0 and vim.lsp.util.buf_versions[buffer]
  if current and result.version and result.version < current then
    return
  end
  return vim.lsp.diagnostic.on_publish_diagnostics(err, result, context, config)
end

-- Of each server: it has one folder.
local function say_trust(params, server)
  local root = server.root_dir or params.rootPath
  root = type(root) == "string" and root or nil
  local trust = require("kadvise.trust")
  local trusted = trust.is_trusted(root, M.options.trusted)
  params.initializationOptions = { trusted = trusted, settings = object(M.options.settings) }
  if not trusted and M.options.trusted == nil then
    trust.say(root)
  end
end

function M.server()
  local settings = object(M.options.settings)
  require("kadvise.commands").register()
  return {
    cmd = program(),
    filetypes = M.filetypes,
    root_markers = M.root_markers,
    -- The names that the server knows; .cu is "cuda" here and "cuda-cpp" elsewhere, and either will do.
    settings = { kadvise = settings },
    before_init = say_trust,
    on_exit = function()
      require("kadvise.status").set(nil)
    end,
    handlers = {
      ["textDocument/publishDiagnostics"] = show_current,
      ["kadvise/status"] = function(_, status)
        require("kadvise.status").set(status)
      end,
      ["kadvise/reports"] = function() end, -- the reports' findings come as diagnostics
    },
  }
end

return M

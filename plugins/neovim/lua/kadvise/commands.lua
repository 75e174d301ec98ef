-- :Kadvise WORD …
local ask = require("kadvise.clients").ask

local M = {}

local function say(text)
  vim.notify("kadvise: " .. text)
end

local function count(n, noun)
  return ("%d %s%s"):format(n, noun, n == 1 and "" or "s")
end

-- Text in a window of its own, which q closes.
local function show(name, text)
  vim.cmd("botright new")
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].buftype, vim.bo[buffer].bufhidden, vim.bo[buffer].swapfile = "nofile", "wipe", false
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, "\n"))
  vim.bo[buffer].filetype, vim.bo[buffer].modifiable = "markdown", false
  pcall(vim.api.nvim_buf_set_name, buffer, "kadvise://" .. name)
  vim.api.nvim_buf_set_keymap(buffer, "n", "q", "<Cmd>bwipeout<CR>", { noremap = true, silent = true })
end

local function rule_here()
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  for _, d in ipairs(vim.diagnostic.get(0, { lnum = line })) do
    if d.source == "kadvise" then
      return d.code or (d.user_data and d.user_data.lsp and d.user_data.lsp.code)
    end
  end
end

-- What was run, or the line to run it by.
local function told(answer)
  if not answer.started then
    say("to run it: " .. answer.line)
  elseif answer.exitCode and answer.exitCode ~= 0 then
    say(("ended with code %d: %s"):format(answer.exitCode, answer.output or ""))
  else
    say((answer.headline or "done") .. (answer.report and " (" .. answer.report .. ")" or ""))
  end
end

local function show_rule(answer)
  show(answer.rule, answer.markdown)
end

-- The folder of this buffer's server.
local function set_trust(is_trusted)
  local client = require("kadvise.clients").of(vim.api.nvim_get_current_buf())
  local root = client and client.config.root_dir
  if not root then
    return say("this buffer is in no folder of a server")
  end
  require("kadvise.trust").set(root, is_trusted)
  require("kadvise").restart()
  say(root .. (is_trusted and " is trusted" or " is not trusted"))
end

M.words = {
  lint = function()
    ask("lintFile", { uri = vim.uri_from_bufnr(0) }, function(answer)
      say(count(answer.findings, "finding"))
    end)
  end,
  workspace = function()
    ask("lintWorkspace", {}, function(answer)
      say(("%s in %s"):format(count(answer.findings, "finding"), count(answer.files, "file")))
      vim.diagnostic.setqflist({ open = answer.findings > 0 })
    end)
  end,
  rule = function(arguments)
    local rule = arguments[1] or rule_here()
    if not rule then
      return say("no rule under the cursor; :Kadvise rule cuda/bank-conflict names one")
    end
    ask("showRule", { rule = rule }, show_rule)
  end,
  analyse = function(arguments)
    if not arguments[1] then
      return say(":Kadvise analyse MODEL [INPUT…]")
    end
    local inputs = vim.list_slice(arguments, 2)
    local argument = { model = vim.fn.fnamemodify(arguments[1], ":p"), run = true }
    if #inputs > 0 then
      argument.inputs = inputs
    end
    ask("analyseModel", argument, told)
  end,
  reports = function()
    ask("reports", {}, function(answer)
      local lines = {}
      for _, r in ipairs(answer.reports) do
        table.insert(lines, ("- %s: %s%s (%s)"):format(r.subject, r.headline, r.stale and ", stale" or "", r.path))
      end
      show("reports", #lines > 0 and table.concat(lines, "\n") or "No reports yet: `kadvise MODEL` makes one.")
    end)
  end,
  restart = function()
    ask("restartParser", {}, function()
      say("the parser starts anew")
    end)
  end,
}

M.words.trust = function()
  set_trust(true)
end
M.words.distrust = function()
  set_trust(false)
end

-- Commands of code actions whose answers are to be seen.
function M.register()
  vim.lsp.commands["kadvise.server.measureFix"] = function(command)
    say("measuring " .. (command.arguments[1].rule or "") .. " …")
    ask("measureFix", command.arguments[1], told)
  end
  vim.lsp.commands["kadvise.server.showRule"] = function(command)
    ask("showRule", { rule = command.arguments[1].rule }, show_rule)
  end
end

function M.complete(lead)
  local out = {}
  for word in pairs(M.words) do
    if vim.startswith(word, lead) then
      table.insert(out, word)
    end
  end
  table.sort(out)
  return out
end

function M.run(arguments)
  local act = M.words[arguments[1]]
  if not act then
    return vim.notify("kadvise: " .. table.concat(M.complete(""), ", "), vim.log.levels.WARN)
  end
  act(vim.list_slice(arguments, 2))
end

return M

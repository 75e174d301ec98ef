-- Steps of a test in a running Neovim: waiting, asking, and a list of what held.
local M = { results = {}, patience = tonumber(vim.env.KADVISE_PATIENCE_MS or "20000") }

function M.check(name, holds, found)
  table.insert(M.results, { name = name, ok = holds and true or false, found = holds and "" or vim.inspect(found) })
end

-- Whether it came to hold in time.
function M.wait(holds, ms)
  return vim.wait(ms or M.patience, holds, 20)
end

function M.open(path)
  vim.cmd("edit " .. vim.fn.fnameescape(path))
  vim.cmd("doautocmd BufRead") -- --headless -c comes after the first of them
  return vim.api.nvim_get_current_buf()
end

function M.code(d)
  return d.code or (d.user_data and d.user_data.lsp and d.user_data.lsp.code)
end

function M.of(rule)
  return vim.tbl_filter(function(d)
    return M.code(d) == rule
  end, vim.diagnostic.get(0))
end

-- The text that a diagnostic underlines now.
function M.under(d)
  local line = vim.api.nvim_buf_get_lines(0, d.lnum, d.lnum + 1, false)[1] or ""
  return line:sub(d.col + 1, d.end_lnum == d.lnum and d.end_col or #line)
end

local function position(line, column)
  return { line = line, character = column }
end

function M.client()
  return require("kadvise.clients").all()[1]
end

function M.request(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, M.patience) or {}
  for _, answer in pairs(answers) do
    return answer.result, answer.error
  end
end

local function lsp_range(d)
  return { start = position(d.lnum, d.col), ["end"] = position(d.end_lnum, d.end_col) }
end

-- As the editor asks where the cursor stands on a diagnostic.
function M.actions(d)
  local own = d.user_data and d.user_data.lsp or {}
  local diagnostic = vim.tbl_extend("keep", {
    range = lsp_range(d),
    severity = d.severity,
    message = d.message,
    code = M.code(d),
    source = d.source,
  }, type(own) == "table" and own or {})
  return M.request("textDocument/codeAction", {
    textDocument = { uri = vim.uri_from_bufnr(0) },
    range = lsp_range(d),
    context = { diagnostics = { diagnostic } },
  }) or {}
end

function M.titled(actions, pattern)
  for _, action in ipairs(actions) do
    if action.title:match(pattern) then
      return action
    end
  end
end

-- Edits may come only when the action is chosen.
function M.apply(action)
  if not action.edit then
    action = M.request("codeAction/resolve", action) or action
  end
  vim.lsp.util.apply_workspace_edit(action.edit, M.client().offset_encoding or "utf-16")
end

function M.hover(line, column)
  local answer = M.request("textDocument/hover", {
    textDocument = { uri = vim.uri_from_bufnr(0) },
    position = position(line, column),
  })
  local contents = answer and answer.contents or ""
  return type(contents) == "table" and (contents.value or vim.inspect(contents)) or contents
end

function M.text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
end

-- Ends the editor, whatever happened in body.
function M.run(body)
  local ok, why = xpcall(body, debug.traceback)
  if not ok then
    M.check("the steps ran to their end", false, why)
  end
  local out = io.open(vim.env.KADVISE_RESULTS, "w")
  out:write(vim.fn.json_encode(M.results))
  out:close()
  vim.cmd("qall!")
end

return M

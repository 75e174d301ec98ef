-- A .cu file: diagnostics, hover, a fix, ignoring, quick edits.
local t = dofile(vim.env.KADVISE_HERE .. "/harness.lua")
local kRule = "cuda/removed-api"
local kCall = "cudaThreadSynchronize()"
local kEdits = 50

-- One finding speaks of all calls of a file, and stands at the first.
local function isOnOneCall()
  local all = t.of(kRule)
  return #all == 1 and t.under(all[1]) == kCall
end

local function starts()
  t.open("scale.cu")
  t.check("a .cu file is cuda", vim.bo.filetype == "cuda", vim.bo.filetype)
  t.wait(isOnOneCall)
  t.check("a diagnostic appears on the first call", isOnOneCall(), vim.diagnostic.get(0))
end

local function hovers()
  local d = t.of(kRule)[1]
  local text = t.hover(d.lnum, d.col)
  t.check("hover shows the rule", text:match("cudaDeviceSynchronize") ~= nil, text)
end

-- Every result that the editor shows is about the text as it is at that moment.
local function edits_quickly()
  local shown, wrong = 0, {}
  local group = vim.api.nvim_create_augroup("watch", { clear = true })
  vim.api.nvim_create_autocmd("DiagnosticChanged", {
    group = group,
    callback = function()
      shown = shown + 1
      for _, d in ipairs(t.of(kRule)) do
        if t.under(d) ~= kCall then
          table.insert(wrong, { d.lnum, d.col, t.under(d) })
        end
      end
    end,
  })
  for i = 1, kEdits do
    if i % 3 == 0 then
      vim.api.nvim_buf_set_lines(0, 0, 1, false, {})
    else
      vim.api.nvim_buf_set_lines(0, 0, 0, false, { "// edit " .. i })
    end
    vim.wait(i % 10 == 0 and 250 or 15)
  end
  t.wait(isOnOneCall)
  vim.api.nvim_del_augroup_by_name("watch")
  t.check("50 quick edits never show a misplaced diagnostic", #wrong == 0, wrong)
  t.check("and results came all the same", shown > 0, shown)
  t.check("the last one is of the last text", isOnOneCall(), vim.diagnostic.get(0))
end

local function fixes()
  local first = t.of(kRule)[1]
  local actions = t.actions(first)
  local preferred = vim.tbl_filter(function(a)
    return a.isPreferred
  end, actions)
  t.check("a safe fix is preferred", #preferred >= 1, actions)
  if preferred[1] then
    t.apply(preferred[1])
  end
  t.check("the fix changes the text", t.text():find("return cudaDeviceSynchronize();", 1, true) ~= nil, t.text())
  t.wait(function()
    return isOnOneCall() and t.of(kRule)[1].lnum > first.lnum
  end)
  t.check("and its finding goes to the other call", isOnOneCall() and t.of(kRule)[1].lnum > first.lnum, vim.diagnostic.get(0))
end

local function ignores()
  local action = t.titled(t.actions(t.of(kRule)[1]), "^Ignore .* on this line")
  t.check("ignoring is offered", action ~= nil, "")
  if action then
    t.apply(action)
  end
  t.check("a comment is written", t.text():match("kadvise: ignore%[cuda/removed%-api%]") ~= nil, t.text())
  t.wait(function()
    return #t.of(kRule) == 0
  end)
  t.check("and nothing is left", #t.of(kRule) == 0, vim.diagnostic.get(0))
end

local function commands()
  t.check("the status is known", vim.startswith(require("kadvise").status(), "kadvise"), require("kadvise").status())
  vim.cmd("Kadvise rule " .. kRule)
  t.wait(function()
    return vim.bo.filetype == "markdown"
  end)
  t.check(":Kadvise rule shows its page", t.text():lower():match("removed") ~= nil, t.text():sub(1, 200))
end

local function ends()
  vim.lsp.stop_client(t.client().id, true)
  t.wait(function()
    return require("kadvise").status() == ""
  end)
  t.check("without a server there is no status", require("kadvise").status() == "", require("kadvise").status())
end

t.run(function()
  starts()
  hovers()
  edits_quickly()
  fixes()
  ignores()
  commands()
  ends()
end)

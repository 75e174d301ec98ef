-- Folders whose code the user trusts. Only there is a compile_commands.json followed, which says what is read, and are models run;
-- a repository that was just cloned is read with kadvise's own headers alone.
local M = {}

local said = {} -- by folder: that it is not trusted

local function file()
  return vim.fn.stdpath("data") .. "/kadvise/trusted"
end

local function real(path)
  local full = vim.fn.resolve(vim.fn.fnamemodify(path, ":p"))
  return (full:gsub("(.)/+$", "%1"))
end

local function folders()
  local ok, lines = pcall(vim.fn.readfile, file())
  return ok and lines or {}
end

local function is_below(path, folder)
  return folder ~= "" and (path == folder or vim.startswith(path .. "/", folder:gsub("/$", "") .. "/"))
end

local function holds(list, root)
  for _, folder in ipairs(list) do
    if is_below(real(root), real(folder)) then
      return true
    end
  end
  return false
end

-- option: true, false, a list of folders, or nil: those of :Kadvise trust.
function M.is_trusted(root, option)
  if type(option) == "boolean" then
    return option
  end
  return root ~= nil and holds(type(option) == "table" and option or folders(), root)
end

-- Once for each folder and session.
function M.say(root)
  if root and not said[root] then
    said[root] = true
    vim.schedule(function()
      vim.notify("kadvise: " .. root .. " is not trusted: its compile_commands.json is not used and nothing is measured. :Kadvise trust changes that")
    end)
  end
end

function M.set(root, is_trusted)
  local kept = vim.tbl_filter(function(folder)
    return real(folder) ~= real(root)
  end, folders())
  if is_trusted then
    table.insert(kept, real(root))
  end
  vim.fn.mkdir(vim.fn.fnamemodify(file(), ":h"), "p")
  vim.fn.writefile(kept, file())
end

return M

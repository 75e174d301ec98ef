-- A model's Python file: findings of the last report on their lines, also after lines moved.
local t = dofile(vim.env.KADVISE_HERE .. "/harness.lua")

local function lines_of(rule)
  return vim.tbl_map(function(d)
    return d.lnum + 1
  end, t.of(rule))
end

local function expect(name, attention, read)
  t.wait(function()
    return vim.deep_equal(lines_of("fusion/attention-written-out"), { attention })
      and vim.deep_equal(lines_of("graph-break/host-read"), { read })
  end)
  local found = { lines_of("fusion/attention-written-out"), lines_of("graph-break/host-read") }
  t.check(name, vim.deep_equal(found, { { attention }, { read } }), { found, vim.diagnostic.get(0) })
end

t.run(function()
  t.open("model.py")
  expect("findings stand on their lines", 7, 14)
  local message = (t.of("fusion/attention-written-out")[1] or { message = "" }).message
  t.check("with their gain", message:match("1%.9") ~= nil, message)
  vim.api.nvim_buf_set_lines(0, 2, 2, false, { "import math", "", "# three lines more" })
  expect("after lines moved they stand on the new ones", 10, 17)
end)

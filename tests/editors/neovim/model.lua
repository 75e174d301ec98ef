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

-- The light bulb's command, as the editor runs it; what is said of it.
local function measured()
  local d = t.of("fusion/attention-written-out")[1]
  local action = t.titled(t.actions(d), "^Measure this fix")
  local said, notify = {}, vim.notify
  vim.notify = function(text)
    table.insert(said, text)
  end
  vim.lsp.commands[action.command.command](action.command, {})
  t.wait(function()
    return #said > 1
  end)
  vim.notify = notify
  return said[2] or vim.inspect(said)
end

-- A server that is started anew shows its own findings, and the last one's go.
local function restarted_by(command)
  local last = t.client().id
  vim.cmd(command)
  t.wait(function()
    local client = t.client()
    local shown = t.of("fusion/attention-written-out")
    return client and client.id ~= last and #shown == 1 and shown[1].namespace == vim.lsp.diagnostic.get_namespace(client.id)
  end)
end

-- Nothing is run in a folder before the user trusts it.
local function measures()
  local said = measured()
  t.check("in a folder that is not trusted a measurement is only told", said:match("to run it: kadvise model.pt") ~= nil, said)
  restarted_by("Kadvise trust")
  said = measured()
  t.check("in a trusted one it is run, and what came of it is said", said:match("ended with code 2") ~= nil, said)
  restarted_by("Kadvise distrust")
  said = measured()
  t.check("trust can be taken back", said:match("to run it") ~= nil, said)
end

t.run(function()
  t.open("model.py")
  expect("findings stand on their lines", 7, 14)
  local message = (t.of("fusion/attention-written-out")[1] or { message = "" }).message
  t.check("with their gain", message:match("1%.9") ~= nil, message)
  measures()
  vim.api.nvim_buf_set_lines(0, 2, 2, false, { "import math", "", "# three lines more" })
  expect("after lines moved they stand on the new ones", 10, 17)
end)

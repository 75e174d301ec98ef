if vim.g.loaded_kadvise then
  return
end
vim.g.loaded_kadvise = true

vim.api.nvim_create_user_command("Kadvise", function(command)
  require("kadvise.commands").run(command.fargs)
end, {
  nargs = "+",
  desc = "kadvise: lint, workspace, rule, analyse, reports, restart, trust, distrust",
  complete = function(lead)
    return require("kadvise.commands").complete(lead)
  end,
})

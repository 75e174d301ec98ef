-- What the tests start Neovim with: the plugin as it is installed, and nothing else.
vim.opt.runtimepath:append(vim.env.KADVISE_PLUGIN)
vim.opt.swapfile = false
vim.cmd("filetype plugin on")
vim.cmd("runtime! plugin/kadvise.lua")
require("kadvise").setup({ cmd = vim.split(vim.env.KADVISE_SERVER, " "), settings = { delay = 30 } })

-- Neovim 0.11 and newer: vim.lsp.enable("kadvise")
return require("kadvise.config").server()

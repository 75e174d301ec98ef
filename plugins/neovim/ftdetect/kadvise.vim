" Older editors take .cuh for nothing they know.
autocmd BufNewFile,BufRead *.cu,*.cuh setfiletype cuda

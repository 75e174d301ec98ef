// Launches as text.
#pragma once

#include <string>
#include <string_view>

namespace kadvise::source {

// Of "kernel << <grid, block >> > (x)", as formatters that know only C++ leave launches and nvcc takes them:
// the tokens put together, and the blanks behind them. As long as before.
std::string withWholeLaunchTokens(std::string text);

// Whether a launch of this name, in the text, gives the kernel the size of the block: "k<T><<<1, n>>>(x, n)".
bool givesBlockOf(std::string_view text, std::string_view kernel);

}  // namespace kadvise::source

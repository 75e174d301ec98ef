// How a user names a device.
#pragma once

#include <string_view>

namespace kadvise {

// auto, cpu, cuda, or cuda:N with at most three digits.
bool isDeviceWord(std::string_view);

}  // namespace kadvise

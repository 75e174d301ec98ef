// Why a capture failed, in the words of people.
#pragma once

#include <exception>
#include <string>

namespace kadvise {

std::string captureReason(const std::exception& error);

}  // namespace kadvise

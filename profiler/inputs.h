// What a module is called with: from a saved file, from the text form of input_spec.h, or from JSON literals.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "profiler/device.h"

namespace kadvise {

using Values = std::vector<c10::IValue>;

// The dtype of a word of input_spec.h; "float" is what floatMeans says. Throws Error for a word that is no
// dtype.
c10::ScalarType dtypeFrom(const std::string& word, const std::string& floatMeans = "float32");
std::string wordOf(c10::ScalarType);

// Each text is a spec ("float32[4,128]") or a JSON literal ("4", "1e-5", "true", "\"tanh\"", "[1, 2]",
// "null"). Values depend on the texts and the seed alone, not on the device; those of more than 2^24 elements
// repeat. Without a bound integers are 0 or 1: token, position and type ids that small are in the range of
// every table.
Values inputsFromSpecs(const std::vector<std::string>& texts, const std::string& floatMeans, const Device&,
                       std::uint64_t seed);

// What torch.save (or pickle_save) wrote. Throws Error for what is no such file.
c10::IValue readValue(const std::filesystem::path&);
// The arguments that a file's value is: a tensor, a tuple or a list. Throws Error for a dict or what is none.
Values argumentsIn(const c10::IValue&, const std::filesystem::path&);
inline Values readValues(const std::filesystem::path& path) { return argumentsIn(readValue(path), path); }
void writeValues(const std::filesystem::path&, const Values&);

Values onDevice(const Values&, const Device&);

// Checks the number of arguments against the method (without self), and gives plain lists and dictionaries
// the element type that the method declares. Throws Error that names the method's parameters and the option
// to give.
Values fitted(const Values&, const c10::FunctionSchema&);

// For people and for --input: "float32[4,128]", "int64[2,128]<1000" (one more than the largest value), "3",
// "[1,2]".
std::string describe(const c10::IValue&);

}  // namespace kadvise

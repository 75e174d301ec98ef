#include "analyzer/source/known_headers.h"

#include <algorithm>
#include <string_view>

#include "analyzer/source/macro_lines.h"

namespace kadvise::source {
namespace {

enum class Where { Whole, Begin, Within };
struct Known {
  const char* word;
  Where where;
  const char* header;
};
constexpr Known kKnown[] = {
    {"half", Where::Whole, "cuda_fp16.h"},
    {"half2", Where::Whole, "cuda_fp16.h"},
    {"__half", Where::Begin, "cuda_fp16.h"},
    {"2half", Where::Within, "cuda_fp16.h"},
    {"bfloat16", Where::Within, "cuda_bf16.h"},
    {"__nv_fp8", Where::Begin, "cuda_fp8.h"},
    {"__nv_fp6", Where::Begin, "cuda_fp6.h"},
    {"__nv_fp4", Where::Begin, "cuda_fp4.h"},
    {"nvcuda", Where::Whole, "mma.h"},
    {"cooperative_groups", Where::Whole, "cooperative_groups.h"},
    {"CUtensorMap", Where::Begin, "cuda.h"},
    {"CUdeviceptr", Where::Whole, "cuda.h"},
    {"CUresult", Where::Whole, "cuda.h"},
    {"CUfunction", Where::Whole, "cuda.h"},
    {"CUmodule", Where::Whole, "cuda.h"},
    {"curand", Where::Begin, "curand_kernel.h"},
    {"curandGenerat", Where::Begin, "curand.h"},
    {"CURAND_", Where::Begin, "curand.h"},
    {"cublasLt", Where::Begin, "cublasLt.h"},
    {"cublas", Where::Begin, "cublas_v2.h"},
    {"CUBLAS_", Where::Begin, "cublas_v2.h"},
    {"cusparse", Where::Begin, "cusparse.h"},
    {"CUSPARSE_", Where::Begin, "cusparse.h"},
    {"cufft", Where::Begin, "cufft.h"},
    {"CUFFT_", Where::Begin, "cufft.h"},
    {"nccl", Where::Begin, "nccl.h"},
    {"glm", Where::Whole, "glm/glm.hpp"},
    {"at", Where::Whole, "ATen/ATen.h"},
    {"torch", Where::Whole, "torch/extension.h"},
    {"py", Where::Whole, "torch/extension.h"},
    // Of C++ what headers that are not here bring; the usual ones where nothing has brought any.
    {"std", Where::Whole, "algorithm"},
    {"std", Where::Whole, "iostream"},
    {"std", Where::Whole, "map"},
    {"std", Where::Whole, "memory"},
    {"std", Where::Whole, "string"},
    {"std", Where::Whole, "vector"},
    {"unordered_set", Where::Whole, "unordered_set"},
    {"unordered_map", Where::Whole, "unordered_map"},
    {"set", Where::Whole, "set"},
    {"multiset", Where::Whole, "set"},
    {"map", Where::Whole, "map"},
    {"multimap", Where::Whole, "map"},
    {"vector", Where::Whole, "vector"},
    {"array", Where::Whole, "array"},
    {"deque", Where::Whole, "deque"},
    {"list", Where::Whole, "list"},
    {"queue", Where::Whole, "queue"},
    {"priority_queue", Where::Whole, "queue"},
    {"stack", Where::Whole, "stack"},
    {"string", Where::Whole, "string"},
    {"to_string", Where::Whole, "string"},
    {"basic_stringstream", Where::Whole, "sstream"},
    {"basic_ostringstream", Where::Whole, "sstream"},
    {"basic_istringstream", Where::Whole, "sstream"},
    {"stringstream", Where::Whole, "sstream"},
    {"ostringstream", Where::Whole, "sstream"},
    {"istringstream", Where::Whole, "sstream"},
    {"basic_ifstream", Where::Whole, "fstream"},
    {"basic_ofstream", Where::Whole, "fstream"},
    {"ifstream", Where::Whole, "fstream"},
    {"ofstream", Where::Whole, "fstream"},
    {"cout", Where::Whole, "iostream"},
    {"cerr", Where::Whole, "iostream"},
    {"endl", Where::Whole, "iostream"},
    {"setw", Where::Whole, "iomanip"},
    {"setprecision", Where::Whole, "iomanip"},
    {"accumulate", Where::Whole, "numeric"},
    {"iota", Where::Whole, "numeric"},
    {"shared_ptr", Where::Whole, "memory"},
    {"unique_ptr", Where::Whole, "memory"},
    {"make_shared", Where::Whole, "memory"},
    {"make_unique", Where::Whole, "memory"},
    {"function", Where::Whole, "functional"},
    {"thread", Where::Whole, "thread"},
    {"mutex", Where::Whole, "mutex"},
    {"lock_guard", Where::Whole, "mutex"},
    {"unique_lock", Where::Whole, "mutex"},
    {"condition_variable", Where::Whole, "condition_variable"},
    {"atomic", Where::Whole, "atomic"},
    {"chrono", Where::Whole, "chrono"},
    {"mt19937", Where::Whole, "random"},
    {"random_device", Where::Whole, "random"},
    {"runtime_error", Where::Whole, "stdexcept"},
    {"invalid_argument", Where::Whole, "stdexcept"},
    {"optional", Where::Whole, "optional"},
    {"variant", Where::Whole, "variant"},
    {"tuple", Where::Whole, "tuple"},
};

bool isFor(const Known& known, const std::string& name) {
  auto at = name.find(known.word);
  return known.where == Where::Whole   ? name == known.word
         : known.where == Where::Begin ? at == 0
                                       : at != name.npos;
}

}  // namespace

std::set<std::string> namesIn(const std::vector<SyntaxError>& errors) {
  std::set<std::string> out;
  for (auto& error : errors) {
    auto& text = error.message;
    for (auto at = text.find('\''); at != text.npos; at = text.find('\'', at + 1)) {
      auto end = std::min(text.find('\'', at + 1), text.size());
      std::string name = text.substr(at + 1, end - at - 1);
      if (name.starts_with("std::")) name = name.substr(5, name.find('<') - 5);
      if (isMacroName(name)) out.insert(std::move(name));
    }
  }
  return out;
}

std::string includesOf(const std::set<std::string>& names) {
  std::set<std::string_view> headers;
  for (auto& known : kKnown)
    if (std::any_of(names.begin(), names.end(), [&](auto& name) { return isFor(known, name); }))
      headers.insert(known.header);
  std::string out;
  for (auto header : headers) out += "#include <" + std::string(header) + ">\n";
  return out;
}

}  // namespace kadvise::source

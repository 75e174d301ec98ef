// The two libraries as files: what they say when they do not fit the machine.
#include "kernels/common/torch_version.h"
#include "kernels/kernels.h"
#include "tests/kernels/kernels.h"

#include <torch/version.h>

#include <unistd.h>

namespace kadvise::test {
namespace {

namespace fs = std::filesystem;

template <class Function>
Function* exported(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

TEST(KernelLibrary, says_which_torch_it_was_built_for) {
  auto* torch = exported<decltype(kadvise_kernels_torch)>(library(), "kadvise_kernels_torch");
  ASSERT_NE(torch, nullptr);
  EXPECT_EQ(std::string(torch()) + "." + std::to_string(TORCH_VERSION_PATCH), TORCH_VERSION);
}

TEST(KernelLibrary, exports_nothing_but_its_c_functions) {
  EXPECT_EQ(dlsym(library(), "_ZN7kadvise10cudaSymbolEPKc"), nullptr);
}

// In a process of its own, since the operators of a second copy would be taken.
[[noreturn]] void printProblemOfLonelyCopy() {
  const fs::path folder = fs::temp_directory_path() / ("kadvise_kernels_" + std::to_string(getpid()));
  fs::create_directories(folder);
  fs::copy_file(libraryFolder() / "libkadvise_kernels.so", folder / "libkadvise_kernels.so");
  void* copy = dlopen((folder / "libkadvise_kernels.so").c_str(), RTLD_NOW);
  fs::remove_all(folder);
  auto* problem =
      copy ? exported<decltype(kadvise_kernels_cuda_problem)>(copy, "kadvise_kernels_cuda_problem") : nullptr;
  const char* sentence = problem ? problem() : dlerror();
  std::fputs(sentence ? sentence : "usable", stderr);
  std::_Exit(0);
}

TEST(KernelLibrary, names_the_missing_gpu_library_and_the_remedy) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(printProblemOfLonelyCopy(), testing::ExitedWithCode(0),
              "need .*/libkadvise_kernels_cuda.so, which could not be loaded .*: install kadvise with its "
              "CUDA kernels");
}

TEST(KernelLibrary, says_why_this_machine_cannot_run_its_gpu_kernels_or_nothing) {
  if (!fs::exists(libraryFolder() / "libkadvise_kernels_cuda.so"))
    GTEST_SKIP() << "SKIPPED: built without nvcc";
  auto* problem = exported<decltype(kadvise_kernels_cuda_problem)>(library(), "kadvise_kernels_cuda_problem");
  ASSERT_NE(problem, nullptr);
  const char* sentence = problem();
  if (hasCuda()) {
    EXPECT_EQ(sentence, nullptr) << sentence;
  } else {
    ASSERT_NE(sentence, nullptr);
    EXPECT_NE(std::string(sentence).find("GPU"), std::string::npos) << sentence;
  }
}

constexpr std::uint64_t version(std::uint64_t major, std::uint64_t minor, std::uint64_t patch) {
  return major << 56 | minor << 48 | patch << 40;
}

TEST(TorchVersion, another_patch_release_fits) {
  EXPECT_EQ(torchMismatch(version(2, 11, 0), version(2, 11, 1)), "");
}

TEST(TorchVersion, another_minor_release_is_refused_in_a_sentence) {
  const std::string sentence = torchMismatch(version(2, 11, 0), version(2, 12, 0));
  EXPECT_EQ(sentence,
            "libkadvise_kernels.so was built for torch 2.11 but torch 2.12 has loaded it: install torch "
            "2.11, or the "
            "kadvise built for that torch");
  EXPECT_NE(torchMismatch(version(2, 11, 0), 0).find("an older torch has loaded it"), std::string::npos);
}

}  // namespace
}  // namespace kadvise::test

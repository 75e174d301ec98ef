// What compute-sanitizer says at the end, of each tool, and how it is started.
#include "analyzer/sanitizer.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "analyzer/core/error.h"

namespace kadvise {
namespace {

constexpr const char* kOutOfBounds = R"(========= COMPUTE-SANITIZER
a model that prints ERROR SUMMARY: 9 errors
========= Invalid __global__ read of size 4 bytes
=========     at void doubleAll<float>(const float *, float *)+0x70 in kernels.cu:20
=========     by thread (31,0,0) in block (0,0,0)
=========     Access at 0x7f0000000200 is out of bounds
=========
========= Invalid __global__ write of size 4 bytes
=========     at other(float *)+0x90
========= ERROR SUMMARY: 2 errors
)";

constexpr const char* kRace = R"(========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at sums(const float *, float *)+0x160 in kernels.cu:30
=========     and Read access at sums(const float *, float *)+0x110 in kernels.cu:30 [256 hazards]
=========
========= RACECHECK SUMMARY: 3 hazards displayed (1 error, 2 warnings)
)";

TEST(SanitizerLog, CountsErrorsAndNamesTheFirst) {
  SanitizerLog log = parseSanitizerLog(kOutOfBounds);
  EXPECT_TRUE(log.isComplete);
  EXPECT_EQ(log.errors, 2);
  EXPECT_EQ(log.kind, "Invalid __global__ read of size 4 bytes");
  EXPECT_EQ(log.kernel, "void doubleAll<float>(const float *, float *)");
  EXPECT_EQ(words(log),
            "2 errors, the first: Invalid __global__ read of size 4 bytes in kernel "
            "void doubleAll<float>(const float *, float *)");
}

TEST(SanitizerLog, TellsRacesFromWarnings) {
  SanitizerLog log = parseSanitizerLog(kRace);
  EXPECT_TRUE(log.isComplete);
  EXPECT_EQ(log.errors, 1);
  EXPECT_EQ(log.warnings, 2);
  EXPECT_EQ(log.kernel, "sums(const float *, float *)");
  EXPECT_NE(log.kind.find("Race reported between Write access"), std::string::npos) << log.kind;
}

TEST(SanitizerLog, ReadsThePlacesOfOlderVersions) {
  auto kernelAt = [](const std::string& place) {
    return parseSanitizerLog(
               "========= Uninitialized __global__ memory read of size 4 bytes\n=========     at " + place +
               "\n========= ERROR SUMMARY: 1 error\n")
        .kernel;
  };
  EXPECT_EQ(kernelAt("0x70 in /src/a.cu:12:ns::f(float*)"), "ns::f(float*)");
  EXPECT_EQ(kernelAt("0x70 in ns::f(float*)"), "ns::f(float*)");
}

TEST(SanitizerLog, ALogWithoutASummaryIsNotComplete) {
  for (const char* text : {"", "=========", "========= COMPUTE-SANITIZER\n========= Error: no device",
                           "no mark\n", "========= ERROR SUMMARY: many errors\n"})
    EXPECT_FALSE(parseSanitizerLog(text).isComplete) << text;
  EXPECT_EQ(parseSanitizerLog("========= COMPUTE-SANITIZER\n========= Error: no device\n").lastLine,
            "Error: no device");
  SanitizerLog clean = parseSanitizerLog("========= ERROR SUMMARY: 0 errors\n");
  EXPECT_TRUE(clean.isComplete);
  EXPECT_EQ(words(clean), "no error");
}

TEST(SanitizerLog, NoPartOfALogIsTooMuch) {
  const std::string whole = std::string(kOutOfBounds) + kRace;
  for (std::size_t n = 0; n <= whole.size(); ++n) {
    SanitizerLog log = parseSanitizerLog(whole.substr(0, n));
    EXPECT_LE(log.errors, 2);
    if (!log.isComplete) EXPECT_EQ(log.errors, 0);
  }
}

TEST(Sanitized, RunsTheProgramUnderTheToolWithMemoryThatHasBounds) {
  Program engine("/opt/kadvise-measure", "/opt/lib");
  Program p = sanitized(engine, "/opt/compute-sanitizer", "racecheck", "/tmp/a log");
  EXPECT_EQ(p.path, "/opt/compute-sanitizer");
  EXPECT_EQ(p.libraryPath, "/opt/lib");
  EXPECT_EQ(p.arguments, (std::vector<std::string>{"--tool", "racecheck", "--log-file", "/tmp/a log",
                                                   "--report-api-errors", "no", "/opt/kadvise-measure"}));
  EXPECT_EQ(p.environment, std::vector<std::string>{"PYTORCH_NO_CUDA_MEMORY_CACHING=1"});
}

TEST(Sanitizer, IsLookedForBehindAFolderThatCannotBeRead) {
  const char* path = std::getenv("PATH");
  const std::string before = path ? path : "";
  ::setenv("PATH", std::string(5000, 'x').c_str(), 1);  // a longer name than any file has
  try {
    findSanitizer();
  } catch (const Error& e) {
    EXPECT_EQ(e.where, "--sanitize");
  }
  ::setenv("PATH", before.c_str(), 1);
}

}  // namespace
}  // namespace kadvise

#include "analyzer/lsp/unfinished_headers.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "analyzer/core/file.h"

namespace kadvise::lsp {
namespace {
namespace fs = std::filesystem;

TEST(UnfinishedHeaders, AreForgottenWithTheirMarkAndNobodyElses) {
  std::string name = testing::TempDir() + "kadvise-headers-XXXXXX";
  fs::path folder = ::mkdtemp(name.data());
  for (auto* file :
       {"aa.71.tmp", "aa.71-1f2e.tmp.tmp", "aa.tried.tmp", "bb.711.tmp", "bb.tried.tmp", "cc.pch"})
    writeFile(folder / file, "x");
  EXPECT_TRUE(isMakingHeaders(folder, 71));
  EXPECT_FALSE(isMakingHeaders(folder, 7));
  forgetUnfinishedHeaders(folder, 71);
  EXPECT_FALSE(isMakingHeaders(folder, 71));
  EXPECT_FALSE(fs::exists(folder / "aa.tried.tmp"));
  for (auto* file : {"bb.711.tmp", "bb.tried.tmp", "cc.pch"}) EXPECT_TRUE(fs::exists(folder / file)) << file;
  EXPECT_FALSE(isMakingHeaders(folder / "not-there", 71));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace kadvise::lsp

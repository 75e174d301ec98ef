#include "analyzer/lsp/kept_report.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "analyzer/core/file.h"

namespace kadvise::lsp {
namespace {
namespace fs = std::filesystem;

TEST(KeptReport, StandsAgainAfterARunOfOneRuleAsOldAsItWas) {
  std::string name = testing::TempDir() + "kadvise-kept-XXXXXX";
  fs::path folder = ::mkdtemp(name.data());
  fs::path last = folder / "last.json", work = folder / "work";
  fs::create_directory(work);
  writeFile(last, "of the whole module");
  auto time = fs::file_time_type::clock::now() - std::chrono::hours(3);
  fs::last_write_time(last, time);
  {
    KeptReport kept(last, work);
    EXPECT_EQ(kept.putBack(), fs::path());  // the run has written nothing
    writeFile(last, "of one rule");
    EXPECT_EQ(kept.putBack(), folder / "measured.json");
  }
  EXPECT_EQ(readFile(last), "of the whole module");
  EXPECT_EQ(fs::last_write_time(last), time);
  EXPECT_EQ(readFile(folder / "measured.json"), "of one rule");
  EXPECT_TRUE(fs::is_empty(work));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace kadvise::lsp

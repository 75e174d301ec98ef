#include "analyzer/lsp/meant_files.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "analyzer/core/file.h"

namespace kadvise::lsp {
namespace {
namespace fs = std::filesystem;

const std::string kLine = "y = self.norm(x + r)";

class MeantFiles : public testing::Test {
 protected:
  MeantFiles() {
    std::string name = testing::TempDir() + "kadvise-meant-XXXXXX";
    folder_ = canonicalOf(::mkdtemp(name.data()));
  }
  ~MeantFiles() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    writeFile(folder_ / name, text);
    return folder_ / name;
  }
  fs::path meant(const std::string& reported, const std::string& snippet = kLine) {
    auto found = meantFiles({{reported, {snippet}}}, folder_, {folder_});
    return found.empty() ? fs::path() : found.begin()->second;
  }

  fs::path folder_;
};

TEST_F(MeantFiles, AreTheReportedOnesWhereTheseAreThere) {
  auto model = write("a/model.py", "pass\n");
  write("b/model.py", kLine);
  EXPECT_EQ(meant("a/model.py"), model);
  EXPECT_EQ(meant(model.string()), model);
}

TEST_F(MeantFiles, AreKnownByTheirTextOnAnotherMachine) {
  auto model = write("src/model.py", "    " + kLine + "\n");
  write("old/model.py", "something = else\n");
  EXPECT_EQ(meant("/other/machine/model.py"), model);
  EXPECT_EQ(meant("/other/machine/net.py"), fs::path());
  EXPECT_EQ(meant("/other/machine/model.py", ""), fs::path());
}

TEST_F(MeantFiles, HaveTheFoldersOfTheReportWhereSeveralHaveItsText) {
  auto model = write("bert/model.py", kLine);
  write("gpt/model.py", kLine);
  EXPECT_EQ(meant("/home/ci/nets/bert/model.py"), model);
}

TEST_F(MeantFiles, AreNoneWhereTwoCouldBeMeant) {
  write("one/model.py", kLine);
  write("two/model.py", kLine);
  EXPECT_EQ(meant("/home/ci/model.py"), fs::path());
}

TEST_F(MeantFiles, AreNotTakenForOneLineThatEveryFileHas) {
  write("src/model.py", "else:\n");
  EXPECT_EQ(meant("/home/ci/model.py", "else:"), fs::path());
}

}  // namespace
}  // namespace kadvise::lsp

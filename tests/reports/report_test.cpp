// The report as JSON: nothing is lost on the way there and back.
#include "reports/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "tests/reports/rendered.h"
#include "tests/reports/sample.h"

namespace kadvise {
namespace {

// Of the commands that do not advise.
void addPagesOfTheirOwn(Report& r) {
  r.profile = sampleProfile();
  r.health = {{"driver", "lost", "none is loaded", "install one"}};
  r.levels = sampleLevels();
  r.cudaGraph = CudaGraphUse{
      GraphStatus::NotWorthIt, "no faster", 2, 30, 40, 1 << 20, {{"graph-break/print", {}, "prints"}}};
  r.bench = Bench{"aten::softmax",
                  1 << 28,
                  4e12,
                  {{"float32[4,4]", "aten::softmax.int(…)", {1, 2, 3}, 128, 6e7, 0.5, ""}},
                  {"a note"}};
}

TEST(Report, GoesThereAndBack) {
  Report r = sampleReport();
  addPagesOfTheirOwn(r);
  r.output = Output{"fast.pt", false, "slower"};
  r.errors = {{"page.md:3", "no title"}};
  Json j = r;
  EXPECT_EQ(Json(j.get<Report>()), j);
  EXPECT_EQ(Json(Json::parse(toText(j)).get<Report>()), j);
}

TEST(Report, KeepsUnknownFiguresUnknown) {
  Report r = sampleReport();
  r.whole.speedup = {std::nan(""), std::numeric_limits<double>::infinity(), 1};
  Report back = Json::parse(toText(r)).get<Report>();
  EXPECT_TRUE(std::isnan(back.whole.speedup.low));
  EXPECT_TRUE(std::isnan(back.whole.speedup.mid));
}

TEST(Report, WritesNamesThatAreNotUtf8) {
  Report r = sampleReport();
  r.subject.path = "mod\xff.pt";
  EXPECT_NO_THROW(std::ignore = Json::parse(toText(r)));
}

TEST(Report, HasNoOutputUnlessOneWasAskedFor) {
  EXPECT_FALSE(Json(sampleReport()).contains("output"));
  EXPECT_FALSE(Json(sampleReport()).get<Report>().output);
}

TEST(Report, WritesASampleForTheSchemaTest) {
  auto folder = std::filesystem::path(KADVISE_BIN_DIR).parent_path() / "tests" / "reports";
  std::filesystem::create_directories(folder);
  Report r = sampleReport();
  r.output = Output{"fast.pt", true, ""};
  r.errors = {{"", "an error"}};
  r.component = ComponentCheck{"norm", {{"rows are independent", "pass", "largest change 0"}}};
  r.whyNot = WhyNot{{"fusion/rope"},
                    {{"fusion/rope", {}, 2, 7, 8, {{{}, {"`dim` of aten::cat", "is 1, the rule wants -1"}}}}},
                    {}};
  r.pair = PairCheck{
      "module", "b.pt", "worst-inputs.pt", "kadvise verify a.pt b.pt --inputs worst-inputs.pt", "equal",
      true,     {}};
  addPagesOfTheirOwn(r);
  std::ofstream(folder / "sample.json") << toText(r);
  std::ofstream(folder / "empty.json") << toText([] {
    Report empty;
    empty.tool = {"kadvise", "0"};
    empty.inputs.from = "none";
    return empty;
  }());
}

TEST(ReadReport, NamesTheFileAndTheFault) {
  auto path = std::filesystem::temp_directory_path() / "kadvise-report-test.json";
  for (const char* text : {"", "[]", "{}", R"({"version": 2, "tool": {}, "whole": {}})",
                           R"({"version": 1, "tool": 3, "whole": {}})",
                           R"({"version": 1, "tool": {}, "whole": {"outcome": "splendid"}})"}) {
    std::ofstream(path) << text;
    try {
      readReport(path.string());
      FAIL() << text;
    } catch (const Error& e) {
      EXPECT_EQ(e.where, path.string()) << text;
    }
  }
  std::filesystem::remove(path);
}

std::string refusalOf(const Json& report) {
  auto path = std::filesystem::temp_directory_path() / "kadvise-report-test.json";
  std::ofstream(path) << report.dump();
  std::string out;
  try {
    readReport(path.string());
  } catch (const Error& e) {
    out = e.reason;
  }
  std::filesystem::remove(path);
  return out;
}

TEST(ReadReport, RefusesWhatLacksAPart) {
  Json whole = sampleReport();
  EXPECT_EQ(refusalOf(whole), "");
  auto required = Json::parse(readFile(KADVISE_SOURCE_DIR "/reports/schema.json")).at("required");
  for (auto& key : required) {
    Json less = whole;
    less.erase(key.get<std::string>());
    EXPECT_NE(refusalOf(less), "") << key;
  }
  Json other = whole;
  other["version"] = "1.0";
  EXPECT_EQ(refusalOf(other), "is a report of version \"1.0\", this kadvise reads version 1");
}

TEST(ReadReport, RefusesSpeedupsThatNothingHas) {
  auto with = [](double low, double mid, double high) {
    Json report = sampleReport();
    report["whole"]["speedup"] = {{"low", low}, {"mid", mid}, {"high", high}};
    return refusalOf(report);
  };
  EXPECT_EQ(with(0, 0, 0), "");
  EXPECT_EQ(with(0.4, 0.5, 90), "");
  EXPECT_HAS(with(-5, -5, -5), "the speedup of whole is -5");
  EXPECT_HAS(with(9, 1, 1), "(9 to 1)");
  EXPECT_NE(with(0, 1, 2), "");
  EXPECT_NE(with(1, 1e308, 1e308), "");
  EXPECT_NE(with(1e-320, 1e-320, 1), "");
}

}  // namespace
}  // namespace kadvise

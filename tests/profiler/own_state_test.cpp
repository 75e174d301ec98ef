// Modules that write their own attributes: each call begins with the same ones, and what it leaves is
// compared.
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include "judging.h"
#include "profiler/attributes.h"
#include "profiler/writable_attributes.h"

namespace kadvise {
namespace {

using at::Tensor;
using torch::jit::Module;

// Both sides hold the same tensors, as modules do that are bound to the weights of one file.
struct Kept {
  Tensor last = at::zeros({8, 8}), weight = at::randn({8, 8}, at::make_generator<at::CPUGeneratorImpl>(2));
  Tensor rows = at::zeros({2, 8, 8}), at = at::zeros({}, at::kLong);

  Module module(const std::string& body) const {
    static int count = 0;
    Module m(c10::QualifiedName("__torch__.Keeping" + std::to_string(count++)));
    m.register_parameter("w", weight, false);
    m.register_buffer("last", last);
    m.register_buffer("rows", rows);
    m.register_buffer("at", at);
    m.register_attribute("count", c10::IntType::get(), 0);
    m.register_attribute("cache", c10::DictType::create(c10::StringType::get(), c10::TensorType::get()),
                         c10::impl::GenericDict(c10::StringType::get(), c10::TensorType::get()));
    m.define("def forward(self, x):\n" + body);
    return m;
  }
  Module inDouble(const std::string& body) const {
    Module m = Kept{last.clone(), weight.clone(), rows.clone(), at.clone()}.module(body);
    m.to(at::kDouble);
    return m;
  }
  Equivalence judge(const std::string& before, const std::string& after) const {
    Subjects subjects{module(before), module(after), [=, this] { return inDouble(before); }};
    EquivalencePlan plan;
    plan.candidate = "C1";
    Pulse silent;
    return judgeEquivalence(subjects, batchOf({"float32[8,8]"}), cpuDevice(), plan, silent);
  }
  void accept(const std::string& before, const std::string& after) const {
    Equivalence e = judge(before, after);
    EXPECT_EQ(e.outcome, Outcome::Same) << after << e.reason;
    EXPECT_NE(e.reason.find("what the module keeps from call to call is compared, too"), std::string::npos);
    EXPECT_FALSE(e.state.empty());
  }
  void refuse(const std::string& before, const std::string& after, const std::string& why,
              Outcome outcome = Outcome::WrongOutput) const {
    Equivalence e = judge(before, after);
    EXPECT_EQ(e.outcome, outcome) << after << e.reason;
    EXPECT_NE(e.reason.find(why), std::string::npos) << e.reason;
  }
};

const std::string kCounts = "  self.at.add_(1)\n  self.count += 2\n  return x.sin()\n";
const std::string kRunning = "  self.last.mul_(0.9).add_(torch.matmul(x, self.w) * 0.1)\n  return x.sin()\n";

TEST(OwnState, IsComparedWithTheOutputs) {
  Kept kept;
  kept.accept(kCounts, "  self.count += 2\n  y = x.sin()\n  self.at.add_(1)\n  return y\n");
  kept.refuse(kCounts, "  self.count += 2\n  return x.sin()\n", "its own at");
  kept.refuse(kCounts, "  self.at.add_(2)\n  self.count += 2\n  return x.sin()\n", "its own at");
  kept.refuse(kCounts, "  self.at.add_(1)\n  self.count += 3\n  return x.sin()\n", "its own count");
  kept.refuse(kCounts, kCounts.substr(0, kCounts.find("return")) + "return x.cos()\n", "output 0");
}

TEST(OwnState, OfFloatsIsHeldToTheBoundsOfOutputs) {
  Kept kept;
  kept.accept(kRunning,
              "  self.last.copy_(self.last * 0.9 + torch.matmul(x, self.w * 0.1))\n  return x.sin()\n");
  kept.refuse(kRunning, "  self.last.mul_(0.9).add_(torch.matmul(x, self.w) * 0.1001)\n  return x.sin()\n",
              "its own last");
}

// From zeros, which most caches begin with, both compute the same.
TEST(OwnState, IsAskedAboutAsACallLeavesItToo) {
  Kept kept;
  kept.refuse("  y = x.sin() + self.last\n  self.last.copy_(x)\n  return y\n",
              "  y = x.sin() - self.last\n  self.last.copy_(x)\n  return y\n", "output 0");
}

// A second call after the first would be the last one that finds a row.
TEST(OwnState, IsPutBackBeforeEachCall) {
  Kept kept;
  std::string append = "  self.rows[int(self.at)].copy_(x)\n  self.at.add_(1)\n  return self.rows.sum(0)\n";
  kept.accept(append, append);
  EXPECT_EQ(kept.at.item<int>(), 0);
  EXPECT_EQ(kept.rows.abs().max().item<float>(), 0) << "others share these tensors";
}

TEST(OwnState, MayGrow) {
  Kept kept;
  std::string grow = "  self.last = torch.cat([self.last, x])\n  return self.last.sum(0)\n";
  Module m = kept.module(grow);
  Subjects subjects{m, kept.module(grow), nullptr};
  EquivalencePlan plan;
  Pulse silent;
  Equivalence e = judgeEquivalence(subjects, batchOf({"float32[8,8]"}), cpuDevice(), plan, silent);
  EXPECT_EQ(e.outcome, Outcome::Same) << e.reason;
  EXPECT_TRUE(attributeOf(m, "last").toTensor().is_same(kept.last));
  EXPECT_EQ(kept.last.size(0), 8);
  kept.refuse(grow, "  self.last = torch.cat([x, self.last])\n  return self.last.sum(0)\n", "its own last");
}

// An answer in the buffer changes with the next call, another one does not.
TEST(OwnState, ThatIsAnOutputStaysOne) {
  Kept kept;
  std::string own = "  self.last.copy_(x)\n  return self.last\n";
  kept.accept(own, own);
  kept.refuse(own, "  self.last.copy_(x)\n  return self.last.clone()\n", "are not the same memory");
}

const std::string kLarge = "  if bool((x > 50).any()):\n";

// The batch has no such numbers, and some of the cases do.
TEST(OwnState, ThatOnlySomeInputsWriteIsComparedFromTheBeginning) {
  Kept kept;
  std::string counts = kLarge + "    self.at.add_(1)\n    self.last.copy_(x)\n  return x.sin() + self.last\n";
  kept.accept(counts, counts);
  EXPECT_EQ(kept.at.item<int>(), 0);
  kept.refuse(counts, kLarge + "    self.last.copy_(x)\n  return x.sin() + self.last\n", "its own at");
}

// Caches of what parameters decide: what a call finds there is what the first one put there.
TEST(OwnState, OfAnEmptyDictionaryMayBeFilledByTheFirstCall) {
  Kept kept;
  const std::string fill = "  if 'a' not in self.cache:\n    self.cache['a'] = self.w * 2\n",
                    cached = fill + "  return x.sin() + self.cache['a']\n";
  Equivalence lowered = kept.judge(cached, "  return x.sin() + self.w * 2\n");
  EXPECT_EQ(lowered.outcome, Outcome::Same) << lowered.reason;
  EXPECT_NE(lowered.reason.find("the first call of the original fills its own cache; calls after it"),
            std::string::npos)
      << lowered.reason;
  kept.refuse(cached, "  return x.sin() + self.w * 2.1\n", "output 0");
}

// What the first call of such a candidate gives is not compared.
TEST(OwnState, OfADictionaryIsNotFilledByCandidates) {
  Kept kept;
  const std::string fill = "  if 'a' not in self.cache:\n    self.cache['a'] = self.w * 2\n",
                    cached = fill + "  return x.sin() + self.cache['a']\n";
  kept.refuse(cached, cached, "changes its own cache when it runs; equality", Outcome::NotRun);
  kept.refuse(
      "  return x.sin() + self.w * 2\n",
      "  if 'a' not in self.cache:\n    self.cache['a'] = self.w * 2\n    return torch.zeros_like(x)\n"
      "  return x.sin() + self.cache['a']\n",
      "changes its own cache");
}

TEST(OwnState, OfADictionaryThatInputsDecideIsNotDecided) {
  Kept kept;
  const std::string
      first = "  if 'a' not in self.cache:\n    self.cache['a'] = x.abs()\n  return x + self.cache['a']\n",
      counts = "  self.cache[str(len(self.cache))] = x\n  return x.sin()\n";
  const std::string undecided = "changes its own cache when it runs; equality";
  kept.refuse(first, "  return x + x.abs()\n", undecided, Outcome::NotRun);
  kept.refuse(counts, "  return x.sin()\n", undecided, Outcome::NotRun);
}

// Two names of one memory cannot be put back one by one.
TEST(OwnState, ThatOnlySomeInputsWriteAndCannotBePutBackIsNotDecided) {
  auto judged = [](const std::string& before, const std::string& after) {
    Kept kept;
    Module original = kept.module(before), candidate = kept.module(after);
    for (Module* m : {&original, &candidate}) m->register_buffer("row", kept.last[0]);
    Subjects subjects{original, candidate, nullptr};
    EquivalencePlan plan;
    Pulse silent;
    return judgeEquivalence(subjects, batchOf({"float32[8,8]"}), cpuDevice(), plan, silent);
  };
  std::string writes = kLarge + "    self.last.add_(1)\n", sine = "  return x.sin()\n";
  Equivalence both = judged(writes + sine, writes + sine), one = judged(sine, writes + sine);
  EXPECT_EQ(both.outcome, Outcome::NotRun) << both.reason;
  EXPECT_NE(both.reason.find("changes its own last when it runs; equality"), std::string::npos)
      << both.reason;
  EXPECT_EQ(one.outcome, Outcome::WrongOutput) << one.reason;
  EXPECT_NE(one.reason.find("the candidate changes its own last when it runs (case"), std::string::npos)
      << one.reason;
}

TEST(OwnState, IsLookedForWhereTheGraphMayWrite) {
  auto writes = [](const std::string& body, const std::string& name) {
    return WritableAttributes(Kept().module(body)).of(name);
  };
  EXPECT_EQ(writes("  return torch.matmul(x, self.w) + self.last\n", "last"), Writes::None);
  EXPECT_EQ(writes("  self.last.view([64])[3:].add_(1)\n  return x\n", "last"), Writes::Declared);
  EXPECT_EQ(writes("  self.last.view([64])[3:].add_(1)\n  return x\n", "rows"), Writes::None);
  EXPECT_EQ(writes("  for r in torch.unbind(self.rows):\n    r.add_(x)\n  return x\n", "rows"),
            Writes::Declared);
  EXPECT_EQ(writes("  y = x\n  if bool(x.any()):\n    y = self.last\n  y.add_(1)\n  return y\n", "last"),
            Writes::Declared);
  EXPECT_EQ(writes("  y = x\n  for i in range(2):\n    y.mul_(2)\n    y = self.last\n  return x\n", "last"),
            Writes::Declared);
  EXPECT_EQ(writes("  pair = [x, self.last]\n  pair[1].add_(1)\n  return x\n", "last"), Writes::Declared);
  EXPECT_EQ(writes("  pair = [x]\n  pair.append(self.last)\n  return torch.cat(pair)\n", "last"),
            Writes::Perhaps);
  EXPECT_EQ(writes("  return torch.cat([x, self.last])\n", "last"), Writes::None);
  // What stands beside it in a loop, or the list that holds it, may be written to all the same.
  const std::string growing = "  all = [x]\n  for i in range(self.count):\n    all += [x * i]\n";
  EXPECT_EQ(writes(growing + "  return torch.cat(all)\n", "count"), Writes::None);
  EXPECT_EQ(writes("  all = [self.last]\n  all += [x]\n  return torch.cat(all)\n", "last"), Writes::None);
  EXPECT_EQ(writes("  y = self.last\n  z = x + 1\n  for i in range(2):\n    y = y.t()\n    z.add_(1)\n  "
                   "return y + z\n",
                   "last"),
            Writes::None);
  EXPECT_EQ(writes("  self.count += 1\n  return x\n", "count"), Writes::Declared);
  EXPECT_EQ(
      writes(
          "  return torch.batch_norm(x, None, None, self.last[0], self.last[1], False, 0.1, 1e-5, False)\n",
          "last"),
      Writes::None);
  EXPECT_EQ(
      writes("  return torch.batch_norm(x, None, None, self.last[0], self.last[1], True, 0.1, 1e-5, False)\n",
             "last"),
      Writes::Declared);
}

// Batch norm does not say that it writes.
TEST(OwnState, IsSeenWhereAnOperatorHidesThatItWrites) {
  Kept kept;
  auto norm = [](const char* momentum) {
    return std::string(
               "  m = self.last[0]\n  v = self.last[1]\n  return torch.batch_norm(x, None, None, m, v, "
               "True, ") +
           momentum + ", 1e-5, False)\n";
  };
  kept.accept(norm("0.1"), norm("0.1"));
  kept.refuse(norm("0.1"), norm("0.2"), "its own last");
  kept.refuse(norm("0.1"), "  return torch.batch_norm(x, None, None, None, None, True, 0.1, 1e-5, False)\n",
              "its own last");
}

TEST(OwnState, ThatCannotBePutBackIsNotDecided) {
  Kept kept;
  std::string parameter = "  self.w.add_(1)\n  return x + self.w\n";
  kept.refuse(parameter, parameter, "changes its own w when it runs", Outcome::NotRun);
  Module shares = kept.module("  self.last.add_(1)\n  return x + self.last\n");
  shares.register_buffer("row", kept.last[0]);
  Subjects subjects{shares, shares, nullptr};
  EquivalencePlan plan;
  Pulse silent;
  Equivalence e = judgeEquivalence(subjects, batchOf({"float32[8,8]"}), cpuDevice(), plan, silent);
  EXPECT_EQ(e.outcome, Outcome::NotRun) << e.reason;
}

// The calls before them have not shown it.
TEST(OwnState, ThatOnlyOtherCallsWriteIsComparedInThem) {
  std::string late = "  if bool(x.mean() > 0.5):\n    self.last.add_(1)\n";
  Kept().accept(late + "  return x.sin() + self.last\n", late + "  return self.last + x.sin()\n");
  Kept().refuse(late + "  return x.sin() + self.last\n", late + "  return x.sin() + self.last * 2\n",
                "output 0");
}

// A reference that shares the candidate's fault says of each later call that the original is wrong.
TEST(OwnState, OfAReferenceThatForgetsItIsNotDecided) {
  Kept kept;
  std::string sums = "  self.last.add_(x)\n  self.count += 1\n  return self.last * 2\n",
              forgets = "  self.last.copy_(x)\n  self.count += 1\n  return self.last * 2\n";
  Subjects subjects{kept.module(sums), kept.module(forgets), [=] { return kept.inDouble(forgets); }};
  EquivalencePlan plan;
  Pulse silent;
  Equivalence e = judgeEquivalence(subjects, batchOf({"float32[8,8]"}), cpuDevice(), plan, silent);
  EXPECT_EQ(e.outcome, Outcome::Failed) << e.reason;
  EXPECT_NE(e.reason.find("or the other and the float64 reference both are"), std::string::npos) << e.reason;
}

// Batch norms count their calls in training only: each call begins with the module as loaded.
TEST(OwnState, ThatNoCallChangesIsNoReasonToDoubtTheReference) {
  const std::string counts = "  if self.count > 5:\n    self.at.add_(1)\n";
  Equivalence e =
      Kept().judge(counts + "  y = x.pow(4)\n  return ((x + y) - y) * 2\n", counts + "  return x * 2\n");
  EXPECT_EQ(e.outcome, Outcome::Same) << e.reason;
}

TEST(OwnState, WantsAPlaceInTheCandidate) {
  Subjects subjects{Kept().module(kCounts), moduleFrom("def forward(self, x):\n  return x.sin()\n"), nullptr};
  EquivalencePlan plan;
  Pulse silent;
  Equivalence e = judgeEquivalence(subjects, batchOf({"float32[8,8]"}), cpuDevice(), plan, silent);
  EXPECT_EQ(e.outcome, Outcome::WrongOutput);
  EXPECT_NE(e.reason.find("the candidate has no at of its own"), std::string::npos) << e.reason;
}

}  // namespace
}  // namespace kadvise

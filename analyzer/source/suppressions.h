// Comments that keep findings out: "// kadvise: ignore[cuda/barrier-divergent] why" behind a statement or on
// a line of its own above it, "// kadvise: ignore-file[cuda]", and clang-tidy's NOLINT, NOLINTNEXTLINE,
// NOLINTBEGIN/END.
#pragma once

#include <string>
#include <vector>

namespace kadvise::source {

class Suppressions {
 public:
  // text: of the whole file. Comments are found as Clang's lexer finds them: not inside strings.
  static Suppressions read(const std::string& text);

  bool covers(const std::string& rule, int line);  // and notes that it was needed
  int used() const;

  struct Unused {
    int line = 0;
    std::string selector;     // "" for a comment without any
    int ran = 0;              // rules that it covers and that were looked for
    bool isUnclosed = false;  // a NOLINTBEGIN that nothing ends, which therefore suppresses nothing
  };
  // Of which nothing was needed: our own comments, and NOLINTs that name a rule that ran. A comment about
  // another rule may be needed elsewhere, or name a rule that nobody knows. One beside or around it that
  // names lint/unused-suppression keeps it from being told.
  std::vector<Unused> unused(const std::vector<std::string>& ran) const;

 private:
  struct Entry {
    int line = 0;             // of the comment
    int first = 0, last = 0;  // lines that it is about
    std::string selector;     // rule, category, or "" for all
    bool isForeign = false;   // a NOLINT that does not name us
    bool isNolint = false;
    bool isUnclosed = false;
    bool isUsed = false;
  };
  void take(const std::string& comment, int line, bool standsAlone);
  void takeOwn(const std::string& comment, int line, bool standsAlone);
  void takeCode(int line);
  void takeNolint(const std::string& comment, int line);
  void closeBlocks(const std::vector<std::string>& selectors, int line);
  void dropOpenBlocks();
  bool isKeptQuiet(const Entry&) const;

  std::vector<Entry> entries_;
  std::vector<std::size_t> ahead_;       // about the line below them, and no code has come yet
  std::vector<std::size_t> openBlocks_;  // NOLINTBEGIN without its end yet
};

}  // namespace kadvise::source

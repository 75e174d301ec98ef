// Words and figures for a terminal: wrapping, colour, units.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kadvise {

enum class Ink { Plain, Bold, Dim, Good, Fair, Bad };
const char* word(Ink);  // "good"

// What was put on a page, before wrapping: other forms of the report are made of it, so that all say the
// same.
struct Block {
  enum class Kind { Heading, Paragraph, Verbatim };
  Kind kind = Kind::Paragraph;
  int indent = 0;
  Ink ink = Ink::Plain;
  std::string text;
};

// A page under construction. Colour only ever repeats what the words say.
class Layout {
 public:
  Layout(int width, bool colored) : width_(width < 40 ? 40 : width), colored_(colored) {}

  void blank();
  void heading(std::string_view);
  // Wraps at the width; lines after the first start at hanging columns.
  void paragraph(std::string_view text, int indent, int hanging, Ink ink = Ink::Plain);
  void paragraph(std::string_view text, int indent = 0, Ink ink = Ink::Plain) {
    paragraph(text, indent, indent, ink);
  }
  // Kept as it is: code. Control characters are shown, not obeyed.
  void verbatim(std::string_view text, int indent);

  int width() const { return width_; }
  const std::string& text() const { return text_; }
  const std::vector<Block>& blocks() const { return blocks_; }

 private:
  void line(std::string_view text, int indent, Ink ink);

  int width_;
  bool colored_;
  std::string text_;
  std::vector<Block> blocks_;
};

std::size_t columns(std::string_view utf8);
std::string firstColumns(std::string_view text, std::size_t most);  // what is cut off leaves a "…"
std::string printable(std::string_view text);                       // visible, on one line
// A line of text that CI shows must not begin as a command to its runner does, "::warning::…".
std::string unlikeCommand(std::string_view line);

std::string formatUs(double us);        // "412 µs", "1.45 ms"
std::string formatBytes(double bytes);  // "418 MiB"
std::string formatCount(double n);      // "109.5 M"
std::string formatFactor(double x);     // "1.42x"

}  // namespace kadvise

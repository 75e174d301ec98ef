// What has been read of a text so far, and what parse.cpp asks of it.
#pragma once

#include "kernels/rowprogram/program.h"
#include "kernels/rowprogram/text_lines.h"

#include <unordered_map>

namespace kadvise::rowprogram {

struct Reading {
  Program program;
  std::unordered_map<std::string_view, int> statements;  // by name
};

// A name or a number; throws for what is neither, and for names of tables and lists.
Operand operandOf(const Reading&, const Line&, std::string_view word);
const Statement& statementOf(const Reading&, const Operand&);

// What follows from the operands alone: where the value varies, and after how many reductions.
void combine(const Reading&, Statement&);

// Words are NAME = KIND …
void readInput(Reading&, const Line&, Statement&);
void readTake(Reading&, const Line&, Statement&);
void readPick(Reading&, const Line&, Statement&);

}  // namespace kadvise::rowprogram

#include "analyzer/graph/row_writer.h"

#include <cmath>
#include <cstdio>

#include "analyzer/core/error.h"

namespace kadvise::graph {
namespace {

constexpr double kMostExact = 9007199254740992.0;  // 2^53

RowTerm termOfConstant(const c10::IValue& v) {
  if (v.isBool()) return {v.toBool() ? "1" : "0", RowType::Bool, true};
  if (v.isInt()) {
    if (std::abs(static_cast<double>(v.toInt())) > kMostExact)
      throw Error("row program", "has a whole number beyond 2^53");
    return {std::to_string(v.toInt()), RowType::Int, true};
  }
  if (v.isDouble()) return rowNumber(v.toDouble());
  bool number = v.isTensor() && v.toTensor().dim() == 0 && !v.toTensor().is_meta();
  if (!number) throw Error("row program", "has an operand that is neither a tensor nor a number");
  auto scalar = v.toTensor().item();
  return termOfConstant(scalar.isBoolean()        ? c10::IValue(scalar.toBool())
                        : scalar.isIntegral(true) ? c10::IValue(scalar.toLong())
                                                  : c10::IValue(scalar.toDouble()));
}

}  // namespace

RowType rowTypeOf(c10::ScalarType t) {
  if (t == at::kBool) return RowType::Bool;
  return c10::isFloatingType(t) ? RowType::Float : RowType::Int;
}

bool isRowDtype(c10::ScalarType t) {
  return t == at::kFloat || t == at::kHalf || t == at::kBFloat16 || t == at::kBool ||
         c10::isIntegralType(t, /*includeBool=*/false);
}

RowTerm rowNumber(double value) {
  if (std::isnan(value)) return {"nan", RowType::Float, true};
  if (std::isinf(value)) return {value > 0 ? "inf" : "-inf", RowType::Float, true};
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  std::string out = text;
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return {out, RowType::Float, true};
}

RowTerm RowWriter::termOf(const torch::jit::Value* v) const {
  if (auto known = names_.find(v); known != names_.end()) return known->second;
  auto constant = torch::jit::toIValue(const_cast<torch::jit::Value*>(v));
  if (!constant) throw Error("row program", "has a number that is computed");
  return termOfConstant(*constant);
}

RowTerm RowWriter::roundedTermOf(const torch::jit::Value* v) {
  RowTerm t = termOf(v);
  auto* seen = traced_.find(v);
  bool narrow = seen && (seen->dtype == at::kHalf || seen->dtype == at::kBFloat16);
  return narrow && !t.isNumber && !asStored_.count(t.text) ? cast(t, seen->dtype) : t;
}

RowTerm RowWriter::line(RowType type, const std::string& statement) {
  auto [at, fresh] = said_.emplace(statement, RowTerm{"v" + std::to_string(count_), type, false});
  if (!fresh) return at->second;
  ++count_;
  text_ += at->second.text + " = " + statement + "\n";
  return at->second;
}

RowTerm RowWriter::say(RowType type, const std::string& word, std::initializer_list<RowTerm> operands) {
  std::string statement = word;
  for (auto& o : operands) statement += " " + o.text;
  return line(type, statement);
}

RowTerm RowWriter::cast(const RowTerm& t, c10::ScalarType dtype) {
  RowTerm out = line(rowTypeOf(dtype), "cast " + nameOf(dtype) + " " + t.text);
  asStored_.insert(out.text);
  return out;
}

RowTerm RowWriter::as(RowType type, const RowTerm& t) {
  if (t.type == type || t.isNumber) return t;
  return cast(t, type == RowType::Float ? at::kFloat : type == RowType::Int ? at::kLong : at::kBool);
}

void RowWriter::define(const torch::jit::Value* v, const RowTerm& t) {
  if (t.isNumber) throw Error("row program", "makes a tensor of numbers alone");
  names_[v] = t;
}

// Each is a tensor of its own, however equal the lines are.
RowTerm RowWriter::declareInput(c10::ScalarType dtype, RowRead how) {
  RowTerm out{"v" + std::to_string(count_++), rowTypeOf(dtype), false};
  const char* word = how == RowRead::Table ? " table" : how == RowRead::Lists ? " lists" : "";
  text_ += out.text + " = in " + nameOf(dtype) + word + "\n";
  asStored_.insert(out.text);
  return out;
}

void RowWriter::storeAs(const torch::jit::Value* v, const RowStored& how) {
  text_ += "out " + termOf(v).text + " " + nameOf(how.dtype) + (how.dropsReduced ? " drop" : "") +
           (how.isContiguous ? " contiguous" : "") + (how.over.empty() ? "" : " over " + how.over) + "\n";
}

}  // namespace kadvise::graph

// The kernels there are: those of whole factors, and those for all others.
#pragma once

#include "kernels/upsample/march.h"
#include "kernels/upsample/whole.h"
#include "kernels/upsample/window.h"

namespace kadvise {

template <UpsampleMode kMode, int kFactor, int kLanes, class With>
auto withWholePixels(With with) {
  constexpr int kSide = kFactor < 4 ? kFactor : 4;
  constexpr int kRows = kMode == UpsampleMode::Nearest && kFactor > 2 ? 4 : 2;
  return with.template whole<WholeForm<kMode, kFactor, kLanes, kRows, kSide>>();
}

// Of as many columns at once, of two at least, as divide a row.
template <UpsampleMode kMode, int kFactor, int kColumns, class With>
auto withWholePlanes(const UpsampleArgs& a, With with) {
  if constexpr (kColumns > kFactor) {
    if (a.columns.resultSize % kColumns != 0) return withWholePlanes<kMode, kFactor, kColumns / 2>(a, with);
  }
  return with.template whole<WholeForm<kMode, kFactor, 1, 4, kColumns>>();
}

template <UpsampleMode kMode, int kFactor, int kLanes, class With>
auto withWholeForm(const UpsampleArgs& a, With with) {
  return a.channelsLast ? withWholePixels<kMode, kFactor, kLanes>(with)
                        : withWholePlanes<kMode, kFactor, kLanes>(a, with);
}

// Neighbours in a row, of which as many as divide it are moved at once.
template <UpsampleMode kMode, int kCount, class With>
auto withRunningForm(const UpsampleArgs& a, With with) {
  if constexpr (kCount > 1) {
    const bool fits = at16Bytes(a.result) && neighbouringChannels(a) * a.columns.resultSize % kCount == 0;
    if (!fits) return withRunningForm<kMode, kCount / 2>(a, with);
    if constexpr (kMode != UpsampleMode::Nearest) {
      if (!a.channelsLast && isWithinQuarters(a.columns, 2)) return with.template any<WindowForm<kCount>>();
    }
  }
  return with.template any<RunningForm<kCount>>();
}

// Calls `with` for the form, and returns what it returns. kLanes: elements of 16 bytes. With: a function
// object with two functions of one template parameter.
template <UpsampleMode kMode, int kLanes, class With>
auto withUpsampleForm(const UpsampleArgs& a, With with) {
  const auto lieTogether = [&](int channels) {
    return a.channelsLast && a.channels % channels == 0 && areAt16Bytes(a);
  };
  if constexpr (kMode != UpsampleMode::Bicubic) {
    if (lieTogether(kLanes) || !a.channelsLast) {
      if (isWhole(a, 2)) return withWholeForm<kMode, 2, kLanes>(a, with);
      if (isWhole(a, 4)) return withWholeForm<kMode, 4, kLanes>(a, with);
      if (isWhole(a, 8)) return withWholeForm<kMode, 8, kLanes>(a, with);
    }
  }
  if (lieTogether(kLanes)) return with.template any<PixelForm<kLanes>>();
  if (lieTogether(4)) return with.template any<PixelForm<4>>();
  constexpr int kCount = kMode == UpsampleMode::Bicubic ? 4 : kLanes;
  return withRunningForm<kMode, kCount>(a, with);
}

}  // namespace kadvise

#pragma once

#include <random>

#include <heddle/trace/report.hpp>

namespace heddle_test {

/// Makes a report of launches whose blocks each take some tiles at random times: those of a place one after another.
inline heddle::trace::report made_report(unsigned seed, int launches, int sms, int places, int tiles_of_block) {
  std::mt19937 random(seed);
  const auto drawn = [&](double most) { return most * static_cast<double>(random() % 1001) / 1000; };
  heddle::trace::report made;
  made.origin = (1ull << 60) + seed * 1'000'001ull;
  made.step = 32;
  double begin_of_launch = 0;
  for (int launch = 0; launch < launches; ++launch) {
    int index = 0, number = 0;
    heddle::trace::report::launch whole{
        1000u + static_cast<unsigned>(launch), sms * places, 1, 0, begin_of_launch, 0, 32};
    for (int sm = 0; sm < sms; ++sm) {
      for (int place = 0; place < places; ++place) {
        double time = begin_of_launch + drawn(50);
        heddle::trace::report::block block{launch, number++, sm, place, 0, time, 0, made.slices.size(), 0};
        for (int tile = 0; tile < tiles_of_block; ++tile) {
          const double begin = time + drawn(10), end = begin + drawn(2000);
          made.slices.push_back({launch, block.number, sm, place, index++, 0, begin, end});
          time = end;
        }
        block.count = made.slices.size() - block.first;
        block.end = time + drawn(5);
        if (block.end > whole.end) whole.end = block.end;
        made.blocks.push_back(block);
      }
    }
    made.launches.push_back(whole);
    begin_of_launch = whole.end - 10;  // launches have clocks of their own, which agree within the skew
  }
  return made;
}

}  // namespace heddle_test

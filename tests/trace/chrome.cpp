// Checks files against the rules of Chrome's trace format, with a reader of JSON of their own.

#include <heddle/order/batched.hpp>
#include <heddle/order/clustered.hpp>
#include <heddle/order/column_major.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/trace/chrome_trace.hpp>

#include "refusal.hpp"
#include "trace/json.hpp"
#include "trace/made.hpp"
#include "utf_8.hpp"

using namespace heddle;
using heddle_test::json;

namespace {

json read(const std::string& text) {
  return heddle_test::json_reader(text).read();
}

/// Returns the first rule of the format that the text breaks; empty if it breaks none.
std::string broken_rule(const std::string& text) {
  json file;
  try {
    file = read(text);
  } catch (const std::exception& error) {
    return error.what();
  }
  if (!file.has("traceEvents") || file["traceEvents"].is != json::kind::array) return "no array of traceEvents";
  if (file.has("displayTimeUnit") && file["displayTimeUnit"].text != "ns" && file["displayTimeUnit"].text != "ms") {
    return "displayTimeUnit";
  }
  using track = std::pair<double, double>;
  std::map<track, std::vector<std::pair<long long, long long>>> slices;
  std::map<track, int> names;
  for (const json& event : file["traceEvents"].array) {
    for (const char* key : {"pid", "tid"}) {
      if (!event.has(key) || event[key].is != json::kind::number ||
          event[key].number != std::floor(event[key].number)) {
        return std::string("an event without ") + key;
      }
    }
    if (!event.has("name") || event["name"].is != json::kind::text) return "an event without a name";
    if (event.has("args") && event["args"].is != json::kind::object) return "args that are no object";
    const std::string phase = event.has("ph") ? event["ph"].text : "";
    const track where{event["pid"].number, event["tid"].number};
    if (phase == "M") {
      const std::string what = event["name"].text;
      if (what != "process_name" && what != "thread_name") return "metadata of no known name";
      if (!event["args"].has("name") || event["args"]["name"].is != json::kind::text) return "a name without text";
      names[where] += 1;
    } else if (phase == "X") {
      for (const char* key : {"ts", "dur"}) {
        if (!event.has(key) || event[key].is != json::kind::number || event[key].number < 0)
          return std::string("no ") + key;
      }
      const long long begin = std::llround(event["ts"].number * 1e3), length = std::llround(event["dur"].number * 1e3);
      slices[where].push_back({begin, begin + length});
    } else {
      return "an event of phase " + phase;
    }
  }
  for (auto& [where, all] : slices) {
    if (names[where] != 1) return "a thread without one name";
    if (names[{where.first, 0}] != 1) return "a process without one name";
    // Slices of a thread follow each other, or lie within each other.
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const auto [b, e] = all[i];
        const auto [begin, end] = all[j];
        const bool apart = e <= begin || end <= b, within = (begin <= b && e <= end) || (b <= begin && end <= e);
        if (!apart && !within) return "slices that overlap";
      }
    }
  }
  return "";
}

std::vector<json> events_of(const std::string& text, const std::string& phase) {
  std::vector<json> all;
  const json file = read(text);
  for (const json& event : file["traceEvents"].array) {
    if (event["ph"].text == phase) all.push_back(event);
  }
  return all;
}

}  // namespace

TEST_CASE("A trace keeps the rules of Chrome's format with several launches and streams in one file", "[trace]") {
  for (unsigned seed = 0; seed < 30; ++seed) {
    trace::chrome_trace file;
    file.add("one \"stream\" \\ of two\n", heddle_test::made_report(seed, 3, 4, 2, 5));
    file.add("the other", heddle_test::made_report(seed + 100, 2, 3, 1, 4), row_major{{3, 4}});
    CHECK(broken_rule(file.str()) == "");
    CHECK(events_of(file.str(), "X").size() == 3 * 4 * 2 * 6 + 2 * 3 * 5);
  }
  CHECK(broken_rule(trace::chrome_trace{}.str()) == "");
}

TEST_CASE("A trace is UTF-8 and JSON whatever bytes its names have", "[trace]") {
  trace::chrome_trace file;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string name = {static_cast<char>(byte), static_cast<char>(0xff - byte), 'a'};
    file.add(name + "ü漢🧵", heddle_test::made_report(1, 1, 1, 1, 1));
  }
  CHECK(heddle_test::is_utf_8(file.str()));
  CHECK(broken_rule(file.str()) == "");
  CHECK(file.str().find("ü漢🧵, multiprocessor 0") != std::string::npos);
}

TEST_CASE("A slice with an index that its order does not have is refused", "[trace]") {
  trace::report report = heddle_test::made_report(1, 1, 1, 1, 6);
  const auto refused = [&](int index) {
    report.slices[2].index = index;
    trace::chrome_trace file;
    return heddle_test::refusal([&] { file.add("a", report, row_major{{1, 6}}); });
  };
  CHECK(refused(-1) == "heddle::trace: the index of a slice is -1; it must be at least 0");
  CHECK(refused(6) == "heddle::trace: the index of a slice is 6; it must be at most 5");
}

TEST_CASE("The rules of Chrome's format find what is broken", "[trace]") {
  const std::string named = R"({"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"a"}},)"
                            R"({"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"b"}})";
  const auto file = [&](const std::string& events) { return "{\"traceEvents\":[" + named + events + "]}"; };
  const auto slice = [](const char* begin, const char* length) {
    return std::string(R"(,{"ph":"X","name":"t","pid":1,"tid":1,"ts":)") + begin + ",\"dur\":" + length + "}";
  };
  CHECK(broken_rule(file("")) == "");
  CHECK(broken_rule(file(slice("0", "2") + slice("1", "1") + slice("2", "3"))) == "");
  CHECK(broken_rule(file(slice("0", "2") + slice("1", "2"))) == "slices that overlap");
  CHECK(broken_rule(file(slice("-1", "2"))) == "no ts");
  CHECK(broken_rule(file(slice("01", "2"))) != "");
  CHECK(broken_rule(file(",")) != "");
  CHECK(broken_rule("{}") == "no array of traceEvents");
  CHECK(broken_rule("{\"traceEvents\":[" + slice("0", "1").substr(1) + "]}") == "a thread without one name");
}

TEST_CASE("Each slice of a file has its tile its place in the order its launch and its time", "[trace]") {
  const trace::report report = heddle_test::made_report(7, 2, 3, 2, 4);
  const column_major order{{4, 6}};
  trace::chrome_trace file;
  file.add("a", report, order);
  std::map<std::tuple<int, int, int>, json> found;  // launch, block, place in the order
  for (const json& event : events_of(file.str(), "X")) {
    if (!event["args"].has("place in the order")) continue;
    const auto number = [&](const char* key) { return static_cast<int>(event["args"][key].number); };
    found[{number("launch"), number("block"), number("place in the order")}] = event;
  }
  REQUIRE(found.size() == report.slices.size());
  for (const auto& slice : report.slices) {
    const json& event = found.at({slice.launch, slice.block, slice.index});
    CHECK(event["name"].text == "(" + std::to_string(slice.index % 4) + ", " + std::to_string(slice.index / 4) + ")");
    CHECK(std::abs(event["ts"].number * 1e3 - slice.begin) <= (slice.launch == 0 ? 1 : 11));
    CHECK(std::abs(event["dur"].number * 1e3 - (slice.end - slice.begin)) <= (slice.launch == 0 ? 1 : 11));
  }
}

TEST_CASE("Reports of two streams stand on one clock", "[trace]") {
  trace::report one = heddle_test::made_report(1, 1, 1, 1, 1), other = one;
  other.origin += 5'000'000;
  trace::chrome_trace file;
  file.add("other", other);
  file.add("one", one);
  const std::vector<json> slices = events_of(file.str(), "X");
  REQUIRE(slices.size() == 4);
  CHECK(std::abs(slices[0]["ts"].number - slices[2]["ts"].number - 5000) < 0.002);
  CHECK(slices[0]["pid"].number != slices[2]["pid"].number);
}

TEST_CASE("Tiles of batches and of clusters have their names in a file", "[trace]") {
  trace::report report = heddle_test::made_report(1, 1, 1, 1, 6);
  const auto name_of_last = [&](const auto& order) {
    trace::chrome_trace file;
    file.add("a", report, order);
    return events_of(file.str(), "X").back()["name"].text;
  };
  CHECK(name_of_last(batched{row_major{{1, 3}}, 2}) == "1: (0, 2)");
  report.slices.back().rank = 1;
  CHECK(name_of_last(clustered{row_major{{2, 3}}, {1, 2}, {2, 6}}) == "(1, 5)");
}

TEST_CASE("A file that cannot be written is named", "[trace]") {
  const trace::chrome_trace file;
  CHECK(file.write("no such folder/trace.json") == "no such folder/trace.json: the file is not writable");
  const std::string path = "trace_of_nothing.json";
  REQUIRE(file.write(path) == "");
  std::ifstream written(path);
  CHECK(std::string(std::istreambuf_iterator<char>(written), {}) == file.str());
  std::remove(path.c_str());
}

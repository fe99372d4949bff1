#include <sys/stat.h>

#include <heddle/predict/device.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <locale>
#include <random>
#include <string>
#include <vector>

#include <heddle/predict/advise.hpp>
#include <heddle/predict/batched_problem.hpp>
#include <heddle/predict/causal_problem.hpp>
#include <heddle/predict/grouped_problem.hpp>
#include <heddle/predict/stencil_problem.hpp>
#include <heddle/predict/stored_device.hpp>

#include "refusal.hpp"
#include "stencil.hpp"

namespace {

using namespace heddle;
using heddle_test::refusal;
using namespace heddle::predict;

const std::vector<device> cards{h200(), h100(), a100(), rtx_4090(), b200()};

const stencil_problem known_pass = heddle_test::a_trous(64, 8, 736);

/// A file that is removed at the end of the test.
struct scratch_file {
  std::string path = (std::filesystem::temp_directory_path() / "heddle_device_").string() +
                     std::to_string(std::random_device{}()) + ".json";
  ~scratch_file() { std::remove(path.c_str()); }

  void fill(const std::string& text) const { std::ofstream(path, std::ios::binary) << text; }
  std::string text() const {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
};

bool has_text(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// What is wrong with a file of this text.
std::string error_of(const scratch_file& file, const std::string& text) {
  file.fill(text);
  const stored_device stored = read_device(file.path);
  CHECK(static_cast<bool>(stored) == stored.error.empty());
  if (stored) stored.chip.check();
  if (!stored) CHECK(has_text(stored.error, file.path));
  return stored.error;
}

/// A finite number of any size that is at least 0, with any bits.
double any_number(std::mt19937_64& random) {
  while (true) {
    const std::uint64_t bits = random() >> 1;
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (value <= std::numeric_limits<double>::max()) return value;
  }
}

device any_device(std::mt19937_64& random) {
  std::string name;
  for (auto left = random() % 64; left > 0; --left) name += static_cast<char>(1 + random() % 255);
  device chip{.name = name.c_str(), .multiprocessors = 1 + static_cast<int>(random() % 16384), .l2_bytes = 0};
  chip.l2_bytes = static_cast<long long>(random() >> 1);
  chip.l2_copies = 1 + static_cast<int>(random() % 0x7fffffff);
  chip.l2_kept_bytes = static_cast<long long>(random() >> (1 + random() % 63));
  chip.l1_bytes = static_cast<long long>(random() >> (1 + random() % 63));
  for (double* rate :
       {&chip.dram_bytes_per_second, &chip.l2_bytes_per_second, &chip.matrix_operations_per_second,
        &chip.l1_bytes_per_second, &chip.instructions_per_second, &chip.launch_seconds, &chip.atomic_seconds,
        &chip.atomics_per_second, &chip.matrix_operations_per_line, &chip.drawing_instructions}) {
    *rate = random() % 5 == 0   ? 0
            : random() % 2 == 0 ? any_number(random)
                                : 1e-6 * static_cast<double>(random() % 1000);
  }
  detail::for_each_member(chip, [&](const char*, auto& value, detail::limits allowed) {
    if constexpr (std::is_same_v<decltype(value), double&>) {
      if (!allowed.have(value)) value = 1 + std::fmod(value, 1e17);  // a rate
    }
  });
  chip.band_rows = 1 + static_cast<int>(random() % 0x7fffffff);
  chip.overlap_of_l1_and_l2 = 1 + 1e-9 * static_cast<double>(random() % 1000000000);
  chip.overlap_of_units = 1 + 15 * static_cast<double>(random() >> 11) / 9007199254740992.0;
  return chip;
}

/// A locale in which numbers have another point, and groups of digits.
struct odd_numbers : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

}  // namespace

TEST_CASE("A device owns its name", "[predict]") {
  std::string text = "NVIDIA H200";
  const device_name owned = text.c_str();
  text = "another";
  CHECK(owned == "NVIDIA H200");
  CHECK(std::string(owned.c_str()) == "NVIDIA H200");
  CHECK(device_name() == "");
  CHECK(device_name(nullptr) == "");
  CHECK(device_name(std::string(63, 'x').c_str()) == std::string(63, 'x').c_str());
  CHECK(refusal([] { (void)device_name(std::string(64, 'x').c_str()); }) ==
        "heddle::predict::device: bytes of the name is 64; it must be at most 63");
  constexpr device of_a_constant{.name = "mine", .multiprocessors = 1, .l2_bytes = 0};
  static_assert(of_a_constant.name == "mine" && !(of_a_constant.name == "min"));
}

TEST_CASE("Every card that is known passes its check and gets advice", "[predict]") {
  for (const device& card : cards) {
    INFO(card.name.c_str());
    card.check();
    CHECK(card.l2_bytes_per_second > card.dram_bytes_per_second);
    CHECK(card.l1_bytes_per_second > card.l2_bytes_per_second);
    CHECK(card.matrix_operations_per_second > card.instructions_per_second);
    CHECK(card.l1_bytes * card.multiprocessors < card.l2_bytes);
    const advice of_product = advise(gemm_problem{.m = 8192, .n = 8192, .k = 8192}, card);
    CHECK(of_product.predicted_bytes <= of_product.plain_bytes);
    CHECK(!has_text(of_product.reason, "it is not known"));
    const advice of_pass = advise(known_pass, card, 8);
    CHECK(!of_pass.reason.empty());
    CHECK(advise(grouped_problem{.rows = {700, 0, 90, 2300}, .n = 2048, .k = 4096}, card).predicted_seconds > 0);
    CHECK(advise(batched_problem{.plane = {.m = 512, .n = 4096, .k = 4096}, .count = 8}, card).predicted_seconds > 0);
    CHECK(advise(causal_problem{.queries = 4096, .keys = 4096, .heads = 8}, card).predicted_seconds > 0);
  }
  for (std::size_t i = 0; i < cards.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) CHECK(!(cards[i].name == cards[j].name));
  }
}

TEST_CASE("A card is found by the name of its function", "[predict]") {
  const char* const names[] = {"h200", "h100", "a100", "rtx_4090", "b200"};
  for (std::size_t i = 0; i < cards.size(); ++i) CHECK(device_named(names[i]).name == cards[i].name);
  CHECK(device_named("rtx_4090").name == rtx_4090().name);
  CHECK(device_named("RTX_4090") == rtx_4090());
  CHECK(refusal([] { (void)device_named("H300"); }) ==
        "heddle::predict::device: card: \"H300\" is none of h200, h100, a100, rtx_4090, b200");
}

TEST_CASE("Advice for a description in a file is that for the description", "[predict]") {
  const gemm_problem product{.m = 4096, .n = 8192, .k = 2048};
  const scratch_file file;
  const std::string& path = file.path;
  const std::string error = write_device(path, h200());
  REQUIRE(error == "");
  bool was_read = false;
  if (const stored_device stored = read_device(path)) {
    const advice best = advise(product, stored.chip);
    CHECK(best.reason == advise(product, h200()).reason);
    was_read = true;
  }
  CHECK(was_read);
}

TEST_CASE("A description reads back from its file bit by bit", "[predict]") {
  const scratch_file file;
  std::vector<device> all = cards;
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) all.push_back(any_device(random));
  all.push_back(h200());
  all.back().name = "";
  all.back().launch_seconds = std::numeric_limits<double>::denorm_min();
  all.back().drawing_instructions = std::numeric_limits<double>::max();
  all.back().atomic_seconds = 0.1;
  all.back().l2_bytes = std::numeric_limits<long long>::max();
  for (const device& chip : all) {
    REQUIRE(write_device(file.path, chip) == "");
    const stored_device stored = read_device(file.path);
    INFO(file.text());
    REQUIRE(stored.error == "");
    REQUIRE(stored.chip == chip);
  }
}

TEST_CASE("The program's locale does not change the file of a description", "[predict]") {
  const scratch_file file;
  REQUIRE(write_device(file.path, rtx_4090()) == "");
  const std::string text = file.text();
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new odd_numbers));
  const std::string error = write_device(file.path, rtx_4090());
  const stored_device stored = read_device(file.path);
  std::locale::global(before);
  CHECK(error == "");
  CHECK(file.text() == text);
  CHECK(stored.chip == rtx_4090());
}

TEST_CASE("The file of a description is plain JSON", "[predict]") {
  const scratch_file file;
  REQUIRE(write_device(
              file.path,
              {.name = "a \"b\" \\ \n", .multiprocessors = 7, .l2_bytes = 1 << 20, .dram_bytes_per_second = 1.5e12}) ==
          "");
  CHECK(file.text() ==
        "{\n"
        "  \"heddle_device\": 1,\n"
        "  \"name\": \"a \\\"b\\\" \\\\ \\n\",\n"
        "  \"multiprocessors\": 7,\n"
        "  \"l2_bytes\": 1048576,\n"
        "  \"l2_copies\": 1,\n"
        "  \"l2_kept_bytes\": 0,\n"
        "  \"dram_bytes_per_second\": 1500000000000,\n"
        "  \"l2_bytes_per_second\": 0,\n"
        "  \"matrix_operations_per_second\": 0,\n"
        "  \"l1_bytes\": 0,\n"
        "  \"l1_bytes_per_second\": 0,\n"
        "  \"instructions_per_second\": 0,\n"
        "  \"launch_seconds\": 0,\n"
        "  \"atomic_seconds\": 0,\n"
        "  \"atomics_per_second\": 0,\n"
        "  \"matrix_operations_per_line\": 0,\n"
        "  \"band_rows\": 1024,\n"
        "  \"overlap_of_l1_and_l2\": 1.5,\n"
        "  \"overlap_of_units\": 2,\n"
        "  \"drawing_instructions\": 1750\n"
        "}\n");
  CHECK(error_of(file,
                 "{\"heddle_device\":1,\"l2_bytes\":5,\r\n\t\"multiprocessors\" : 3 ,\"name\":\"x\\/\\u0041\"}") == "");
  CHECK(read_device(file.path).chip == device{.name = "x/A", .multiprocessors = 3, .l2_bytes = 5});
}

TEST_CASE("A file that is damaged or foreign is refused with what is wrong", "[predict]") {
  const scratch_file file;
  const auto is_wrong = [&](const std::string& text, const std::string& what) {
    const std::string error = error_of(file, text);
    INFO(error);
    CHECK(has_text(error, what));
  };
  const auto with = [](const std::string& members) {
    return "{\n\"heddle_device\": 1, \"name\": \"x\", \"multiprocessors\": 3,\n" + members + "}";
  };
  is_wrong("", "line 1: this is no JSON: a value is missing");
  is_wrong("[1, 2]", "this is no description of a device");
  is_wrong("{\"name\": \"x\"}", "this is no description of a device");
  is_wrong(std::string(1 << 17, ' '), "it has more than 65536 bytes");
  is_wrong("{\"heddle_device\" 1}", "':' is missing");
  is_wrong("{\"heddle_device\": \"1\"}", "heddle_device is no whole number");
  is_wrong("{\"heddle_device\": 0}", "heddle_device is 0; it must be at least 1");
  is_wrong("{\"heddle_device\": 2}", "the format has version 2; this heddle reads version 1");
  is_wrong("{\"heddle_device\": 1}", "name is missing");
  is_wrong(with("\"l2_bytes\": 1 \"l2_copies\": 1"), "line 3: this is no JSON: ',' or an end is missing");
  is_wrong("{\"heddle_device\": 1, \"name\": \"x\", \"multiprocessors\": 3}", "l2_bytes is missing");
  is_wrong(with("\"l2_bytes\": 1, \"l2_copies\": 0"), "line 3: l2_copies is 0; it must be at least 1");
  is_wrong(with("\"l2_bytes\": -1"), "l2_bytes is -1; it must be at least 0");
  is_wrong(with("\"l2_bytes\": 1.5"), "l2_bytes is no whole number that fits 64 bits: \"1.5\"");
  is_wrong(with("\"l2_bytes\": 9223372036854775808"), "l2_bytes is no whole number that fits 64 bits");
  is_wrong(with("\"l2_copies\": 2147483648"), "l2_copies is 2147483648; it must be at most 2147483647");
  is_wrong(with("\"l2_bytes\": \"1\""), "l2_bytes is no whole number");
  is_wrong(with("\"launch_seconds\": 1e999"), "launch_seconds is no finite number: \"1e999\"");
  is_wrong(with("\"launch_seconds\": nan"), "line 3: this is no JSON: a value is missing, or is none of JSON");
  is_wrong(with("\"launch_seconds\": -1e-9"), "launch_seconds is -1e-9; it must be at least 0");
  is_wrong(with("\"launch_seconds\": true"), "launch_seconds is no finite number: \"true\"");
  is_wrong(with("\"launch_seconds\": 1-2"), "',' or an end is missing");
  is_wrong(with("\"l2\": 1"), "a device has no member \"l2\"");
  is_wrong(with("\"name\": \"y\""), "name stands there twice");
  is_wrong(with("\"l2_bytes\" 1"), "':' is missing after a name");
  is_wrong(with("l2_bytes: 1"), "a name between quotes is missing");
  is_wrong(with("\"l2_bytes\": 1") + "x", "there is text after the end");
  is_wrong(with("\"l2_bytes\": 1") + std::string(1, '\0'), "there is text after the end");
  const auto named = [](const std::string& name) { return "{\"heddle_device\": 1, \"name\": " + name + "}"; };
  is_wrong(named("x"), "a value is missing");
  is_wrong(named("7"), "name is no text");
  is_wrong(named("\"x\ny\""), "a text has no end in its line");
  is_wrong(named("\"\\u0000\""), "name is no text between quotes, or has a zero");
  is_wrong(named("\"\\u4\""), "an escape in a text is none of JSON");
  is_wrong(named("\"" + std::string(64, 'x') + "\""), "name has 64 bytes; it must have at most 63");
}

TEST_CASE("Every beginning and every flipped bit of a description is refused or passes its check", "[predict]") {
  const scratch_file file;
  REQUIRE(write_device(file.path, {.name = "a \"card\"\t",
                                   .multiprocessors = 132,
                                   .l2_bytes = 60 << 20,
                                   .l2_copies = 2,
                                   .dram_bytes_per_second = 4.2e12,
                                   .atomic_seconds = 7e-7}) == "");
  const std::string text = file.text();
  for (std::size_t size = 0; size + 2 < text.size(); ++size) CHECK(error_of(file, text.substr(0, size)) != "");
  int refused = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = text;
      damaged[i] = static_cast<char>(damaged[i] ^ 1 << bit);
      refused += error_of(file, damaged) != "";
    }
    std::string shorter = text, longer = text;
    (void)error_of(file, shorter.erase(i, 1));
    (void)error_of(file, longer.insert(i, 1, '"'));
  }
  CHECK(refused > static_cast<int>(text.size()) * 6);
}

TEST_CASE("Files that cannot be read or written are named", "[predict]") {
  const std::string nowhere = "/nonexistent/heddle.json";
  CHECK(read_device(nowhere).error == nowhere + ": there is no such file, or it is not readable");
  CHECK(write_device(nowhere, h200()) == nowhere + ": the file is not writable");
  const std::string folder = std::filesystem::temp_directory_path().string();
  CHECK(read_device(folder).error != "");
  const scratch_file pipe;
  REQUIRE(::mkfifo(pipe.path.c_str(), 0600) == 0);
  CHECK(read_device(pipe.path).error == pipe.path + ": there is no such file, or it is not readable");
  device endless = h200();
  endless.l1_bytes_per_second = std::numeric_limits<double>::infinity();
  CHECK(refusal([&] { (void)write_device(nowhere, endless); }) ==
        "heddle::predict::device: l1_bytes_per_second is not finite");
  device none = h200();
  none.launch_seconds = -1;
  CHECK(refusal([&] { (void)write_device(nowhere, none); }) ==
        "heddle::predict::device: launch_seconds is -1; it must be at least 0");
}

TEST_CASE("What a device refuses a file refuses too", "[predict]") {
  const scratch_file file;
  const device right = h200();
  int refused = 0, rates = 0;
  const auto with = [&](const std::string& name, double value) {
    device wrong = right;
    detail::for_each_member(wrong, [&](const char* other, auto& member, detail::limits) {
      if constexpr (!std::is_same_v<std::decay_t<decltype(member)>, device_name>) {
        if (other == name) member = static_cast<std::decay_t<decltype(member)>>(value);
      }
    });
    return wrong;
  };
  const auto is_wrong = [&](const std::string& name, const device& wrong, const std::string& complaint) {
    CHECK(refusal([&] { wrong.check(); }) == "heddle::predict::device: " + name + complaint);
    CHECK(has_text(error_of(file, detail::text_of(wrong)), name + complaint));
    ++refused;
  };
  detail::for_each_member(right, [&](const std::string& name, const auto& value, detail::limits allowed) {
    if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, device_name>) {
      const int least = static_cast<int>(allowed.least);
      is_wrong(name, with(name, least - 1),
               " is " + std::to_string(least - 1) + "; it must be at least " + std::to_string(least));
      if (allowed.most <= 1 << 14) {
        const auto most = static_cast<int>(allowed.most);
        is_wrong(name, with(name, most + 1),
                 " is " + std::to_string(most + 1) + "; it must be at most " + std::to_string(most));
        with(name, most).check();
      }
      if (allowed.is_rate) {
        ++rates;
        const device slow = with(name, 0.25);
        CHECK(refusal([&] { slow.check(); }) ==
              "heddle::predict::device: " + name + " is a fraction of 1; it must be 0 or at least 1");
        CHECK(has_text(error_of(file, detail::text_of(slow)), name + " is 0.25; it must be 0 or at least 1"));
        with(name, 1).check();
        with(name, 1e18).check();
        CHECK(refusal([&] { with(name, 2e18).check(); }) ==
              "heddle::predict::device: " + name + " is 2000000000000000000; it must be at most 1000000000000000000");
        CHECK(
            has_text(error_of(file, detail::text_of(with(name, 2e18))), name + " is 2e+18; it must be at most 1e+18"));
      }
      with(name, allowed.least).check();
      CHECK(error_of(file, detail::text_of(with(name, allowed.least))) == "");
    }
  });
  CHECK(refused == 21);
  CHECK(rates == 6);
}

TEST_CASE("What was fitted on one card is a member of the device and changes the advice", "[predict]") {
  const gemm_problem product{.m = 8192, .n = 8192, .k = 8192};
  device narrow = h200();
  narrow.band_rows = 512;
  CHECK(advise(product, h200()).width == 8);
  CHECK(advise(product, narrow).width == 4);

  // Rows that do not begin at a line: a matrix unit that is slower beside L2 hides the requests of smaller tiles.
  const gemm_problem broken{.m = 8192, .n = 8192, .k = 8200, .tile_m = 128, .tile_n = 128};
  device slow = h200(), unknown = h200();
  slow.matrix_operations_per_line = a100().matrix_operations_per_line;
  unknown.matrix_operations_per_line = 0;
  const gemm_problem large{.m = 8192, .n = 8192, .k = 8200, .tile_m = 256, .tile_n = 256};
  CHECK(advise(broken, h200()).schedule == recipe::one_shot);
  CHECK(advise(broken, slow).schedule == recipe::strided);
  CHECK(advise(large, h200()).schedule == recipe::strided);
  CHECK(advise(large, unknown).schedule == recipe::one_shot);
  // A kernel at a rate of its own takes its time on a card whose rate is unknown, too.
  const gemm_problem paced{
      .m = 8192, .n = 8192, .k = 8200, .tile_m = 256, .tile_n = 256, .operations_per_second = 1e14};
  unknown = h200();
  unknown.matrix_operations_per_second = 0;
  CHECK(advise(paced, unknown).schedule == recipe::strided);

  device dear = h200(), serial = h200();
  dear.drawing_instructions = 1e6;
  CHECK(advise(known_pass, h200(), 8).schedule == recipe::sm_affine);
  CHECK(advise(known_pass, dear, 8).schedule == recipe::one_shot);

  // The less units overlap, the nearer to their sum.
  serial.overlap_of_units = 1;  // and a half for the block
  const batched_problem batch{.plane = {.m = 1024, .n = 1024, .k = 1024}, .count = 64};
  const advice found = advise(batch, serial);
  const double operations = 64 * 2.0 * 1024 * 1024 * 1024 / (1 - found.idle_share);
  const double arithmetic = operations / serial.matrix_operations_per_second,
               memory = static_cast<double>(found.predicted_bytes) / serial.dram_bytes_per_second,
               seconds = std::pow(std::pow(arithmetic, 1.5) + std::pow(memory, 1.5), 1 / 1.5);
  CHECK(std::abs(found.predicted_seconds / seconds - 1) < 1e-9);
  CHECK(advise(batch, h200()).predicted_seconds < seconds);
}

namespace {

/// A product whose rules depend on the card alone.
struct by_card : gemm_problem {
  advice_rules rules(const device& card, int) const {
    return {.blocks_go_in_step = false, .margin = card.name == "dull" ? 0.9 : 0.01};
  }
};
static_assert(problem<by_card>);

}  // namespace

TEST_CASE("The rules of a problem of one's own may depend on the card", "[predict]") {
  const by_card product{{.m = 16384, .n = 16384, .k = 4096}};
  device dull = h200();
  dull.name = "dull";
  CHECK(advise(product, h200(), 1).matters);
  CHECK(!advise(product, dull, 1).matters);
}

// Answers that are kept in a file: whatever is asked, whatever happens to the file.

#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include <heddle/choose/wisdom.hpp>

#include "choose/folder.hpp"
#include "choose/simulated.hpp"
#include "refusal.hpp"
#include "sanitized.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

const machine card{"card", "driver", "toolkit"};

/// What `fsync` was called for while a path is watched, and the error that it returns.
struct sync {
  ino_t file;
  std::string text;  // of the watched file at that moment
};
std::string watched;
std::vector<sync> syncs;
int error_of_sync = 0;

std::size_t most_bytes = 0;  // of all allocations since it was 0

// Whether `read` and `write` take one byte at a time, and every other call is interrupted. None goes on for ever.
bool is_halting = false;
int halting_calls = 0, most_halting_calls = 0;

/// Returns whether a call fails, and says why in errno.
bool halts() {
  errno = ++halting_calls > most_halting_calls ? EIO : EINTR;
  return halting_calls > most_halting_calls || halting_calls % 2 == 1;
}

// Whether a sleep ends at once; how long all of them were, in seconds; and the lock that goes free after `most_slept`.
bool is_hasty = false;
double slept = 0;
constexpr double most_slept = 120;
int number_of_lock = -1;

}  // namespace

/// In place of the system's.
extern "C" int fsync(int number) {
  if (watched.empty()) return ::fdatasync(number);
  struct stat facts {};
  ::fstat(number, &facts);
  syncs.push_back({facts.st_ino, text_of(watched)});
  errno = error_of_sync;
  return error_of_sync == 0 ? 0 : -1;
}

extern "C" {
ssize_t read_by_pieces(int number, void* memory, std::size_t bytes) __asm__("read");  // unistd.h may define `read`
ssize_t write_by_pieces(int number, const void* memory, std::size_t bytes) __asm__("write");
}
ssize_t read_by_pieces(int number, void* memory, std::size_t bytes) {
  if (is_halting && halts()) return -1;
  const iovec part{memory, is_halting ? (std::min)(bytes, std::size_t{1}) : bytes};
  return ::readv(number, &part, 1);
}
ssize_t write_by_pieces(int number, const void* memory, std::size_t bytes) {
  if (is_halting && halts()) return -1;
  const iovec part{const_cast<void*>(memory), is_halting ? (std::min)(bytes, std::size_t{1}) : bytes};
  return ::writev(number, &part, 1);
}
extern "C" int nanosleep(const timespec* time, timespec* left) {
  if (!is_hasty) {
    errno = ::clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
    return errno == 0 ? 0 : -1;
  }
  slept += static_cast<double>(time->tv_sec) + 1e-9 * static_cast<double>(time->tv_nsec);
  if (slept > most_slept) ::flock(number_of_lock, LOCK_UN);
  return 0;
}

__attribute__((noinline)) void* operator new(std::size_t bytes) {
  most_bytes += bytes;
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
__attribute__((noinline)) void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  most_bytes += bytes;
  return std::malloc(bytes);  // a sanitizer's own would not go with what deletes
}
__attribute__((noinline)) void operator delete(void* memory) noexcept {
  std::free(memory);
}
__attribute__((noinline)) void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace {

std::string words(std::mt19937_64& random) {
  static const std::vector<std::string> letters{"a",  "Z",    "0",       "\"",   "\\", "\n", "\r",   "\t", "/",
                                                "\b", "\x01", "\x1f",    "\x7f", "ü",  "漢", "🧵", " ",  "{",
                                                "]",  ",",    "\\u0041", "'",    ":",  "",   "\xff"};
  std::string all;
  for (std::uint64_t left = random() % 12; left > 0; --left) all += letters[random() % letters.size()];
  if (random() % 8 == 0) all += '\0';
  return all;
}

double positive(std::mt19937_64& random) {
  return std::exp(std::uniform_real_distribution<>(-300, 300)(random));
}

wisdom_key key_at_random(std::mt19937_64& random) {
  wisdom_key key{{words(random), words(random), words(random)}, words(random), {}};
  for (std::uint64_t left = random() % 5; left > 0; --left) {
    switch (random() % 5) {
      case 0:
        key.problem.push_back(words(random));
        break;
      case 1:
        key.problem.push_back(static_cast<std::int64_t>(random()));
        break;
      case 2:
        key.problem.push_back(random());
        break;
      case 3:
        key.problem.push_back(-positive(random));
        break;
      default:
        key.problem.push_back(static_cast<int>(random() % 5));
        break;
    }
  }
  return key;
}

wisdom_entry entry_at_random(std::mt19937_64& random) {
  wisdom_entry entry{words(random), positive(random), positive(random), {}};
  for (std::uint64_t left = random() % 4; left > 0; --left) {
    entry.timed.push_back({words(random), positive(random), {}});
    for (std::uint64_t bursts = random() % 4; bursts > 0; --bursts) {
      entry.timed.back().bursts.push_back(positive(random));
    }
  }
  return entry;
}

bool knows(const wisdom& known, const wisdom_key& key, const wisdom_entry& entry) {
  return known.find(key) != nullptr && *known.find(key) == entry;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A wisdom of a few answers, with the text of its file.
struct sample {
  std::vector<wisdom_key> keys{{card, "1", {"a", 1}}, {card, "1", {"b \"\n", 2.5}}, {{"H", "1", "2"}, "2", {}}};
  std::vector<wisdom_entry> entries{
      {"256", 1e-3, 0.005, {{"256", 1e-3, {1e-3, 1.1e-3}}, {"512", 2e-3, {2e-3}}}}, {"ü", 2, 0.25, {}}, {"", 3, 0, {}}};
  std::string text;

  explicit sample(const std::string& path) {
    wisdom known(path);
    for (std::size_t i = 0; i < keys.size(); ++i) REQUIRE(known.remember(keys[i], entries[i]) == "");
    text = text_of(path);
  }

  /// Returns whether each question has its answer, or none.
  bool has_no_wrong_answer(const wisdom& known) const {
    std::size_t right = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (known.find(keys[i]) != nullptr && !knows(known, keys[i], entries[i])) return false;
      right += known.find(keys[i]) != nullptr ? 1 : 0;
    }
    return right == known.size();
  }
};

}  // namespace

TEST_CASE("A wisdom gives back every answer to every key, from its file too", "[choose]") {
  const folder here;
  const std::string path = here / "wisdom.json";
  std::mt19937_64 random(1);
  wisdom known(path);
  CHECK((known.message() == "" && known.size() == 0));
  std::vector<std::pair<wisdom_key, wisdom_entry>> all;
  for (int i = 0; i < 200; ++i) {
    all.push_back({key_at_random(random), entry_at_random(random)});
    const bool is_new = known.find(all.back().first) == nullptr;
    CHECK(known.remember(all.back().first, all.back().second) == "");
    if (!is_new) all.pop_back();
  }
  const wisdom again(path);
  CHECK(again.message() == "");
  for (const wisdom* from : std::vector<const wisdom*>{&known, &again}) {
    int wrong = 0;
    for (const auto& [key, entry] : all) wrong += from->find(key) == nullptr ? 1 : 0;
    CHECK(wrong == 0);
    CHECK(from->size() >= all.size());
  }
  int wrong = 0;
  for (const auto& [key, entry] : all) wrong += knows(again, key, *known.find(key)) ? 0 : 1;
  CHECK(wrong == 0);
}

TEST_CASE("Keys are equal if all their parts are, and a text is no number", "[choose]") {
  const folder here;
  wisdom known(here / "wisdom.json");
  const std::vector<wisdom_key> keys{{{"a", "b", "c"}, "d", {}},      {{"a", "b", "c"}, "", {"d"}},
                                     {{"a", "b", "c"}, "d", {"1"}},   {{"a", "b", "c"}, "d", {1}},
                                     {{"a", "b", "c"}, "d", {1, 2}},  {{"a", "b", "c"}, "d", {12}},
                                     {{"a", "b", "c"}, "d", {"1,2"}}, {{"a\", \"b", "", "c"}, "d", {}},
                                     {{"a", "b", "c"}, "d", {1.5}},   {{"a", "b", "c"}, "d", {-1}}};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    (void)known.remember(keys[i], {std::to_string(i), 1, 0, {}});
  }
  CHECK(known.size() == keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) CHECK(known.find(keys[i])->chosen == std::to_string(i));
  CHECK(known.find({{"a", "b", "c"}, "d", {1LL, 2.0F}})->chosen == "4");  // numbers of any type
  CHECK(known.find({{"a", "b", "c"}, "d", {std::string("1,2")}})->chosen == "6");
}

TEST_CASE("A wisdom's file is JSON that other programs can read", "[choose]") {
  const folder here;
  const sample of(here / "wisdom.json");
  CHECK(of.text.substr(0, 34) == "{\"heddle_wisdom\": 1, \"entries\": [\n");
  CHECK(has(of.text,
            "\n{\"key\": [\"card\", \"driver\", \"toolkit\", \"1\", \"a\", 1], \"chosen\": \"256\", "
            "\"seconds\": 0.001, \"noise\": 0.005, \"timed\": [{\"name\": \"256\", \"seconds\": 0.001, "
            "\"bursts\": [0.001, 0.0011]}, {\"name\": \"512\", \"seconds\": 0.002, \"bursts\": [0.002]}], "
            "\"check\": \""));
}

TEST_CASE("Every prefix of a file, and every byte of it changed, is a message and no wrong answer", "[choose]") {
  const folder here;
  const std::string path = here / "wisdom.json";
  const sample of(path);
  int wrong = 0, without_message = 0;
  for (std::size_t length = 0; length < of.text.size(); ++length) {
    put(path, of.text.substr(0, length));
    const wisdom known(path);
    wrong += of.has_no_wrong_answer(known) ? 0 : 1;
    without_message += known.message() == "" ? 1 : 0;
  }
  CHECK((wrong == 0 && without_message == 0));
  const detail::wisdom_text whole = detail::read_wisdom(of.text);
  REQUIRE(whole.entries.size() == 3);
  int unnoticed = 0;
  for (std::size_t at = 0; at < of.text.size(); ++at) {
    for (const int mask : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      std::string text = of.text;
      text[at] = static_cast<char>(text[at] ^ mask);
      const auto [is, entries] = detail::read_wisdom(text);
      const bool is_ours = is == detail::wisdom_text::kind::ours;
      unnoticed += is_ours ? 1 : 0;
      wrong += entries == (is_ours ? whole.entries : detail::wisdom_map{}) ? 0 : 1;
      if (mask != 1 << at % 8) continue;
      put(path, text);
      const wisdom known(path);
      wrong += of.has_no_wrong_answer(known) && (known.message() == "") == is_ours ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
  CHECK(unnoticed == 0);
  // Of the form's number, too: no one bit makes it a newer file, which would stay as it is for ever.
  const std::size_t number = of.text.find('1');
  for (const int mask : {1, 2, 4, 8, 16, 32, 64, 128}) {
    std::string text = of.text;
    text[number] = static_cast<char>(text[number] ^ mask);
    put(path, text);
    CHECK(has(wisdom(path).message(), " is damaged"));
  }
}

TEST_CASE("A damaged or foreign file is renamed and started afresh, and so is an empty one", "[choose]") {
  const folder here;
  const std::string path = here / "wisdom.json";
  const sample of(path);
  for (const std::string& text : {of.text.substr(0, 100), std::string("{\"some\": \"settings\"}\n"), std::string()}) {
    put(path, text);
    wisdom known(path);
    CHECK(has(known.message(), "; the next answer starts it afresh, and renames this one to " + path + ".damaged"));
    CHECK(text_of(path) == text);
    CHECK(known.remember(of.keys[1], of.entries[1]) == "");
    CHECK(text_of(path + ".damaged") == text);
    const wisdom again(path);
    CHECK((again.message() == "" && again.size() == 1 && knows(again, of.keys[1], of.entries[1])));
  }
  // Damage between reading and writing costs nothing that this object knows.
  const sample once_more(path);
  wisdom known(path);
  put(path, "{");
  CHECK(known.remember(of.keys[0], of.entries[0]) == "");
  CHECK(wisdom(path).size() == 3);
}

TEST_CASE("A file of a newer form is left as it is, and answers are kept in the object", "[choose]") {
  const folder here;
  const std::string path = here / "wisdom.json";
  const sample of(here / "other.json");
  for (const std::string& text : {std::string("{\"heddle_wisdom\": 2, \"entries\": []}"),
                                  std::string("{\"heddle_wisdom\": 99999999999999999999 and in no form of ours")}) {
    put(path, text);
    wisdom known(path);
    CHECK(has(known.message(), " is of a newer heddle, and is left as it is"));
    CHECK(has(known.remember(of.keys[0], of.entries[0]), " is of a newer heddle, and is left as it is"));
    CHECK(knows(known, of.keys[0], of.entries[0]));
    CHECK(text_of(path) == text);
    CHECK(!std::filesystem::exists(path + ".damaged"));
  }
}

TEST_CASE("Texts that are no JSON, or that are too deep, are damage and no crash", "[choose]") {
  const folder here;
  const std::string path = here / "wisdom.json", head = "{\"heddle_wisdom\": 1, \"entries\": ";
  std::vector<std::string> all{
      "[{}]}",        "[[]]}",          "[1]}",       "{}}",      "[]",    "[],}", "[]} x", "[,]}",
      "[\"\\u12\"]}", "[\"\\ud800\"]}", "[\"\\x\"]}", "[01]}",    "[1.]}", "[-]}", "[1e]}", "[nul]}",
      "[\"\n\"]}",    "[{\"a\"}]}",     "[{1: 2}]}",  "[1e999]}", "\"",    "[\"\\"};
  all.push_back(std::string(1 << 20, '['));
  all.push_back("[" + std::string(1 << 20, '{'));
  for (const std::string& text : all) {
    put(path, head + text);
    CAPTURE(text.substr(0, 20));
    CHECK(has(wisdom(path).message(), " is damaged"));
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string text = head;
    for (std::uint64_t left = random() % 60; left > 0; --left) text += "[]{}\",:\\u0123eE+-. tn\xc3"[random() % 23];
    CHECK(detail::read_wisdom(text).entries.empty());
  }
}

TEST_CASE("Texts of JSON are read with every escape, and written so that they are read back", "[choose]") {
  const auto read = [](const std::string& text) { return detail::json_reader(text).read(); };
  CHECK(read(R"("\u0041\u00fc\u6f22\ud83e\uddf5\/\b\f\n\r\t\\\"")")->text == "Aü漢🧵/\b\f\n\r\t\\\"");
  CHECK(detail::number_of(read(" [1, -2.5e3 ] ")->items[1]) == -2500.0);
  CHECK(!detail::number_of(*read("1e999")));
  std::string deep;
  for (int i = 0; i < 1 << 20; ++i) deep += i % 2 == 0 ? "[" : "{\"a\":";
  CHECK(!read(deep));
  for (int code = 0; code < 256; ++code) {
    const std::string text(3, static_cast<char>(code));
    CHECK(read(detail::json_text(text))->text == text);
  }
}

TEST_CASE("A folder that is not there, a file that is a folder, and a pipe are messages", "[choose]") {
  const folder here;
  const sample of(here / "wisdom.json");
  const auto answers = [&](const std::string& path, const std::string& what) {
    wisdom known(path);
    CAPTURE(path, known.message());
    CHECK(has(known.message(), what));
    CHECK(known.remember(of.keys[0], of.entries[0]) != "");
    CHECK(knows(known, of.keys[0], of.entries[0]));
  };
  answers(here / "none/wisdom.json", "its folder cannot be written to: No such file or directory");
  answers(here.path(), "cannot be read: Is a directory");
  REQUIRE(::mkfifo((here / "pipe").c_str(), 0600) == 0);
  answers(here / "pipe", "cannot be read: Invalid argument");
  answers(here / "wisdom.json/wisdom.json", "cannot be");
  // No one, root included, makes files in /proc; others have a folder without permission to write.
  wisdom in_proc("/proc/heddle.json");
  CHECK(in_proc.remember(of.keys[0], of.entries[0]) != "");
  CHECK(knows(in_proc, of.keys[0], of.entries[0]));
  if (::geteuid() != 0) {
    std::filesystem::permissions(here.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    wisdom known(here / "wisdom.json");
    CHECK((known.message() == "" && known.size() == 3));
    CHECK(has(known.remember(of.keys[0], of.entries[0]), "its folder cannot be written to: Permission denied"));
    answers(here / "fresh.json", "its folder cannot be written to: Permission denied");
    std::filesystem::permissions(here.path(), std::filesystem::perms::owner_all);
  }
}

TEST_CASE("Answers go to the target of a symbolic link, and the link stays", "[choose]") {
  const folder here;
  const sample of(here / "kept.json");
  std::filesystem::create_directory(here / "far");
  std::filesystem::create_symlink("far/target.json", here / "one.json");  // a target that is not there yet
  std::filesystem::create_symlink(here / "one.json", here / "far/two.json");
  wisdom one(here / "one.json"), two(here / "far/two.json"), target(here / "far/target.json");
  CHECK(one.remember(of.keys[0], of.entries[0]) == "");
  CHECK(two.remember(of.keys[1], of.entries[1]) == "");
  CHECK(target.remember(of.keys[2], of.entries[2]) == "");
  for (const char* name : {"one.json", "far/two.json", "far/target.json"}) CHECK(wisdom(here / name).size() == 3);
  CHECK(std::filesystem::is_symlink(here / "one.json"));
  CHECK(std::filesystem::is_symlink(here / "far/two.json"));
  CHECK(std::filesystem::is_regular_file(here / "far/target.json"));
  CHECK(!std::filesystem::exists(here / "one.json.lock"));  // all take one lock
  // A link that is made after the first read.
  wisdom early(here / "late.json");
  std::filesystem::create_symlink("far/target.json", here / "late.json");
  CHECK(early.remember(of.keys[0], of.entries[1]) == "");
  CHECK(
      (std::filesystem::is_symlink(here / "late.json") && knows(wisdom(here / "one.json"), of.keys[0], of.entries[1])));
  std::filesystem::create_symlink("nowhere/target.json", here / "lost.json");
  CHECK(has(wisdom(here / "lost.json").message(), "nowhere"));
  std::filesystem::create_symlink("loop.json", here / "loop.json");
  wisdom loop(here / "loop.json");
  CHECK(has(loop.message(), "cannot be read: Too many levels of symbolic links"));
  CHECK((loop.remember(of.keys[0], of.entries[0]) != "" && knows(loop, of.keys[0], of.entries[0])));
}

TEST_CASE("A file keeps its permissions, and one that is write-protected its text", "[choose]") {
  using std::filesystem::perms;
  const folder here;
  const std::string path = here / "wisdom.json";
  const sample of(path);
  for (const perms mode : {perms{0600}, perms{0640}, perms{0666}}) {
    std::filesystem::permissions(path, mode);
    CHECK(wisdom(path).remember(of.keys[0], of.entries[1]) == "");
    CHECK(std::filesystem::status(path).permissions() == mode);
  }
  const std::string text = text_of(path);
  std::filesystem::permissions(path, perms{0444});
  wisdom known(path);
  CHECK((known.message() == "" && known.size() == 3));
  CHECK(has(known.remember(of.keys[0], of.entries[2]), " cannot be written: Permission denied"));
  CHECK(knows(known, of.keys[0], of.entries[2]));
  CHECK((text_of(path) == text && std::filesystem::status(path).permissions() == perms{0444}));
}

TEST_CASE("A lock that is a pipe or a folder is a message, and a file that is too large one, too", "[choose]") {
  const folder here;
  const std::string path = here / "wisdom.json";
  const sample of(here / "other.json");
  const auto says = [&](const std::string& what) {
    wisdom known(path);
    CHECK(has(known.remember(of.keys[0], of.entries[0]), what));
    CHECK((knows(known, of.keys[0], of.entries[0]) && !std::filesystem::exists(path + ".new")));
  };
  REQUIRE(::mkfifo((path + ".lock").c_str(), 0600) == 0);
  says(".lock cannot be locked, so nothing is written: Invalid argument");
  std::filesystem::remove(path + ".lock");
  std::filesystem::create_directory(path + ".lock");
  says(".lock cannot be locked, so nothing is written: Is a directory");
  std::filesystem::remove(path + ".lock");
  put(path, "");
  std::filesystem::resize_file(path, (1 << 28) + 1);  // without blocks on the disk
  says(" cannot be read: File too large");
  CHECK(std::filesystem::file_size(path) == (1 << 28) + 1);
}

TEST_CASE("A new text is on the disk before it takes the file's name, and is gone after an error", "[choose]") {
  const folder here;
  const std::string path = here / "wisdom.json";
  const sample of(path);
  const std::string before = text_of(path);
  syncs.clear();
  watched = path;
  wisdom known(path);
  CHECK(known.remember(of.keys[0], of.entries[1]) == "");
  REQUIRE(syncs.size() == 2);
  struct stat file {
  }, folder_of_file{};
  REQUIRE((::stat(path.c_str(), &file) == 0 && ::stat(here.path().c_str(), &folder_of_file) == 0));
  CHECK((syncs[0].file == file.st_ino && syncs[0].text == before));  // before the rename
  CHECK((syncs[1].file == folder_of_file.st_ino && syncs[1].text == text_of(path)));
  error_of_sync = EIO;
  CHECK(has(known.remember(of.keys[0], of.entries[2]), " cannot be written: Input/output error"));
  error_of_sync = 0;
  watched.clear();
  CHECK(text_of(path) == syncs[1].text);
  CHECK(!std::filesystem::exists(path + ".new"));
}

TEST_CASE("A file is whole where the system interrupts, and reads and writes a byte at a time", "[choose]") {
  const folder here;
  const std::string path = here / "wisdom.json";
  const sample of(path);
  is_halting = true;
  halting_calls = 0, most_halting_calls = 20 * static_cast<int>(of.text.size());
  wisdom known(path);
  const std::string found = known.message(), error = known.remember(of.keys[0], of.entries[0]);
  is_halting = false;
  CHECK((found == "" && error == "" && known.size() == 3));
  CHECK(text_of(path) == of.text);
}

TEST_CASE("A lock that another holds is a message after half a minute", "[choose]") {
  const folder here;
  const std::string path = here / "wisdom.json";
  const sample of(here / "other.json");
  const detail::descriptor held(path + ".lock", O_RDONLY | O_CREAT);
  REQUIRE(::flock(held.number(), LOCK_EX) == 0);
  wisdom known(path);
  is_hasty = true;
  slept = 0, number_of_lock = held.number();
  const std::string error = known.remember(of.keys[0], of.entries[0]);
  is_hasty = false;
  CHECK(has(error, ".lock cannot be locked, so nothing is written: Resource temporarily unavailable"));
  CHECK((slept > 25 && slept < 35));
  CHECK((knows(known, of.keys[0], of.entries[0]) && !std::filesystem::exists(path)));
}

TEST_CASE("A damaged file takes no more memory than some copies of its text", "[choose]") {
  const std::string head = "{\"heddle_wisdom\": 1, \"entries\": [";
  for (const std::string& piece : {std::string("[],"), std::string("\n{},"), std::string("{\"\":0},")}) {
    std::string text = head;
    while (text.size() < (1u << 20)) text += piece;
    for (const char* end : {"0]}", "0\n]}\n"}) {
      const std::string whole = text + end;
      most_bytes = 0;
      const auto found = detail::read_wisdom(whole);
      const std::size_t bytes = most_bytes;
      CHECK(found.is == detail::wisdom_text::kind::damaged);
      CHECK(bytes < whole.size());
    }
  }
}

TEST_CASE("Two objects of one file keep what both remember, and the later answer to one question", "[choose]") {
  const folder here;
  const std::string path = here / "wisdom.json";
  wisdom one(path), other(path);
  const wisdom_key a{card, "1", {"a"}}, b{card, "1", {"b"}}, c{card, "1", {"c"}};
  CHECK(one.remember(a, {"x", 1, 0, {}}) == "");
  CHECK(other.remember(b, {"y", 2, 0, {}}) == "");
  CHECK((other.size() == 2 && one.size() == 1));
  CHECK(other.remember(a, {"z", 3, 0, {}}) == "");
  CHECK(one.find(a)->chosen == "x");
  CHECK(one.remember(c, {"w", 4, 0, {}}) == "");
  CHECK(one.find(a)->chosen == "z");  // what another wrote later
  CHECK((wisdom(path).size() == 3 && wisdom(path).find(a)->chosen == "z"));
}

TEST_CASE("What was remembered is answered without a launch, and what is no candidate is timed again", "[choose]") {
  const folder here;
  const std::string path = here / "wisdom.json";
  const wisdom_key key{card, "1", {"kernel", 7}};
  const std::vector<candidate<int>> candidates{{0, 1, "zero"}, {1, 2, "one"}, {2, 3, "two"}};
  const std::vector<candidate<int>> others{{9, 1, "two"}, {8, 2, "zero"}}, fewer{{0, 1, "zero"}, {1, 2, "one"}};
  simulated_card device{.seconds = {3e-3, 2e-3, 1e-3}, .spread = 0.005};
  const auto launch = [&](const int& which) { return device.run(which); };
  wisdom known(path);
  const auto first = known.choose(key, candidates, launch, device);
  CHECK((first.value == 2 && !first.remembered && first.timed.size() == 3 && known.message() == ""));
  const int launches = device.launches;

  for (wisdom asked : {known, wisdom(path)}) {
    const auto second = asked.choose(key, candidates, launch, device);
    CHECK((second.value == 2 && second.index == 2 && second.remembered && second.timed.empty()));
    CHECK((second.seconds == first.seconds && second.noise == first.noise && second.error == 0));
    REQUIRE(asked.find(key)->timed.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(asked.find(key)->timed[i].bursts == first.timed[i].bursts);
      CHECK(asked.find(key)->timed[i].name == candidates[first.timed[i].index].name);
    }
    // In another order, and with values that are not what they were: the name counts.
    const auto other = asked.choose(key, others, launch, device);
    CHECK((other.value == 9 && other.index == 0));
  }
  CHECK(device.launches == launches);

  const auto without = known.choose(key, fewer, launch, device);
  CHECK((without.value == 1 && !without.remembered && device.launches > launches));
  CHECK(wisdom(path).find(key)->chosen == "one");
  wisdom_key other = key;
  other.version = "2";
  CHECK(!known.choose(other, candidates, launch, device).remembered);
}

TEST_CASE("Nothing is remembered if nothing was timed, and names are asked for", "[choose]") {
  const folder here;
  wisdom known(here / "wisdom.json");
  const wisdom_key key{card, "1", {}};
  simulated_card device{.seconds = {1e-3, 1e-3}, .errors = {5, 6}};
  const auto ask = [&](const std::vector<candidate<int>>& candidates, const choose_options& options = {}) {
    return known.choose(
        key, candidates, [&](const int& which) { return device.run(which); }, device, options);
  };
  CHECK(ask({{0, 1, "a"}, {1, 2, "b"}}).error == 5);
  CHECK(ask({{0, 1, "a"}, {1, 2, "b"}}, {.most = 1}).value == 0);
  CHECK(known.size() == 0);
  CHECK(refusal([&] { (void)ask({{0, 1}, {1, 2}}); }) == "heddle::wisdom: a candidate has no name");
  CHECK(refusal([&] { (void)ask({{0, 1, "a"}, {1, 2, "a"}}); }) == "heddle::wisdom: two candidates have the same name");
  CHECK(refusal([&] { (void)ask({}); }) == "heddle::choose: candidates is 0; it must be at least 1");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(refusal([&] { (void)known.remember(key, {"a", infinity, 0, {}}); }) == "heddle::wisdom: a time is not finite");
  CHECK(refusal([&] {
          (void)known.remember(key, {"a", 1, 0, {{"a", 1, {infinity}}}});
        }) == "heddle::wisdom: a time is not finite");
  CHECK(refusal([&] { (void)key_part(infinity); }) == "heddle::key_part: the number is not finite");
  if (std::numeric_limits<long double>::max_exponent > std::numeric_limits<double>::max_exponent) {
    constexpr long double beyond = std::numeric_limits<double>::max();
    CHECK(refusal([&] { (void)key_part(beyond * 2); }) == "heddle::key_part: the number is not finite");
  }
}

TEST_CASE("A question to a wisdom of 3000 answers takes less than 20 microseconds", "[choose][clock]") {
  const folder here;
  detail::wisdom_map all;
  const auto key = [](int i) { return wisdom_key{{"NVIDIA H200", "13.0, 580.65.06", "13.0.48"}, "1", {"m", i, 4096}}; };
  const remembered_times times{"128x256 bands 8", 1e-4, std::vector<double>(8, 1e-4)};
  const wisdom_entry entry{"128x256 bands 8", 1e-4, 0.005, {times}};
  for (int i = 0; i < 3000; ++i) all[key(i).text()] = entry;
  put(here / "wisdom.json", detail::text_of(all));
  wisdom known(here / "wisdom.json");
  REQUIRE(known.size() == 3000);
  simulated_card device;
  const std::vector<candidate<int>> candidates{{0, 1, "a"}, {1, 2, "b"}, {2, 3, "128x256 bands 8"}};
  constexpr int questions = 20'000;
  int right = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < questions; ++i) {
    const auto found = known.choose(
        key(i % 3000), candidates, [&](const int& c) { return device.run(c); }, device);
    right += found.value == 2 && found.remembered ? 1 : 0;
  }
  const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - begin;
  CHECK(right == questions);
  std::printf("a question takes %.2f us\n", passed.count() / questions);
#if !defined(SANITIZED)
  CHECK(passed.count() / questions < 20);
#endif
}

TEST_CASE("The driver's version is found in what its modules say of themselves", "[choose]") {
  using detail::driver_version;
  CHECK(driver_version("NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 07:13:35 UTC 2025\n"
                       "GCC version:  gcc version 12.2.0\n") == "580.65.06");
  CHECK(driver_version("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.133.20  Release Build  (x@y)\n") ==
        "570.133.20");
  for (const char* none : {"", "\n", "no version . at all\n580.1", "1 .5 5. x1.2"}) CHECK(driver_version(none) == "");
}

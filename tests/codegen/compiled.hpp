#pragma once

// Counts the instructions of compiled kernels, in PTX and in the machine code of a cubin.

#include <regex>

#include "test.hpp"

namespace heddle_test {

struct ptx_kernel {
  int instructions = 0;
  int divisions = 0;
  int local = 0;                   // loads and stores of local memory
  std::size_t argument_bytes = 0;  // of the first argument, if it is a class
};

inline std::map<std::string, ptx_kernel> read_ptx(const char* path) {
  std::ifstream file(path);
  REQUIRE(file.good());
  const std::regex entry(R"(\.visible \.entry (\w+)\()"), instruction(R"(^\s+(@!?%p\d+\s+)?[a-z][\w.:]*(\s.*)?;)");
  const std::regex division(R"(\s(div|rem)\.)"), local(R"(\s(ld|st)\.local)"), argument(R"(_param_0\[(\d+)\])");
  std::map<std::string, ptx_kernel> kernels;
  ptx_kernel* current = nullptr;
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    if (std::regex_search(line, match, entry)) current = &kernels[match[1]];
    if (current != nullptr && current->argument_bytes == 0 && std::regex_search(line, match, argument)) {
      current->argument_bytes = std::stoul(match[1]);
    }
    if (current == nullptr || !std::regex_search(line, instruction)) continue;
    ++current->instructions;
    current->divisions += std::regex_search(line, division);
    current->local += std::regex_search(line, local);
  }
  return kernels;
}

struct sass_kernel {
  int instructions = 0;
  int registers = 0;
  std::vector<std::uint64_t> multiply_adds;  // of floats, with the numbers of their registers
};

/// Reads a cubin, which is an ELF file: `.text.<kernel>` has 16 bytes per instruction and is padded with NOP;
/// `.nv.info` has the registers of each kernel's symbol.
inline std::map<std::string, sass_kernel> read_cubin(const char* path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file.good());
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const auto at = [&](std::uint64_t offset, auto value) {
    REQUIRE(offset + sizeof value <= bytes.size());
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
  };
  const auto u16 = [&](std::uint64_t offset) { return at(offset, std::uint16_t{}); };
  const auto u32 = [&](std::uint64_t offset) { return at(offset, std::uint32_t{}); };
  const auto u64 = [&](std::uint64_t offset) { return at(offset, std::uint64_t{}); };

  const std::uint64_t headers = u64(40), header_bytes = u16(58), count = u16(60), names = u16(62);
  const std::uint64_t text = u64(headers + names * header_bytes + 24);
  std::map<std::string, sass_kernel> kernels;
  std::map<std::uint32_t, std::string> by_symbol;
  std::map<std::uint32_t, int> registers;
  for (std::uint64_t section = headers; section < headers + count * header_bytes; section += header_bytes) {
    const std::string name = bytes.data() + text + u32(section);
    const std::uint64_t begin = u64(section + 24), end = begin + u64(section + 32);
    if (name.rfind(".text.", 0) == 0) {
      by_symbol[u32(section + 44)] = name.substr(6);
      for (std::uint64_t place = begin; place < end; place += 16) {
        sass_kernel& kernel = kernels[name.substr(6)];
        kernel.instructions += (u64(place) & 0xfff) != 0x918;
        if ((u64(place) & 0xfff) == 0x223) kernel.multiply_adds.push_back(u64(place));
      }
    } else if (name == ".nv.info") {
      for (std::uint64_t place = begin; place < end;) {
        const bool sized = bytes[place] == 4;
        if (sized && bytes[place + 1] == 0x2f) registers[u32(place + 4)] = static_cast<int>(u32(place + 8));
        place += sized ? 4u + u16(place + 2) : 4u;
      }
    }
  }
  for (const auto& [symbol, name] : by_symbol) kernels[name].registers = registers[symbol];
  return kernels;
}

}  // namespace heddle_test

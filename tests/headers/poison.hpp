#pragma once

// Names that other people's headers define as macros (<complex.h>, <termios.h>, <windows.h>, ...). Standard
// headers that use such names as identifiers come first; heddle must get along with the poison.
#if !defined(__CUDACC_RTC__)
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <locale>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <random>
#include <semaphore>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>
#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif
#endif

#define I poison
#define B0 poison
#define B1 poison
#define N poison
#define T poison
#define E poison
#define M poison
#define K poison
#define S poison
#define A poison
#define B poison
#define C poison
#define D poison
#define F poison
#define V poison
#define X poison
#define Y poison
#define min(...) poison
#define max(...) poison
#define near poison
#define far poison
#define small poison
#define interface poison
#define major poison
#define minor poison
#define unix poison
#define linux poison

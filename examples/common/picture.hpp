#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(PICTURES_HAVE_PNG)
#include <png.h>
#endif

// Reads and writes pictures: PPM, PFM and, if built with libpng, PNG. An exception says why a file cannot be read or
// written.

namespace pictures {

/// Linear red, green and blue of each pixel, row by row from the top left.
struct picture {
  int width = 0, height = 0;
  std::vector<float> rgb;

  picture() = default;
  picture(int width_, int height_)
      : width(width_), height(height_), rgb(3 * static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_)) {}

  float* at(int x, int y) {
    return rgb.data() +
           3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
  }
  const float* at(int x, int y) const { return const_cast<picture*>(this)->at(x, y); }
};

namespace detail {

constexpr int most_extent = 1 << 16;

[[noreturn]] inline void fail(const std::string& file, const std::string& what) {
  std::string message = file;
  message += ": ";
  message += what;
  throw std::runtime_error(message);
}

inline float linear_of(float srgb) {
  return srgb <= 0.04045f ? srgb / 12.92f : std::pow((srgb + 0.055f) / 1.055f, 2.4f);
}

inline std::uint8_t byte_of(float linear) {
  const float inside = std::min(std::max(linear, 0.0f), 1.0f);
  const float srgb = inside <= 0.0031308f ? 12.92f * inside : 1.055f * std::pow(inside, 1 / 2.4f) - 0.055f;
  return static_cast<std::uint8_t>(std::lround(255 * srgb));
}

inline void check_extents(const std::string& file, int width, int height) {
  if (width < 1 || height < 1 || width > most_extent || height > most_extent) {
    fail(file, "is " + std::to_string(width) + " x " + std::to_string(height) + "; each must be from 1 to " +
                   std::to_string(most_extent));
  }
}

/// Returns the next word of a header, after comments.
inline std::string word_of(std::istream& in) {
  std::string word;
  while (in >> word && word[0] == '#') std::getline(in, word);
  return word;
}

inline int number_of(const std::string& file, std::istream& in) {
  const std::string word = word_of(in);
  if (word.empty() || word.size() > 9 || word.find_first_not_of("0123456789") != std::string::npos) {
    fail(file, "has a header with '" + word + "' in place of a number");
  }
  return std::atoi(word.c_str());
}

inline picture read_pnm(const std::string& file, std::istream& in, const std::string& kind) {
  picture result;
  const int width = number_of(file, in), height = number_of(file, in);
  check_extents(file, width, height);
  result = picture(width, height);
  const std::size_t count = result.rgb.size();
  if (kind == "PF") {
    const std::string scale = word_of(in);
    in.get();
    std::vector<char> bytes(4 * count);
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!in) fail(file, "ends before its last pixel");
    const bool big = std::atof(scale.c_str()) > 0;
    for (std::size_t i = 0; i < count; ++i) {
      unsigned char* const four = reinterpret_cast<unsigned char*>(bytes.data()) + 4 * i;
      if (big) std::reverse(four, four + 4);
      const std::size_t row = i / 3 / static_cast<std::size_t>(width),
                        of_row = i % (3 * static_cast<std::size_t>(width));
      std::memcpy(result.at(0, height - 1 - static_cast<int>(row)) + of_row, four,
                  4);  // a PFM begins with the bottom row
    }
    return result;
  }
  const int most = number_of(file, in);
  if (most < 1 || most > 65535) fail(file, "has a largest value of " + std::to_string(most) + ", not from 1 to 65535");
  in.get();
  const std::size_t of_value = most > 255 ? 2 : 1;
  std::vector<char> bytes(of_value * count);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!in) fail(file, "ends before its last pixel");
  for (std::size_t i = 0; i < count; ++i) {
    const auto* const value = reinterpret_cast<const unsigned char*>(bytes.data()) + of_value * i;
    const int found = of_value == 2 ? value[0] << 8 | value[1] : value[0];
    result.rgb[i] = linear_of(static_cast<float>(found) / static_cast<float>(most));
  }
  return result;
}

#if defined(PICTURES_HAVE_PNG)
inline picture read_png(const std::string& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, file.c_str()) == 0) fail(file, image.message);
  const auto width = static_cast<int>(image.width), height = static_cast<int>(image.height);
  if (width > most_extent || height > most_extent) {
    png_image_free(&image);
    check_extents(file, width, height);
  }
  image.format = PNG_FORMAT_RGB;
  std::vector<png_byte> bytes(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, bytes.data(), 0, nullptr) == 0) fail(file, image.message);
  picture result(width, height);
  for (std::size_t i = 0; i < bytes.size(); ++i) result.rgb[i] = linear_of(static_cast<float>(bytes[i]) / 255);
  return result;
}

inline void write_png(const std::string& file, const picture& of, const std::vector<std::uint8_t>& bytes) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(of.width);
  image.height = static_cast<png_uint_32>(of.height);
  image.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&image, file.c_str(), 0, bytes.data(), 0, nullptr) == 0) fail(file, image.message);
}
#endif

inline bool ends_with(const std::string& text, const char* end) {
  const std::size_t length = std::strlen(end);
  return text.size() >= length && text.compare(text.size() - length, length, end) == 0;
}

}  // namespace detail

/// Reads a picture. Its format is found by the content of the file, not by its name.
inline picture read_picture(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) detail::fail(file, "cannot be opened");
  char begin[2] = {};
  in.read(begin, 2);
  const std::string kind(begin, 2);
  if (in && (kind == "P6" || kind == "PF")) return detail::read_pnm(file, in, kind);
  if (in && kind == "\x89P") {
#if defined(PICTURES_HAVE_PNG)
    in.close();
    return detail::read_png(file);
#else
    detail::fail(file, "is a PNG, and this program was built without libpng; PPM (P6) and PFM (PF) can be read");
#endif
  }
  detail::fail(file, "is neither a PPM (P6) nor a PFM (PF) nor a PNG");
}

/// Refuses a file name with an ending that `write_picture` does not know.
inline void check_name(const std::string& file) {
  if (detail::ends_with(file, ".ppm") || detail::ends_with(file, ".pfm")) return;
  if (!detail::ends_with(file, ".png")) detail::fail(file, "the name must end in .ppm, .pfm or .png");
#if !defined(PICTURES_HAVE_PNG)
  detail::fail(file, "this program was built without libpng; end the name in .ppm or .pfm");
#endif
}

/// Writes a picture in the format of the name's ending: .ppm, .pfm or .png.
inline void write_picture(const std::string& file, const picture& of) {
  check_name(file);
  std::vector<std::uint8_t> bytes(of.rgb.size());
  std::transform(of.rgb.begin(), of.rgb.end(), bytes.begin(), detail::byte_of);
#if defined(PICTURES_HAVE_PNG)
  if (detail::ends_with(file, ".png")) return detail::write_png(file, of, bytes);
#endif
  std::ofstream out(file, std::ios::binary);
  if (detail::ends_with(file, ".ppm")) {
    out << "P6\n" << of.width << ' ' << of.height << "\n255\n";
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  } else {
    out << "PF\n" << of.width << ' ' << of.height << "\n-1.0\n";
    for (int y = of.height - 1; y >= 0; --y) {
      out.write(reinterpret_cast<const char*>(of.at(0, y)),
                static_cast<std::streamsize>(12 * static_cast<std::size_t>(of.width)));
    }
  }
  out.flush();
  if (!out) detail::fail(file, "cannot be written");
}

}  // namespace pictures

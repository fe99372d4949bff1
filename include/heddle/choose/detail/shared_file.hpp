#pragma once

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>

#include <heddle/config.hpp>

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

// A file that several processes read and replace. Errors are those of errno; 0 is none.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// The text of a file, or the error that prevented reading it.
struct file_text {
  std::string text;
  int error = 0;
};

inline constexpr std::size_t most_file_bytes = std::size_t{1} << 28;

/// Returns the folder of a path.
inline std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash == 0 ? 1 : slash);
}

#if defined(__unix__) || defined(__APPLE__)

/// A file descriptor that is closed at the end of its scope, or an error.
class descriptor {
 public:
  descriptor(const std::string& path, int flags) : number_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (number_ < 0) error_ = errno;
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  int number() const { return number_; }
  int error() const { return error_; }

 private:
  int number_, error_ = 0;
};

/// Returns the file that a path names: the target where it is a symbolic link, also of one that is not there yet.
inline std::string target_of(std::string path) {
  constexpr int most_links = 40;  // more are a loop, which `open` reports
  for (int links = 0; links < most_links; ++links) {
    std::string target(1 << 12, '\0');
    const auto size = ::readlink(path.c_str(), target.data(), target.size());
    if (size <= 0) return path;
    target.resize(static_cast<std::size_t>(size));
    path = target[0] == '/' ? target : folder_of(path) + "/" + target;
  }
  return path;
}

/// Reads a regular file. It waits for no pipe and no device.
inline file_text read_file(const std::string& path) {
  const descriptor file(path, O_RDONLY | O_NONBLOCK);
  if (file.error() != 0) return {"", file.error()};
  struct stat facts {};
  if (::fstat(file.number(), &facts) != 0) return {"", errno};
  if (S_ISDIR(facts.st_mode)) return {"", EISDIR};
  if (!S_ISREG(facts.st_mode)) return {"", EINVAL};
  if (static_cast<unsigned long long>(facts.st_size) > most_file_bytes) return {"", EFBIG};
  std::string text;
  for (char part[1 << 16];;) {
    const auto count = ::read(file.number(), part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {"", errno};
    if (count == 0) return {std::move(text), 0};
    text.append(part, static_cast<std::size_t>(count));
  }
}

/// Replaces a file, or makes it, so that readers see the old text or the new one, also if the power fails. The new file
/// has the permissions of the old one; a file that is write-protected stays. The caller holds the lock: the text is
/// first in a file of a name that all writers share.
inline int replace_file(const std::string& path, const std::string& text) {
  struct stat old {};
  const bool is_there = ::stat(path.c_str(), &old) == 0;
  constexpr mode_t writable = S_IWUSR | S_IWGRP | S_IWOTH;
  if (is_there && ((old.st_mode & writable) == 0 || ::access(path.c_str(), W_OK) != 0)) return EACCES;
  const std::string fresh = path + ".new";
  (void)::unlink(fresh.c_str());  // left by a writer that was killed
  {
    const descriptor file(fresh, O_WRONLY | O_CREAT | O_EXCL);
    if (file.error() != 0) return file.error();
    int error = is_there && ::fchmod(file.number(), old.st_mode & 07777) != 0 ? errno : 0;
    for (std::size_t done = 0; done < text.size() && error == 0;) {
      const auto count = ::write(file.number(), text.data() + done, text.size() - done);
      if (count >= 0) done += static_cast<std::size_t>(count);
      if (count < 0 && errno != EINTR) error = errno;
    }
    if (error == 0 && ::fsync(file.number()) != 0) error = errno;
    if (error == 0 && ::rename(fresh.c_str(), path.c_str()) != 0) error = errno;
    if (error != 0) {
      (void)::unlink(fresh.c_str());
      return error;
    }
  }
  const descriptor folder(folder_of(path), O_RDONLY);
  if (folder.error() == 0) (void)::fsync(folder.number());  // some file systems refuse this; the rename is done
  return 0;
}

/// Returns why no file can be made in a folder, as far as its permissions tell.
inline int folder_error(const std::string& folder) {
  return ::access(folder.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
}

/// Holds the lock of a path as long as it lives: flock on a regular file beside it. It waits for other holders, half a
/// minute at most, and for no pipe.
class file_lock {
 public:
  explicit file_lock(const std::string& path)
      : file_(path + ".lock", O_RDONLY | O_CREAT | O_NONBLOCK), error_(file_.error()) {
    struct stat facts {};
    if (error_ == 0 && ::fstat(file_.number(), &facts) != 0) error_ = errno;
    if (error_ == 0 && !S_ISREG(facts.st_mode)) error_ = EINVAL;
    constexpr int most_tries = 30'000;
    for (int tries = 0; error_ == 0; ++tries) {
      if (::flock(file_.number(), LOCK_EX | LOCK_NB) == 0) return;
      if (errno != EWOULDBLOCK && errno != EINTR) error_ = errno;
      if (tries == most_tries) error_ = EWOULDBLOCK;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  file_lock(const file_lock&) = delete;
  file_lock& operator=(const file_lock&) = delete;
  ~file_lock() {
    if (error_ == 0) ::flock(file_.number(), LOCK_UN);  // also for a copy of the descriptor in a child process
  }

  int error() const { return error_; }

 private:
  descriptor file_;
  int error_;
};

#else

// Without flock one process at a time may write. A reader may find no file for a moment.

inline std::string target_of(std::string path) {
  return path;
}

inline file_text read_file(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return {"", errno};
  std::string text;
  char part[1 << 12];
  for (std::size_t count = 1; count > 0 && text.size() <= most_file_bytes;) {
    count = std::fread(part, 1, sizeof part, file);
    text.append(part, count);
  }
  const int error = std::ferror(file) != 0 ? EIO : text.size() > most_file_bytes ? EFBIG : 0;
  std::fclose(file);
  return {error == 0 ? std::move(text) : "", error};
}

inline int replace_file(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  std::FILE* const file = std::fopen(fresh.c_str(), "wb");
  if (file == nullptr) return errno;
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !is_written) return EIO;
  (void)std::remove(path.c_str());
  return std::rename(fresh.c_str(), path.c_str()) == 0 ? 0 : errno;
}

inline int folder_error(const std::string&) {
  return 0;
}

class file_lock {
 public:
  explicit file_lock(const std::string&) {}
  int error() const { return 0; }
};

#endif

}}}  // namespace heddle::HEDDLE_ABI::detail

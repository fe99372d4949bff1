// Writes a trace that is made up to the file that is named, for readers other than the tests'.

#include "trace/made.hpp"

#include <heddle/order/row_major.hpp>
#include <heddle/trace/chrome_trace.hpp>

#include <cstdio>
#include <string>

int main(int count, char** arguments) {
  if (count != 2) return 1;
  heddle::trace::chrome_trace file;
  file.add("one", heddle_test::made_report(1, 3, 4, 2, 5), heddle::row_major{{5, 8}});
  file.add("other", heddle_test::made_report(2, 1, 2, 1, 3));
  const std::string error = file.write(arguments[1]);
  std::fputs(error.c_str(), stderr);
  return error.empty() ? 0 : 1;
}

// Renders a terrace in the evening by path tracing, with and without reordering, and compares the modes.

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "../common/command_line.hpp"
#include "../common/picture.hpp"
#include "render.hpp"
#include "scenes.hpp"

namespace {

using namespace path_tracer;

struct options {
  std::string out = "path_tracer.ppm", scene_name = "terrace", mode_name = "queues", gate = "on", json;
  int width = 0, height = 0;
  std::optional<unsigned> passes;
  unsigned rounds = 1;
  bool host = false;
};

options parse(int count, char** arguments) {
  using namespace command_line;
  options chosen;
  const std::string modes =
      "each: one thread per path; persistent: threads take path after path; block: paths change places within a block "
      "before each bounce; queues: paths of the whole grid are grouped by key between launches; in_place, by_block, "
      "by_queues: the forms of a trial; all: every mode, without and with the gate, which must agree bit for bit";
  parse_options(
      count, arguments, "Renders a scene by path tracing, on the GPU or, without one, a small picture on the host.\n",
      {{"--out", "FILE", "the picture: .ppm, .pfm or, if built with libpng, .png", file(chosen.out)},
       {"--size", "WxH", "without it 960x540; 96x54 on the host", size(chosen.width, chosen.height, 16384)},
       {"--passes", "P", "paths through each pixel; without it 64; 4 on the host", number(chosen.passes, 1, 65536)},
       {"--scene", "SCENE", "cheap is the same without textures, clouds and smoke",
        one_of(chosen.scene_name, {"terrace", "cheap"})},
       {"--mode", "MODE", modes,
        one_of(chosen.mode_name,
               {"each", "persistent", "block", "queues", "in_place", "by_block", "by_queues", "all"})},
       {"--gate", "on|off", "reorder only if it pays", one_of(chosen.gate, {"on", "off"})},
       {"--rounds", "R", "with --mode all: the median of R rounds", number(chosen.rounds, 1, 100)},
       {"--json", "FILE", "with --mode all: write the measurements to FILE", file(chosen.json)},
       {"--host", "", "render on the host, even if there is a GPU", flag(chosen.host)}});
  try {
    pictures::check_name(chosen.out);
  } catch (const std::exception& error) {
    refuse(std::string("--out: ") + error.what());
  }
  return chosen;
}

/// Maps light to what a screen shows: bright parts are compressed.
float shown(float light) {
  const float x = light * 0.9f;
  return std::clamp(x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f), 0.f, 1.f);
}

void write(const options& chosen, const rendered& found, const settings& of) {
  pictures::picture result(of.width, of.height);
  result.rgb = light_of(found, of.passes);
  std::transform(result.rgb.begin(), result.rgb.end(), result.rgb.begin(), shown);
  pictures::write_picture(chosen.out, result);
}

double rays_per_second(const rendered& of) {
  return static_cast<double>(of.rays) / of.milliseconds / 1e3;  // millions
}

/// A progress line on a terminal, from 10 % on, that overwrites itself.
class progress_line {
 public:
  void operator()(double part) {
    const int percent = static_cast<int>(100 * part);
    if (percent <= last_ || isatty(STDERR_FILENO) == 0) return;
    last_ = percent;
    std::fprintf(stderr, "\r%3d %%", percent);
    std::fflush(stderr);
  }
  ~progress_line() {
    if (last_ >= 0) std::fputs("\r     \r", stderr);
  }

 private:
  int last_ = 9;
};

struct variant {
  mode how;
  bool gate;
  std::string name;
  std::vector<double> milliseconds = {};
  rendered last = {};

  double median() const {
    std::vector<double> sorted = milliseconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

void write_json(const options& chosen, const settings& of, std::size_t triangles,
                const std::vector<variant>& all_of_them) {
  std::ofstream out(chosen.json);
  out << "{\n  \"gpu\": \"" << gpu() << "\",\n  \"scene\": \"" << chosen.scene_name
      << "\",\n  \"triangles\": " << triangles << ",\n  \"width\": " << of.width << ",\n  \"height\": " << of.height
      << ",\n  \"passes\": " << of.passes << ",\n  \"rounds\": " << chosen.rounds << ",\n  \"modes\": [\n";
  for (const variant& each : all_of_them) {
    const auto [least, most] = std::minmax_element(each.milliseconds.begin(), each.milliseconds.end());
    out << "    {\"mode\": \"" << each.name << "\", \"milliseconds\": " << each.median() << ", \"least\": " << *least
        << ", \"most\": " << *most << ", \"rays\": " << each.last.rays << "}"
        << (&each == &all_of_them.back() ? "\n" : ",\n");
  }
  out << "  ]\n}\n";
  if (!out.flush()) throw std::runtime_error(chosen.json + ": cannot be written");
}

/// Renders the same scene in every mode, in turns. All films must be equal.
int compare(const options& chosen, const world& of, settings how) {
  std::vector<variant> all_of_them{{mode::each, false, "each"},
                                   {mode::persistent, false, "persistent"},
                                   {mode::block, false, "block, without the gate"},
                                   {mode::block, true, "block"},
                                   {mode::queues, false, "queues, without the gate"},
                                   {mode::queues, true, "queues"},
                                   {mode::in_place, false, "trial, in place"},
                                   {mode::by_block, false, "trial, by block"},
                                   {mode::by_queues, false, "trial, by queues"}};
  for (unsigned round = 0; round <= chosen.rounds; ++round) {  // the first round warms up
    for (variant& each : all_of_them) {
      how.how = each.how;
      how.gate = each.gate;
      each.last = render_on_gpu(of, how);
      if (!each.last.error.empty()) throw std::runtime_error(each.name + ": " + each.last.error);
      if (round > 0) each.milliseconds.push_back(each.last.milliseconds);
    }
  }
  bool alike = true;
  const double plain = std::min(all_of_them[0].median(), all_of_them[1].median());
  for (const variant& each : all_of_them) {
    const bool same = each.last.sums == all_of_them[0].last.sums && each.last.rays == all_of_them[0].last.rays;
    alike = alike && same;
    std::printf("%-26s %10.2f ms  %8.1f million rays/s  %5.2fx  %s\n", each.name.c_str(), each.median(),
                static_cast<double>(each.last.rays) / each.median() / 1e3, plain / each.median(),
                same ? "the same picture" : "ANOTHER PICTURE");
  }
  if (!chosen.json.empty()) write_json(chosen, how, of.triangles.size(), all_of_them);
  write(chosen, all_of_them[0].last, how);
  return alike ? 0 : 1;
}

int run(const options& chosen) {
  if (!std::ofstream(chosen.out, std::ios::app)) throw std::runtime_error(chosen.out + ": cannot be written");
  const std::string device = chosen.host ? "" : gpu();
  settings how;
  how.width = chosen.width > 0 ? chosen.width : device.empty() ? 96 : 960;
  how.height = chosen.height > 0 ? chosen.height : device.empty() ? 54 : 540;
  how.passes = chosen.passes.value_or(device.empty() ? 4 : 64);
  how.gate = chosen.gate == "on";
  const world of =
      terrace(chosen.scene_name == "cheap", static_cast<float>(how.width) / static_cast<float>(how.height));
  std::printf("%s: %zu triangles, %d x %d, %u passes, %s\n", chosen.scene_name.c_str(), of.triangles.size(), how.width,
              how.height, how.passes, device.empty() ? "on the host" : device.c_str());
  if (!device.empty() && chosen.mode_name == "all") return compare(chosen, of, how);
  for (const mode each : modes) {
    if (chosen.mode_name == name_of(each)) how.how = each;
  }
  rendered found;
  {
    progress_line progress;
    how.progress = [&](double part) { progress(part); };
    found = device.empty() ? render_on_host(of, how) : render_on_gpu(of, how);
  }
  if (!found.error.empty()) throw std::runtime_error(found.error);
  std::printf("%.1f ms, %.1f million rays/s, in %s\n", found.milliseconds, rays_per_second(found), chosen.out.c_str());
  write(chosen, found, how);
  return 0;
}

}  // namespace

int main(int count, char** arguments) try { return run(parse(count, arguments)); } catch (const std::exception& error) {
  std::fprintf(stderr, "path_tracer: %s\n", error.what());
  return 1;
}

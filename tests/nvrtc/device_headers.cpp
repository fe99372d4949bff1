// Compiles device headers by NVRTC, which has no standard library and no host: kernels get policies that are built.

#include <nvrtc.h>

#include <heddle/heddle.hpp>

#include "test.hpp"

namespace {

struct compiled {
  bool ok;
  std::string log, ptx;
};

/// One architecture per generation by its machine's name: NVRTC assembles the code too, as it does on a user's GPU.
constexpr const char* generations[] = {"sm_80", "sm_90a", "sm_100a", "sm_120"};

compiled compile(const std::string& source, const char* generation = "compute_90a",
                 std::vector<const char*> options = {}) {
  nvrtcProgram program;
  REQUIRE(nvrtcCreateProgram(&program, source.c_str(), "kernel.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS);
  const std::string architecture = std::string("--gpu-architecture=") + generation;
  options.insert(options.end(), {"--std=c++20", architecture.c_str(), "-I" HEDDLE_SOURCE_DIR "/include"});
  const bool ok = nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data()) == NVRTC_SUCCESS;
  std::size_t size = 0;
  nvrtcGetProgramLogSize(program, &size);
  std::string log(size, '\0'), ptx;
  nvrtcGetProgramLog(program, log.data());
  if (ok) {
    nvrtcGetPTXSize(program, &size);
    ptx.resize(size);
    nvrtcGetPTX(program, ptx.data());
    nvrtcGetCUBINSize(program, &size);
    CHECK((size > 0) == (std::string(generation).find("sm_") == 0));
  }
  nvrtcDestroyProgram(&program);
  return {ok, log, ptx};
}

bool passes_warnings(const compiled& result) {
  return !HEDDLE_WERROR || result.log.find("warning") == std::string::npos;
}

}  // namespace

TEST_CASE("A kernel over any order compiles under NVRTC", "[nvrtc]") {
  std::string orders;
  for (const std::string name : heddle::recipe::order_names) {
    if (name != "own") orders += "template __global__ void map(const __grid_constant__ " + name + ", coord*);\n";
  }
  const compiled result = compile(R"(
    #include <heddle/heddle.hpp>
    template <class Order>
    __global__ void map(const __grid_constant__ Order order, heddle::coord* tiles) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < order.size()) tiles[i] = order(order.index(order(i)));
    }
    using namespace heddle;
    template __global__ void map(const __grid_constant__ tile_table, coord*);
    template __global__ void map(const __grid_constant__ any_order<>, coord*);
    template __global__ void map(const __grid_constant__ reversed<transposed<cta_swizzle>>, coord*);
    template __global__ void map(const __grid_constant__ rotated<hilbert>, coord*);
    template __global__ void map(const __grid_constant__ clustered<hilbert>, coord*);
    template __global__ void map(const __grid_constant__ constant_order<cta_swizzle, 64, 64, 8, axis::x>, coord*);
    __global__ void no_argument(coord* tiles) {
      tiles[threadIdx.x] = constant_order<cta_swizzle, 64, 64, 8, axis::x>{}(threadIdx.x);
    }
  )" + orders);
  INFO(result.log);
  CHECK(result.ok);
  CHECK(result.ptx.find(".entry") != std::string::npos);
  CHECK(result.ptx.find("div.") == std::string::npos);
  CHECK(result.ptx.find("rem.") == std::string::npos);
}

TEST_CASE("A kernel with one line for bands is assembled by NVRTC for every generation", "[nvrtc]") {
  for (const std::string generation : {"sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120"}) {
    const compiled result =
        compile(R"(
      #include <heddle/order/in_bands.hpp>
      extern "C" __global__ void number(unsigned* to) {
        const auto blockIdx = heddle::in_bands<64>();
        to[blockIdx.y * gridDim.x + blockIdx.x] = blockIdx.z;
      }
      extern "C" __global__ void number_back(unsigned* to, int width) {
        const auto blockIdx = heddle::in_bands({.width = width, .serpentine = true, .reversed = true});
        to[blockIdx.y * gridDim.x + blockIdx.x] = blockIdx.z;
      }
    )",
                generation.c_str(), {"--device-as-default-execution-space", "-ftz=true"});  // CuPy's
    INFO(generation << "\n" << result.log);
    CHECK(result.ok);
    CHECK(passes_warnings(result));
  }
}

TEST_CASE("A kernel over any scheduler is assembled by NVRTC for every generation", "[nvrtc]") {
  std::string schedulers;
  for (int kind = 0; kind < heddle::recipe::stream_k; ++kind) {
    std::string name = heddle::recipe::schedule_names[kind] + std::string("<any_order<>>");
    if (kind == heddle::recipe::late_ticket) name = "draws_late<ticket<any_order<>>>";
    schedulers += "template __global__ void walk(const __grid_constant__ " + name + ", int*);\n";
  }
  for (const char* generation : generations) {
    const compiled result = compile(R"(
      #include <heddle/heddle.hpp>
      template <heddle::tile_scheduler Scheduler>
      __global__ void walk(const __grid_constant__ Scheduler scheduler, int* visits) {
        __shared__ typename Scheduler::storage smem;
        for (const auto [row, col] : scheduler.tiles(smem)) visits[row] = col;
        if (threadIdx.x == 0) scheduler.start(smem, 1);
        __syncthreads();
        if (threadIdx.x == 0) for (const auto [row, col] : scheduler.lead(smem)) visits[row] = col;
        if (threadIdx.x == 32) for (const auto [row, col] : scheduler.follow(smem)) visits[row] = col;
      }
      using namespace heddle;
      template __global__ void walk(const __grid_constant__ ticket<clustered<row_major>>, int*);
      template __global__ void walk(const __grid_constant__ cluster_launch<clustered<row_major>>, int*);
      template __global__ void walk(const __grid_constant__ traced<ticket<clustered<row_major>>>, int*);
      template __global__ void walk(const __grid_constant__ traced<cluster_launch<cta_swizzle>>, int*);

      template <split_scheduler Scheduler>
      __global__ void add_up(const __grid_constant__ Scheduler scheduler, int* steps) {
        __shared__ typename Scheduler::storage smem;
        const auto arrivals = scheduler.enter();
        for (const auto [tile, begin, end, share] : scheduler.tiles(smem)) {
          if (share.count == 1 || arrivals.arrive(share)) steps[tile.row] = end - begin;
        }
      }
      template __global__ void add_up(const __grid_constant__ stream_k<cta_swizzle>, int*);
      template __global__ void add_up(const __grid_constant__ stream_k<clustered<hilbert>>, int*);
      template __global__ void add_up(const __grid_constant__ traced<stream_k<cta_swizzle>>, int*);
    )" + schedulers,
                                    generation);
    INFO(generation << "\n" << result.log);
    CHECK(result.ok);
    const bool blackwell = std::string(generation).find("sm_1") == 0;
    CHECK((result.ptx.find("clusterlaunchcontrol.try_cancel") != std::string::npos) == blackwell);
  }
}

TEST_CASE("A traced loop has no atomics fences or barriers and one store per tile in PTX", "[nvrtc]") {
  const compiled result = compile(R"(
    #include <heddle/schedule/strided.hpp>
    #include <heddle/trace/traced.hpp>
    template <heddle::tile_scheduler Scheduler>
    __global__ void walk(const __grid_constant__ Scheduler scheduler, int* visits) {
      __shared__ typename Scheduler::storage smem;
      for (const auto [row, col] : scheduler.tiles(smem)) visits[row] = col;
    }
    template __global__ void walk(const __grid_constant__ heddle::traced<heddle::strided<heddle::row_major>>, int*);
  )",
                                  "compute_90a", {"-DNDEBUG"});
  INFO(result.log);
  REQUIRE(result.ok);
  const auto count = [&](const std::string& text) {
    int found = 0;
    for (auto at = result.ptx.find(text); at != std::string::npos; at = result.ptx.find(text, at + 1)) ++found;
    return found;
  };
  for (const char* none : {"atom.", "\tred.", "membar", "fence", "bar.", "barrier"}) CHECK(count(none) == 0);
  CHECK(count("st.global.v2.u64") ==
        2 + 2 + 4);  // of a tile, also where it is left early; of the header; of the launch
}

TEST_CASE("A kernel over a launch box compiles under NVRTC with the entry of its architecture", "[nvrtc]") {
  const auto threads_for = [](const char* generation) {
    const compiled result = compile(R"(
      #include <heddle/heddle.hpp>
      struct box {
        struct params { int threads, min_blocks; };
        HEDDLE_FN params operator()(heddle::arch target) const {
          return heddle::box_match<params>(target, {{80, {96, 0}}, {90, {192, 0}}, {{90, 'a'}, {320, 2}}});
        }
      };
      template <heddle::launch_box Box>
      __global__ __launch_bounds__(heddle::box_params<Box>().threads, heddle::box_params<Box>().min_blocks) void kernel(int* out) {
        *out = heddle::box_params<Box>().threads;
      }
      template __global__ void kernel<box>(int*);
    )",
                                    generation);
    INFO(generation << "\n" << result.log);
    REQUIRE(result.ok);
    const auto bound = result.ptx.find(".maxntid ");
    REQUIRE(bound != std::string::npos);
    return std::stoi(result.ptx.substr(bound + 9));
  };
  CHECK(threads_for("compute_80") == 96);
  CHECK(threads_for("compute_89") == 96);
  CHECK(threads_for("compute_90") == 192);
  CHECK(threads_for("compute_90a") == 320);
  CHECK(threads_for("compute_120") == 192);
}

TEST_CASE("Two passes over any strategy of expansion are assembled by NVRTC for every generation", "[nvrtc]") {
  for (const char* generation : generations) {
    const compiled result = compile(R"(
    #include <heddle/heddle.hpp>
    template <heddle::expander Work>
    __global__ void first(const __grid_constant__ Work work, const unsigned* n) {
      __shared__ typename Work::push_storage smem;
      work.push(smem, threadIdx.x, n[threadIdx.x]);
    }
    template <heddle::granularity Granularity, heddle::expander Work>
    __global__ void second(const __grid_constant__ Work work, heddle::item* items) {
      __shared__ typename Work::storage smem;
      for (const auto [source, rank] : work.template items<Granularity>(smem)) items[source + rank] = {source, rank};
    }
    using namespace heddle;
    __global__ void all_levels(const __grid_constant__ levels work, unsigned* sum) {
      __shared__ static_shared<levels::storage> smem;
      work.run(smem, [&](unsigned source, unsigned rank, unsigned level) -> spawned {
        atomicAdd(sum, source + rank + level);
        return {source + rank, level < 3 ? 2u : 0u};
      });
    }
    __global__ void in_order(const __grid_constant__ ordered_levels<item> work, item* last) {
      __shared__ static_shared<ordered_levels<item>::storage> smem;
      work.run(
          smem, 32, 3, [](unsigned i) { return item{i, 0}; }, [](item each, unsigned level) { return each.rank + level; },
          [](item each, unsigned rank, unsigned) { return item{each.source, rank}; });
      *last = work.last().items[0];
    }
    template __global__ void first(const __grid_constant__ append, const unsigned*);
    template __global__ void first(const __grid_constant__ fixed<8>, const unsigned*);
    template __global__ void first(const __grid_constant__ packed_prefix, const unsigned*);
    template __global__ void first(const __grid_constant__ power_of_two, const unsigned*);
    template __global__ void first(const __grid_constant__ scanned, const unsigned*);
    template __global__ void second<granularity::thread>(const __grid_constant__ append, item*);
    template __global__ void second<granularity::thread>(const __grid_constant__ fixed<8>, item*);
    template __global__ void second<granularity::warp>(const __grid_constant__ packed_prefix, item*);
    template __global__ void second<granularity::thread>(const __grid_constant__ power_of_two, item*);
    template __global__ void second<granularity::block>(const __grid_constant__ scanned, item*);
  )",
                                    generation);
    INFO(generation << "\n" << result.log);
    CHECK(result.ok);
    CHECK(passes_warnings(result));
  }
}

TEST_CASE("The kernels of the Python examples compile under NVRTC", "[nvrtc]") {
  std::ifstream file(HEDDLE_SOURCE_DIR "/examples/python/transpose.cu");
  REQUIRE(file.good());
  const std::string source{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  // With the options that CuPy adds.
  const compiled result = compile(source, "compute_80", {"--device-as-default-execution-space", "-ftz=true"});
  INFO(result.log);
  CHECK(result.ok);
  CHECK(passes_warnings(result));
  // By the names that Python looks up.
  CHECK(result.ptx.find(".entry transpose(") != std::string::npos);
  CHECK(result.ptx.find(".entry build(") != std::string::npos);
}

TEST_CASE("Layout under NVRTC is the host's", "[nvrtc]") {
  // What the host builds is what the kernel reads.
  std::string source = "#include <heddle/heddle.hpp>\nusing namespace heddle;\n";
  const std::pair<const char*, std::size_t> on_host[] = {
      {"sizeof(row_major)", sizeof(heddle::row_major)},
      {"sizeof(cta_swizzle)", sizeof(heddle::cta_swizzle)},
      {"sizeof(dilated)", sizeof(heddle::dilated)},
      {"sizeof(clustered<hilbert>)", sizeof(heddle::clustered<heddle::hilbert>)},
      {"sizeof(packed_prefix)", sizeof(heddle::packed_prefix)},
      {"sizeof(scanned)", sizeof(heddle::scanned)},
      {"sizeof(append)", sizeof(heddle::append)},
      {"sizeof(fixed<8>)", sizeof(heddle::fixed<8>)},
      {"sizeof(power_of_two)", sizeof(heddle::power_of_two)},
      {"sizeof(tile_table)", sizeof(heddle::tile_table)},
      {"alignof(cta_swizzle)", alignof(heddle::cta_swizzle)},
  };
  for (const auto& [what, bytes] : on_host) {
    source += std::string("static_assert(") + what + " == " + std::to_string(bytes) + ");\n";
  }
  const compiled result = compile(source);
  INFO(result.log);
  CHECK(result.ok);
}

#include "sort.cuh"

namespace sort_bench {

// 128, 256 and 512 threads with 5 to 23 values, as far as a tile fits into 48 KB; then four that trade registers for
// blocks or blocks for registers.
std::vector<configuration<std::uint64_t>> configurations64() {
  return configurations_of<std::uint64_t,  //
                           shape<128, 5>, shape<128, 7>, shape<128, 9>, shape<128, 11>, shape<128, 15>, shape<128, 19>,
                           shape<128, 23>, shape<256, 5>, shape<256, 7>, shape<256, 9>, shape<256, 11>, shape<256, 15>,
                           shape<256, 19>, shape<256, 23>, shape<512, 5>, shape<512, 7>, shape<512, 9>,
                           shape<512, 11>,  //
                           shape<256, 7, 8>, shape<256, 9, 6>, shape<256, 11, 5>, shape<512, 9, 3>>();
}

}  // namespace sort_bench

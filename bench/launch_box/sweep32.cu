#include "sort.cuh"

namespace sort_bench {

// 128, 256 and 512 threads with 5 to 23 values; then four that trade registers for blocks or blocks for registers.
std::vector<configuration<std::uint32_t>> configurations32() {
  return configurations_of<std::uint32_t,  //
                           shape<128, 5>, shape<128, 7>, shape<128, 9>, shape<128, 11>, shape<128, 15>, shape<128, 19>,
                           shape<128, 23>, shape<256, 5>, shape<256, 7>, shape<256, 9>, shape<256, 11>, shape<256, 15>,
                           shape<256, 19>, shape<256, 23>, shape<512, 5>, shape<512, 7>, shape<512, 9>, shape<512, 11>,
                           shape<512, 15>, shape<512, 19>, shape<512, 23>, shape<256, 15, 6>, shape<256, 19, 5>,
                           shape<256, 19, 8>, shape<512, 15, 3>>();
}

}  // namespace sort_bench

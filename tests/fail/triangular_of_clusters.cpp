// expect: its first two arguments are orders of tiles, not of clusters

#include <heddle/order/clustered.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/order/triangular.hpp>

using clusters = heddle::clustered<heddle::row_major>;

unsigned long long bytes = sizeof(heddle::triangular<clusters, heddle::row_major>);

int main() {}

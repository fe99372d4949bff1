// expect: heddle::clustered: cluster.rows

#include <heddle/order/clustered.hpp>
#include <heddle/order/row_major.hpp>

constexpr heddle::clustered order{heddle::row_major{{64, 64}}, {0, 1}, {64, 64}};

int main() {}

// expect: heddle::clustered: its first argument is an order of clusters already

#include <heddle/order/clustered.hpp>
#include <heddle/order/row_major.hpp>

heddle::clustered inner{heddle::row_major{{2, 2}}, {2, 2}, {4, 4}};
heddle::clustered order{inner, {1, 1}, {2, 2}};

int main() {}

#include "methods.cuh"

std::vector<lists::method> lists::stores(const arrays& of, const list_counts& counts, char* state, char* dealt_state) {
  return methods_of<body::store>(of, counts, state, dealt_state);
}

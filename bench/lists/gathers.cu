#include "methods.cuh"

std::vector<lists::method> lists::gathers(const arrays& of, const list_counts& counts, char* state, char* dealt_state) {
  return methods_of<body::gather>(of, counts, state, dealt_state);
}

// expect: counts_arrivals

// A host compiler names the missing members, too.
#include "split_without_arrivals.cu"

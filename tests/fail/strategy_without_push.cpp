// expect: pushes

// A host compiler names the missing members, too.
#include "strategy_without_push.cu"

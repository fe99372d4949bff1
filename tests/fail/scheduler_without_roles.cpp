// expect: walks_in_roles

// A host compiler names the missing members, too.
#include "scheduler_without_roles.cu"

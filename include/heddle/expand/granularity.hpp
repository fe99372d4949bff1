#pragma once

#include <heddle/granularity.hpp>  // where it has moved to

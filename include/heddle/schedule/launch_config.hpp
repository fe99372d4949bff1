#pragma once

#include <heddle/launch/launch_config.hpp>  // where it has moved to

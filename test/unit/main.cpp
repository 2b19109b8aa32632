// Catch2 3 brings a main function in a library; version 2 makes one here.
#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_MAIN
#endif
#include "catch.hpp"

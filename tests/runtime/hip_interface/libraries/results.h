// What the programs of this folder share.
#pragma once
#include <cstdio>
#include <cstdlib>

inline int right = 0, wrong = 0;  // results

// Of a call whose status is 0 if it has succeeded; otherwise the program ends.
#define OK(call) \
  do { \
    if (const int status = static_cast<int>(call)) { \
      std::printf("line %d: %s gives %d\n", __LINE__, #call, status), std::exit(1); \
    } \
  } while (0)

/* Input that libwavesmith refuses, from C99: each call returns the status and one line with the words. */
#include <stdio.h>
#include <string.h>
#include <wavesmith/wavesmith.h>

static int failed;

static void refused(wavesmith_session* s, int line, int got, int status, const char* words) {
  const char* const error = wavesmith_error(s);
  if (got == status && *error && !strchr(error, '\n') && strstr(error, words)) return;
  fprintf(stderr, "line %d: status %d, '%s'; expected %d with '%s'\n", line, got, error, status, words);
  failed = 1;
}
static void holds(int line, int condition) {
  if (condition) return;
  fprintf(stderr, "line %d\n", line);
  failed = 1;
}
#define REFUSED(call, status, words) refused(s, __LINE__, call, status, words)
#define HOLDS(condition) holds(__LINE__, condition)

int main(void) {
  const uint64_t small[] = {2, 3}, huge[] = {1, (uint64_t)1 << 40}, overflow[] = {(uint64_t)1 << 63, 4},
                 none[] = {0, 3};
  const float x[6] = {1, 2, 3, 4, 5, 6};
  const char* type;
  const uint64_t* shape;
  size_t rank, size;
  wavesmith_session* const s = wavesmith_open();
  HOLDS(s != NULL);
  HOLDS(strlen(wavesmith_version()) > 0);
  HOLDS(strstr(wavesmith_operations(), "\"time_gemm\"") != NULL);

  REFUSED(wavesmith_put(s, NULL, "", 0), WAVESMITH_BAD_INPUT, "file 'NULL'");
  REFUSED(wavesmith_put(s, "../k.s", "", 0), WAVESMITH_BAD_INPUT, "../k.s");
  REFUSED(wavesmith_put(s, "a\nb", "", 0), WAVESMITH_BAD_INPUT, "plain name");
  REFUSED(wavesmith_put(s, "k.s", NULL, 1), WAVESMITH_BAD_INPUT, "bytes is NULL");
  REFUSED(wavesmith_put(s, "k.s", "", (size_t)-1), WAVESMITH_BAD_INPUT, "too large");
  REFUSED(wavesmith_put_array(s, "x.npy", "bf16", 2, small, x), WAVESMITH_BAD_INPUT, "type 'bf16'");
  REFUSED(wavesmith_put_array(s, "x.npy", NULL, 2, small, x), WAVESMITH_BAD_INPUT, "type 'NULL'");
  REFUSED(wavesmith_put_array(s, "x.npy", "f4", 2, NULL, x), WAVESMITH_BAD_INPUT, "shape is NULL");
  REFUSED(wavesmith_put_array(s, "x.npy", "f4", 33, small, x), WAVESMITH_BAD_INPUT, "33 dimensions");
  REFUSED(wavesmith_put_array(s, "x.npy", "f4", 2, huge, x), WAVESMITH_BAD_INPUT, "too large");
  REFUSED(wavesmith_put_array(s, "x.npy", "f4", 2, overflow, x), WAVESMITH_BAD_INPUT, "too large");
  REFUSED(wavesmith_put_array(s, "x.npy", "f4", 2, small, NULL), WAVESMITH_BAD_INPUT, "elements is NULL");
  HOLDS(wavesmith_file_count(s) == 0);

  REFUSED(wavesmith_call(s, NULL, NULL), WAVESMITH_BAD_INPUT, "operation 'NULL'");
  REFUSED(wavesmith_call(s, "serve", NULL), WAVESMITH_BAD_INPUT, "operation 'serve' is unknown, legal:");
  REFUSED(wavesmith_call(s, "gemm", "{"), WAVESMITH_BAD_INPUT, "not JSON");
  REFUSED(wavesmith_call(s, "gemm", "[1]"), WAVESMITH_BAD_INPUT, "not an object");
  REFUSED(wavesmith_call(s, "gemm", "{\"tiles\": 1}"), WAVESMITH_BAD_INPUT, "argument 'tiles' is unknown, legal:");
  REFUSED(wavesmith_call(s, "gemm", "{\"tile\": \"64\"}"), WAVESMITH_BAD_INPUT, "64");
  REFUSED(wavesmith_call(s, "gemm", "{\"arch\": \"gfx1\"}"), WAVESMITH_BAD_INPUT, "gfx1");
  REFUSED(wavesmith_call(s, "check", "{\"file\": [\"/etc/passwd\"]}"), WAVESMITH_BAD_INPUT, "/etc/passwd");
  HOLDS(strcmp(wavesmith_result(s), "null") == 0);
  HOLDS(wavesmith_put(s, "k.s", "\0\xff{", 3) == WAVESMITH_GOOD);
  REFUSED(wavesmith_call(s, "check", "{\"file\": [\"k.s\"], \"arch\": \"gfx942\"}"), WAVESMITH_BAD_INPUT, "k.s");
  HOLDS(wavesmith_get_array(s, "k.s", NULL, NULL, NULL) == NULL);
  REFUSED(WAVESMITH_BAD_INPUT, WAVESMITH_BAD_INPUT, "k.s");
  HOLDS(wavesmith_get_array(s, NULL, NULL, NULL, NULL) == NULL);
  REFUSED(WAVESMITH_BAD_INPUT, WAVESMITH_BAD_INPUT, "does not exist");
  HOLDS(wavesmith_get(s, "none", &size) == NULL && size == 0);
  HOLDS(wavesmith_get(s, NULL, NULL) == NULL);
  HOLDS(wavesmith_file_name(s, 1) == NULL);

  /* An array comes back as it went in; a transposed one in C order; one of no elements. */
  HOLDS(wavesmith_put_array(s, "x.npy", "f4", 2, small, x) == WAVESMITH_GOOD);
  HOLDS(memcmp(wavesmith_get_array(s, "x.npy", &type, &rank, &shape), x, sizeof x) == 0);
  HOLDS(strcmp(type, "f4") == 0 && rank == 2 && shape[0] == 2 && shape[1] == 3);
  {
    char npy[128 + 6] = "\x93NUMPY\1\0\x76\0{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }";
    for (size = 10; size < 128; ++size)
      if (!npy[size]) npy[size] = ' ';
    npy[127] = '\n';
    memcpy(npy + 128, "adbecf", 6);
    HOLDS(wavesmith_put(s, "f.npy", npy, sizeof npy) == WAVESMITH_GOOD);
    HOLDS(wavesmith_get_array(s, "f.npy", NULL, NULL, NULL) &&
          memcmp(wavesmith_get_array(s, "f.npy", NULL, NULL, NULL), "abcdef", 6) == 0);
  }
  HOLDS(wavesmith_put_array(s, "x.npy", "f4", 2, none, NULL) == WAVESMITH_GOOD);
  HOLDS(wavesmith_get_array(s, "x.npy", NULL, NULL, NULL) != NULL);

  HOLDS(wavesmith_put(NULL, "k.s", "", 0) == WAVESMITH_BAD_INPUT);
  HOLDS(wavesmith_call(NULL, "isa", NULL) == WAVESMITH_BAD_INPUT);
  HOLDS(strcmp(wavesmith_error(NULL), "the session is NULL") == 0);
  HOLDS(strcmp(wavesmith_result(NULL), "null") == 0 && strcmp(wavesmith_notes(NULL), "") == 0);
  HOLDS(wavesmith_file_count(NULL) == 0 && wavesmith_file_name(NULL, 0) == NULL);
  HOLDS(wavesmith_get(NULL, "k.s", &size) == NULL && wavesmith_get_array(NULL, "k.s", NULL, NULL, NULL) == NULL);
  wavesmith_close(s);
  wavesmith_close(NULL);
  return failed;
}

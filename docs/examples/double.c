/* A kernel from C (docs/guide/c_and_python.md): double FILE runs the kernel of FILE, which doubles 64 numbers, and
 * prints the last one. Exit status: that of wavesmith. */
#include <stdio.h>
#include <wavesmith/wavesmith.h>

int main(int argc, char** argv) {
  static char text[1 << 16];
  float x[64];
  const uint64_t shape[] = {64};
  FILE* const file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  const size_t size = file ? fread(text, 1, sizeof text, file) : 0;
  wavesmith_session* const s = wavesmith_open();
  int i, status;
  if (file) fclose(file);
  for (i = 0; i < 64; ++i) x[i] = (float)i;
  status = wavesmith_put(s, "k.s", text, size);
  if (!status) status = wavesmith_put_array(s, "x.npy", "f4", 1, shape, x);
  if (!status)
    status = wavesmith_call(s, "run",
                            "{\"file\": [\"k.s\"], \"grid\": \"1\", \"block\": \"64\", \"buffer\": [\"x=inout:x.npy\"],"
                            " \"arg\": [\"ptr:x\"]}");
  if (status) fprintf(stderr, "%s%s\n", wavesmith_error(s), wavesmith_result(s));
  else printf("%g\n", ((const float*)wavesmith_get_array(s, "x.npy", NULL, NULL, NULL))[63]);
  wavesmith_close(s);
  return status;
}

/* A benchmark kit's host program: runs the kernels that cases.txt lists on a GPU, in turn with rocBLAS and hipBLASLt
   where they are installed, and writes results.csv for `wavesmith bench import`. One C file; the HIP runtime is loaded
   when it runs. cases.txt is words: `case ID TARGET NAME`, then its buffers, kernel, arguments, expected values, `end`.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { most_buffers = 64, most_kernargs = 65536, most_expected = 256, most_samples = 1000, most_name = 1024 };

static struct hip_calls hip;
static struct blas_library libraries[2];
static const char* const library_names[2] = {"rocblas", "hipblaslt"};

static void stop(int status, const char* what, const char* detail) {
  fprintf(stderr, "bench: %s%s%s\n", what, *detail ? ": " : "", detail);
  exit(status);
}
static void check(int error, const char* what) {
  if (error) stop(3, what, hip.hipGetErrorName(error));
}

/* -- cases.txt -- */
struct buffer {
  uint64_t bytes;
  int zero; /* or elements of `values` at random: element i is values[kit_hash(seed, i) % count] */
  uint32_t seed, width, count;
  unsigned char* values;
  unsigned char* host; /* the initial contents */
};
struct expected {
  uint64_t element;
  double value, allowed;
};
struct test_case {
  int id;
  char target[64], name[most_name], file[most_name], kernel[most_name], type[16];
  unsigned grid[3], block[3], lds;
  struct buffer buffers[most_buffers];
  int count;
  unsigned char kernargs[most_kernargs];
  uint32_t kernarg_bytes;
  struct {
    uint32_t at;
    int buffer;
  } pointers[most_buffers];
  int pointer_count;
  int result; /* the buffer of the expected values, of this type */
  struct expected expected[most_expected];
  int expected_count;
  int is_gemm, a, b, c, d;
  struct blas_gemm gemm;
  char types[4][16];
};

static void word(FILE* f, char* text, int size) {
  char format[16];
  snprintf(format, sizeof format, "%%%ds", size - 1);
  if (fscanf(f, format, text) != 1) stop(2, "cases.txt", "it ends within a case");
}
static double number(FILE* f) {
  char text[64];
  word(f, text, sizeof text);
  return strtod(text, NULL);
}
static uint64_t count_of(FILE* f, uint64_t most, const char* what) {
  char text[64];
  word(f, text, sizeof text);
  const uint64_t n = strtoull(text, NULL, 10);
  if (n > most) stop(2, "cases.txt: too large", what);
  return n;
}
static void bytes_of(FILE* f, unsigned char* to, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    unsigned byte;
    if (fscanf(f, "%2x", &byte) != 1) stop(2, "cases.txt", "bytes are missing");
    to[i] = (unsigned char)byte;
  }
}
static void* room(uint64_t bytes) {
  void* p = malloc(bytes ? bytes : 1);
  if (!p) stop(3, "out of memory", "");
  return p;
}

static uint32_t kit_hash(uint32_t seed, uint64_t i) {
  uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u + seed;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (uint32_t)(x >> 33);
}
static void read_buffer(FILE* f, struct buffer* b) {
  char kind[16];
  memset(b, 0, sizeof *b);
  b->bytes = count_of(f, (uint64_t)1 << 40, "a buffer");
  word(f, kind, sizeof kind);
  b->zero = strcmp(kind, "zero") == 0;
  if (b->zero) return;
  if (strcmp(kind, "elements") == 0) {
    b->seed = (uint32_t)count_of(f, UINT32_MAX, "a seed");
    b->width = (uint32_t)count_of(f, 8, "an element");
    b->count = (uint32_t)count_of(f, 4096, "values");
    if (!b->width || !b->count) stop(2, "cases.txt", "elements without values");
  } else b->width = (uint32_t)b->bytes, b->count = 1; /* bytes */
  b->values = (unsigned char*)room((uint64_t)b->width * b->count);
  bytes_of(f, b->values, (uint64_t)b->width * b->count);
}
static void fill(struct buffer* b) {
  b->host = (unsigned char*)room(b->bytes);
  memset(b->host, 0, b->bytes);
  if (!b->zero && b->count == 1 && b->width == b->bytes) memcpy(b->host, b->values, b->bytes);
  else if (!b->zero)
    for (uint64_t i = 0; (i + 1) * b->width <= b->bytes; ++i)
      memcpy(b->host + i * b->width, b->values + (uint64_t)(kit_hash(b->seed, i) % b->count) * b->width, b->width);
}

static void read_gemm(FILE* f, struct test_case* c) {
  struct blas_gemm* g = &c->gemm;
  c->is_gemm = 1;
  g->trans_a = (int)number(f), g->trans_b = (int)number(f);
  g->m = (int64_t)number(f), g->n = (int64_t)number(f), g->k = (int64_t)number(f), g->batch = (int64_t)number(f);
  g->alpha = number(f), g->beta = number(f);
  struct blas_matrix* const all[4] = {&g->a, &g->b, &g->c, &g->d};
  int* const buffers[4] = {&c->a, &c->b, &c->c, &c->d};
  for (int i = 0; i < 4; ++i) {
    word(f, c->types[i], sizeof c->types[i]);
    all[i]->type = c->types[i];
    all[i]->ld = (int64_t)number(f), all[i]->stride = (int64_t)number(f);
    *buffers[i] = (int)count_of(f, most_buffers - 1, "a matrix's buffer");
  }
}

/* False: there are no more. */
static int read_case(FILE* f, struct test_case* c) {
  char key[32];
  memset(c, 0, sizeof *c);
  if (fscanf(f, "%31s", key) != 1) return 0;
  if (strcmp(key, "case") != 0) stop(2, "cases.txt: not a case", key);
  c->id = (int)number(f);
  word(f, c->target, sizeof c->target), word(f, c->name, sizeof c->name);
  for (;;) {
    word(f, key, sizeof key);
    if (strcmp(key, "end") == 0) return 1;
    if (strcmp(key, "buffer") == 0) {
      if (c->count == most_buffers) stop(2, "cases.txt", "too many buffers");
      read_buffer(f, &c->buffers[c->count++]);
    } else if (strcmp(key, "kernel") == 0) {
      word(f, c->file, sizeof c->file), word(f, c->kernel, sizeof c->kernel);
      for (int i = 0; i < 3; ++i) c->grid[i] = (unsigned)number(f);
      for (int i = 0; i < 3; ++i) c->block[i] = (unsigned)number(f);
      c->lds = (unsigned)number(f);
    } else if (strcmp(key, "arguments") == 0) {
      c->kernarg_bytes = (uint32_t)count_of(f, most_kernargs, "arguments");
      bytes_of(f, c->kernargs, c->kernarg_bytes);
    } else if (strcmp(key, "pointer") == 0) {
      if (c->pointer_count == most_buffers) stop(2, "cases.txt", "too many pointers");
      c->pointers[c->pointer_count].at = (uint32_t)count_of(f, most_kernargs - 8, "a pointer");
      c->pointers[c->pointer_count++].buffer = (int)count_of(f, most_buffers - 1, "a pointer's buffer");
    } else if (strcmp(key, "result") == 0) {
      c->result = (int)count_of(f, most_buffers - 1, "the result's buffer");
      word(f, c->type, sizeof c->type);
    } else if (strcmp(key, "expect") == 0) {
      if (c->expected_count == most_expected) stop(2, "cases.txt", "too many expected values");
      struct expected* e = &c->expected[c->expected_count++];
      e->element = count_of(f, (uint64_t)1 << 40, "an element"), e->value = number(f), e->allowed = number(f);
    } else if (strcmp(key, "gemm") == 0) read_gemm(f, c);
    else stop(2, "cases.txt: not understood", key);
  }
}

/* -- Numbers -- */
static double decode(const unsigned char* at, const char* type) {
  uint16_t half;
  uint32_t bits;
  int32_t i32;
  float f;
  double d;
  if (strcmp(type, "f64") == 0) return memcpy(&d, at, 8), d;
  if (strcmp(type, "i32") == 0) return memcpy(&i32, at, 4), i32;
  if (strcmp(type, "f32") == 0) return memcpy(&f, at, 4), f;
  memcpy(&half, at, 2);
  if (strcmp(type, "bf16") == 0) return bits = (uint32_t)half << 16, memcpy(&f, &bits, 4), f;
  const int exponent = half >> 10 & 31, mantissa = half & 1023; /* f16 */
  const double size = exponent == 31  ? (mantissa ? NAN : INFINITY)
                      : exponent == 0 ? ldexp(mantissa, -24)
                                      : ldexp(1024 + mantissa, exponent - 25);
  return half >> 15 ? -size : size;
}
static int width_of(const char* type) {
  return strcmp(type, "f64") == 0 ? 8 : strcmp(type, "f32") == 0 || strcmp(type, "i32") == 0 ? 4 : 2;
}
/* The largest error, as a share of what is allowed; negative: nothing is expected. */
static double worst_share(const struct test_case* c, void* const* device) {
  double worst = c->expected_count ? 0 : -1;
  for (int i = 0; i < c->expected_count; ++i) {
    const struct expected* e = &c->expected[i];
    unsigned char raw[8];
    const int width = width_of(c->type);
    if ((e->element + 1) * (uint64_t)width > c->buffers[c->result].bytes)
      stop(2, "cases.txt", "an element beyond its buffer");
    check(hip.hipMemcpy(raw, (char*)device[c->result] + e->element * (uint64_t)width, (size_t)width, hip_to_host),
          "hipMemcpy");
    const double error = fabs(decode(raw, c->type) - e->value) / (e->allowed > 0 ? e->allowed : 1e-300);
    if (!(error <= worst)) worst = error == error ? error : INFINITY;
  }
  return worst;
}

/* -- Running -- */
struct copy {
  void* device[most_buffers];
  unsigned char kernargs[most_kernargs];
};
struct implementation {
  const char* name;
  const char* version;
  struct blas_library* library; /* NULL: the kernel */
  struct blas_plan plan;
  uint64_t iterations;
  double error, us[most_samples];
};
struct run {
  const struct test_case* c;
  void* function;
  struct copy* copies;
  uint64_t copy_count;
};

static void upload(const struct test_case* c, struct copy* to) {
  memcpy(to->kernargs, c->kernargs, c->kernarg_bytes);
  for (int i = 0; i < c->count; ++i) {
    const struct buffer* b = &c->buffers[i];
    check(hip.hipMalloc(&to->device[i], b->bytes ? b->bytes : 1), "hipMalloc");
    check(hip.hipMemcpy(to->device[i], b->host, b->bytes, hip_to_device), "hipMemcpy");
  }
  for (int i = 0; i < c->pointer_count; ++i) { /* the buffer's number above 40 bits of an offset in it */
    uint64_t at;
    memcpy(&at, c->kernargs + c->pointers[i].at, 8);
    at = (uint64_t)(uintptr_t)to->device[c->pointers[i].buffer] + (at & (((uint64_t)1 << 40) - 1));
    memcpy(to->kernargs + c->pointers[i].at, &at, 8);
  }
}
static void enqueue(const struct run* r, struct implementation* i) {
  const struct test_case* c = r->c;
  struct copy* on = &r->copies[i->iterations++ % r->copy_count];
  if (i->library) {
    const struct blas_pointers at = {on->device[c->a], on->device[c->b], on->device[c->c], on->device[c->d]};
    if (!blas_enqueue(i->library, &i->plan, &at)) stop(3, i->name, i->library->error);
    return;
  }
  size_t size = c->kernarg_bytes;
  void* extra[] = {HIP_EXTRA_POINTER, on->kernargs, HIP_EXTRA_SIZE, &size, HIP_EXTRA_END};
  check(hip.hipModuleLaunchKernel(r->function, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1],
                                  c->block[2], c->lds, NULL, NULL, extra),
        "hipModuleLaunchKernel");
}
static double seconds(const struct run* r, struct implementation* i, int times, void* const* events) {
  float milliseconds = 0;
  check(hip.hipEventRecord(events[0], NULL), "hipEventRecord");
  for (int n = 0; n < times; ++n) enqueue(r, i);
  check(hip.hipEventRecord(events[1], NULL), "hipEventRecord");
  check(hip.hipEventSynchronize(events[1]), "running the kernel");
  check(hip.hipEventElapsedTime(&milliseconds, events[0], events[1]), "hipEventElapsedTime");
  return milliseconds * 1e-3;
}
static void check_result(const struct run* r, struct implementation* i) {
  const struct buffer* d = &r->c->buffers[r->c->result];
  check(hip.hipMemcpy(r->copies[0].device[r->c->result], d->host, d->bytes, hip_to_device), "hipMemcpy");
  i->iterations = 0;
  enqueue(r, i);
  check(hip.hipDeviceSynchronize(), "running the kernel");
  i->error = worst_share(r->c, r->copies[0].device);
}

struct options {
  int cold, hot, rounds;
  uint64_t rotating;
};
static void* load(const char* file, uint64_t* bytes) {
  FILE* f = fopen(file, "rb");
  if (!f || fseek(f, 0, SEEK_END)) stop(2, file, strerror(errno));
  *bytes = (uint64_t)ftell(f);
  rewind(f);
  void* all = room(*bytes);
  if (fread(all, 1, *bytes, f) != *bytes) stop(2, file, "cannot read");
  fclose(f);
  return all;
}

/* True: every result is right. */
static int run_case(struct test_case* c, const struct options* o, FILE* out) {
  static struct implementation all[3];
  struct run r = {c, NULL, NULL, 1};
  void *module = NULL, *events[2];
  uint64_t bytes = 0, total = 0;
  int count = 1, right = 1;
  void* image = load(c->file, &bytes);
  check(hip.hipModuleLoadData(&module, image), c->file);
  check(hip.hipModuleGetFunction(&r.function, module, c->kernel), c->kernel);
  for (int i = 0; i < 2; ++i) check(hip.hipEventCreate(&events[i]), "hipEventCreate");
  for (int i = 0; i < c->count; ++i) total += c->buffers[i].bytes;
  for (int i = 0; i < c->count; ++i) fill(&c->buffers[i]);
  if (total) r.copy_count = (o->rotating + total - 1) / total;
  if (!r.copy_count) r.copy_count = 1;
  r.copies = (struct copy*)room(r.copy_count * sizeof *r.copies);
  for (uint64_t i = 0; i < r.copy_count; ++i) upload(c, &r.copies[i]);
  memset(all, 0, sizeof all);
  all[0].name = "wavesmith", all[0].version = "";
  for (int i = 0; c->is_gemm && i < 2; ++i) {
    struct blas_library* library = &libraries[i];
    struct implementation* peer = &all[count];
    if (!library->handle) continue;
    const struct blas_pointers at = {r.copies[0].device[c->a], r.copies[0].device[c->b], r.copies[0].device[c->c],
                                     r.copies[0].device[c->d]};
    if (!blas_prepare(library, &peer->plan, &c->gemm) || !blas_enqueue(library, &peer->plan, &at)) {
      fprintf(stderr, "bench: case %d: %s is left out: %s\n", c->id, library_names[i], library->error);
      blas_forget(library, &peer->plan);
      continue;
    }
    peer->name = library_names[i], peer->version = library->version, peer->library = library;
    ++count;
  }
  for (int i = 0; i < count; ++i) check_result(&r, &all[i]);
  for (int round = 0; round < o->rounds; ++round)
    for (int i = 0; i < count; ++i) {
      seconds(&r, &all[i], o->cold, events);
      all[i].us[round] = seconds(&r, &all[i], o->hot, events) / o->hot * 1e6;
    }
  for (int i = 0; i < count; ++i) {
    if (all[i].error > 1)
      right = 0,
      fprintf(stderr, "bench: case %d: %s: WRONG: %g of the error allowed\n", c->id, all[i].name, all[i].error);
    for (int round = 0; round < o->rounds; ++round)
      fprintf(out, "%d,%s,%s,%d,%.6g,%.3g\n", c->id, all[i].name, all[i].version, round, all[i].us[round],
              all[i].error);
    printf("%4d %-10s %12.3f us  %s\n", c->id, all[i].name, all[i].us[o->rounds - 1], c->name);
    if (all[i].library) blas_forget(all[i].library, &all[i].plan);
  }
  for (uint64_t i = 0; i < r.copy_count; ++i)
    for (int b = 0; b < c->count; ++b) check(hip.hipFree(r.copies[i].device[b]), "hipFree");
  for (int i = 0; i < c->count; ++i) free(c->buffers[i].host);
  for (int i = 0; i < 2; ++i) check(hip.hipEventDestroy(events[i]), "hipEventDestroy");
  check(hip.hipModuleUnload(module), "hipModuleUnload");
  free(r.copies), free(image);
  return right;
}

static int option(int argc, char** argv, const char* name, int least, int most, int value) {
  for (int i = 1; i + 1 < argc; ++i)
    if (strcmp(argv[i], name) == 0) {
      char* end;
      const long n = strtol(argv[i + 1], &end, 10);
      if (*end || n < least || n > most) stop(2, name, "out of range");
      value = (int)n;
    }
  return value;
}

int main(int argc, char** argv) {
  if (argc > 1 && (argc % 2 == 0 || strcmp(argv[1], "--help") == 0)) {
    printf("usage: run.sh [--device N] [-i ITERATIONS] [-j COLD_ITERATIONS] [--rounds N] [--rotating MIB]\n");
    return strcmp(argv[1], "--help") == 0 ? 0 : 2;
  }
  static const char* const known[] = {"--device", "-i", "-j", "--rounds", "--rotating"};
  for (int i = 1; i < argc; i += 2) {
    int found = 0;
    for (int n = 0; n < 5; ++n) found |= strcmp(argv[i], known[n]) == 0;
    if (!found) stop(2, argv[i], "unknown, legal: --device -i -j --rounds --rotating");
  }
  const struct options o = {option(argc, argv, "-j", 0, 1000000, 2), option(argc, argv, "-i", 1, 1000000, 10),
                            option(argc, argv, "--rounds", 1, most_samples, 5),
                            (uint64_t)option(argc, argv, "--rotating", 0, 1 << 20, 0) << 20};
  const int device = option(argc, argv, "--device", 0, 1 << 20, 0);
  const char* missing = hip_load(&hip);
  if (missing) stop(3, *missing ? "the HIP runtime lacks" : "the HIP runtime (libamdhip64) is not installed", missing);
  int count = 0, version = 0, khz = 0, right = 1, ran = 0;
  check(hip.hipGetDeviceCount(&count), "looking for a GPU");
  check(hip.hipSetDevice(device), "hipSetDevice");
  char* properties = (char*)room(hip_properties_bytes);
  memset(properties, 0, hip_properties_bytes);
  check(hip.properties(properties, device), hip.layout->function);
  hip.hipRuntimeGetVersion(&version);
  memcpy(&khz, properties + hip.layout->khz, sizeof khz);
  char target[256];
  snprintf(target, sizeof target, "%.255s", properties + hip.layout->target);
  target[strcspn(target, ":")] = 0;
  for (int i = 0; i < 2; ++i)
    if (!blas_open(&libraries[i], library_names[i], &hip)) {
      fprintf(stderr, "bench: %s is left out: %s\n", library_names[i], libraries[i].error);
      libraries[i].handle = NULL;
    }
  FILE *in = fopen("cases.txt", "r"), *out = fopen("results.csv.part", "w");
  if (!in) stop(2, "cases.txt", strerror(errno));
  if (!out) stop(2, "results.csv.part", strerror(errno));
  fprintf(out,
          "# gpu %.255s\n# target %.255s\n# clock_MHz %d\n# hip %d\n# iters %d\n# cold_iters %d\n# rounds %d\n# "
          "rotating %d\n",
          properties, properties + hip.layout->target, khz / 1000, version, o.hot, o.cold, o.rounds,
          (int)(o.rotating >> 20));
  fprintf(out, "case,implementation,version,round,us,error\n");
  struct test_case* c = (struct test_case*)room(sizeof *c);
  while (read_case(in, c)) {
    if (strcmp(c->target, target) != 0)
      fprintf(stderr, "bench: case %d is for %s, the GPU is a %s: left out\n", c->id, c->target, target);
    else right &= run_case(c, &o, out), ++ran;
    for (int i = 0; i < c->count; ++i) free(c->buffers[i].values);
  }
  if (fclose(out)) stop(3, "results.csv.part", strerror(errno));
  if (!ran) stop(2, "no case is for this GPU", target);
  if (rename("results.csv.part", "results.csv")) stop(3, "results.csv", strerror(errno));
  printf("%d cases in results.csv%s\n", ran, right ? "" : ", some of them WRONG");
  return right ? 0 : 1;
}

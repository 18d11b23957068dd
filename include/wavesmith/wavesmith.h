/* wavesmith for programs in C and whatever calls C: libwavesmith, the operations behind `wavesmith serve`.
 *
 * An operation is a command of the program (run, check, gemm) or one below it (time_gemm: `wavesmith time gemm`). Its
 * arguments are a JSON object of the command's options, its result is the document that --json prints. Files are in
 * memory, in a session: arguments name files that were put, operations write theirs beside them, and no name reaches
 * the file system (but the cache of GEMM choices; device "hip" loads the HIP runtime).
 *
 * Status: what most functions return. wavesmith_error has the reason, one line.
 * Ownership: pointers that are passed are read during the call alone. Pointers that are returned belong to the session
 * and are valid until it is passed to a function without const. wavesmith_version and wavesmith_operations return
 * constants.
 * Threads: sessions are independent; a session is used by one thread at a time. An operation uses threads of its own.
 * Nothing throws, exits or prints. An operation runs in this process without limits on time and memory: for kernels of
 * strangers, `wavesmith serve` gives each call a process and limits. */
#ifndef WAVESMITH_WAVESMITH_H
#define WAVESMITH_WAVESMITH_H
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define WAVESMITH_EXPORT __attribute__((visibility("default")))
#else
#define WAVESMITH_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum {
  WAVESMITH_GOOD = 0,
  WAVESMITH_NO = 1,        /* a fault, a finding or a wrong result; the result describes it */
  WAVESMITH_BAD_INPUT = 2, /* arguments or files are wrong */
  WAVESMITH_MACHINE = 3    /* memory, threads, no such device */
};

WAVESMITH_EXPORT const char* wavesmith_version(void); /* of the library: "0.1" */
/* All operations: a JSON array of {"name", "description", "input"}, where input is the JSON Schema of the arguments.
 * NULL: no memory */
WAVESMITH_EXPORT const char* wavesmith_operations(void);

typedef struct wavesmith_session wavesmith_session;
WAVESMITH_EXPORT wavesmith_session* wavesmith_open(void);  /* NULL: no memory */
WAVESMITH_EXPORT void wavesmith_close(wavesmith_session*); /* NULL: nothing */

/* Copies a file into the session; one of this name is replaced. Names: letters, digits and _ - + . inside, up to 100.
 * bytes may be NULL if size is 0. */
WAVESMITH_EXPORT int wavesmith_put(wavesmith_session*, const char* name, const void* bytes, size_t size);
/* Copies an array, which operations see as an .npy file. type: f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8, kind and bytes, as in
 * NumPy; a type that NumPy lacks (bf16, fp8) goes as its bits in u1 or u2. shape: rank lengths, up to 32 of them; may
 * be NULL if rank is 0 (one element). Elements are contiguous, the last index runs fastest. */
WAVESMITH_EXPORT int wavesmith_put_array(wavesmith_session*, const char* name, const char* type, size_t rank,
                                         const uint64_t* shape, const void* elements);

/* Runs an operation on the session's files. arguments: a JSON object as the schema says ("json": false gives the text
 * for people as a string); NULL for none. */
WAVESMITH_EXPORT int wavesmith_call(wavesmith_session*, const char* operation, const char* arguments);
/* What the last wavesmith_call found, as JSON; "null" if it found nothing. */
WAVESMITH_EXPORT const char* wavesmith_result(const wavesmith_session*);
/* Why the last function of this session has no result, one line; "" if it has one. */
WAVESMITH_EXPORT const char* wavesmith_error(const wavesmith_session*);
/* Warnings of the last wavesmith_call, a line each. */
WAVESMITH_EXPORT const char* wavesmith_notes(const wavesmith_session*);

/* The session's files, sorted by name: those that were put and those that operations wrote. */
WAVESMITH_EXPORT size_t wavesmith_file_count(const wavesmith_session*);
WAVESMITH_EXPORT const char* wavesmith_file_name(const wavesmith_session*, size_t number); /* NULL: no such */
/* A file's bytes, size of them. NULL: no such file. size may be NULL. */
WAVESMITH_EXPORT const void* wavesmith_get(const wavesmith_session*, const char* name, size_t* size);
/* An .npy file's elements, as wavesmith_put_array takes them; shape has rank lengths. NULL: wavesmith_error says why.
 * type, rank and shape may be NULL. */
WAVESMITH_EXPORT const void* wavesmith_get_array(wavesmith_session*, const char* name, const char** type, size_t* rank,
                                                 const uint64_t** shape);

#ifdef __cplusplus
}
#endif
#endif

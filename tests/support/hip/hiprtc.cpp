// A stand-in for libhiprtc: the program named by HIPCC compiles a source for the current device's target. Results stay
// in the folder named by HIPRTC_CACHE, under the source's hash.
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

struct _hiprtcProgram {
  std::string source, log, code;
};

namespace {

std::string text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
std::string target() {
  hipDeviceProp_t properties;
  if (hipGetDeviceProperties(&properties, 0) != hipSuccess) return "none";
  const std::string name = properties.gcnArchName;
  return name.substr(0, name.find(':'));
}

}  // namespace

extern "C" {
hiprtcResult hiprtcCreateProgram(hiprtcProgram* program, const char* source, const char*, int, const char**,
                                 const char**) {
  return *program = new _hiprtcProgram{source, "", ""}, HIPRTC_SUCCESS;
}
hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int count, const char** options) {
  std::string flags = "--genco -O3 -include hip/hip_runtime.h --offload-arch=" + target();
  for (int i = 0; i < count; ++i) flags += std::string(" ") + options[i];
  const std::string base = std::string(std::getenv("HIPRTC_CACHE")) + "/" +
                           std::to_string(std::hash<std::string>()(flags + program->source)),
                    object = base + ".co", log = base + ".log";
  if (access(object.c_str(), R_OK) != 0) {
    std::ofstream(base + ".hip") << program->source;
    const std::string unfinished = base + "." + std::to_string(getpid()),
                      command = std::string(std::getenv("HIPCC")) + " " + flags + " " + base + ".hip -o " + unfinished +
                                " 2>" + log;
    if (std::system(command.c_str()) != 0) return program->log = text(log), HIPRTC_ERROR_COMPILATION;
    std::rename(unfinished.c_str(), object.c_str());
  }
  return program->code = text(object), HIPRTC_SUCCESS;
}
hiprtcResult hiprtcGetCodeSize(hiprtcProgram program, size_t* bytes) {
  return *bytes = program->code.size(), HIPRTC_SUCCESS;
}
hiprtcResult hiprtcGetCode(hiprtcProgram program, char* to) {
  return program->code.copy(to, program->code.size()), HIPRTC_SUCCESS;
}
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram program, size_t* bytes) {
  return *bytes = program->log.size() + 1, HIPRTC_SUCCESS;
}
hiprtcResult hiprtcGetProgramLog(hiprtcProgram program, char* to) {
  return to[program->log.copy(to, program->log.size())] = '\0', HIPRTC_SUCCESS;
}
hiprtcResult hiprtcDestroyProgram(hiprtcProgram* program) {
  return delete *program, *program = nullptr, HIPRTC_SUCCESS;
}
const char* hiprtcGetErrorString(hiprtcResult r) { return r == HIPRTC_SUCCESS ? "success" : "not compiled"; }
}

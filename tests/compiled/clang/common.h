// What OpenCL's device library would define: the kernels are compiled without one (-nogpulib), on clang's builtins
// alone.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define LANE_X __builtin_amdgcn_workitem_id_x()
#define LANE_Y __builtin_amdgcn_workitem_id_y()
#define LANE_Z __builtin_amdgcn_workitem_id_z()
#define GROUP_X __builtin_amdgcn_workgroup_id_x()
#define GROUP_Y __builtin_amdgcn_workgroup_id_y()
#define GROUP_Z __builtin_amdgcn_workgroup_id_z()
#define SIZE_X __builtin_amdgcn_workgroup_size_x()
#define SIZE_Y __builtin_amdgcn_workgroup_size_y()
#define SIZE_Z __builtin_amdgcn_workgroup_size_z()
#define ITEMS_X __builtin_amdgcn_grid_size_x()
#define WAVE __builtin_amdgcn_wavefrontsize()
#define GLOBAL_X (GROUP_X * SIZE_X + LANE_X)

static inline void group_barrier(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// This lane's number in its wave.
static inline uint wave_lane(void) { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); }

// Another lane's x. On gfx11 the LDS permutes of wave64 stay in their half of the wave (RDNA3 ISA 12.5.2).
static inline int from_lane(uint lane, int x) {
  const int near = __builtin_amdgcn_ds_bpermute(lane << 2, x);
#ifdef __GFX11__
  if (WAVE == 64) {
    const int far = __builtin_amdgcn_ds_bpermute(lane << 2, __builtin_amdgcn_permlane64(x));
    return (lane ^ wave_lane()) & 32 ? far : near;
  }
#endif
  return near;
}

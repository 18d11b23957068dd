; x[i] *= 2 for 64 numbers of f32, one wave. The load is not waited for: docs/guide/agents.md finds that.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 5
	.text
	.globl double
	.p2align 8
	.type double,@function
double:
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v2, v1, s[2:3]
	v_add_f32_e32 v2, v2, v2
	global_store_dword v1, v2, s[2:3]
	s_endpgm
	.section .rodata,"a"
	.p2align 6
	.amdhsa_kernel double
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 3
		.amdhsa_next_free_sgpr 4
		.amdhsa_accum_offset 4
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx942
amdhsa.kernels:
  - .name: double
    .symbol: double.kd
    .args: [{.name: x, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}]
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 4
    .vgpr_count: 3
    .max_flat_workgroup_size: 64
...
	.end_amdgpu_metadata

	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 5
	.text
	.protected gemm_f16_f16_nt_128x128x64_2x2
	.globl gemm_f16_f16_nt_128x128x64_2x2
	.p2align 8
	.type gemm_f16_f16_nt_128x128x64_2x2,@function
gemm_f16_f16_nt_128x128x64_2x2:
	s_load_dwordx8 s[8:15], s[0:1], 0  ; D
	s_load_dwordx8 s[16:23], s[0:1], 32  ; stride_d
	s_load_dwordx8 s[24:31], s[0:1], 64  ; m
	s_load_dword s5, s[0:1], 0x60  ; beta
	v_lshrrev_b32 v2, 6, v0
	v_and_b32 v1, 63, v0
	v_readfirstlane_b32 s40, v2
	s_lshr_b32 s36, s40, 1
	s_and_b32 s35, s40, 1
	s_mul_i32 s33, s2, 0x80
	s_mul_i32 s34, s3, 0x80
	s_waitcnt lgkmcnt(0)
	s_lshl_b32 s40, s31, 1
	s_cmp_eq_u32 s40, 0
	s_cselect_b32 s26, 0, s26
	s_mov_b32 s44, 0x5040100
	s_mov_b32 s45, 0x7060302
	s_lshl_b32 s46, s27, 1  ; A: strides, block base, lane addresses
	s_mov_b32 s37, 2
	s_lshl_b32 s47, s46, 6
	s_sub_u32 s52, s24, s33
	v_bfe_u32 v6, v0, 3, 2
	v_and_b32 v4, 7, v0
	v_bfe_u32 v2, v0, 5, 1
	v_lshl_or_b32 v4, v2, 3, v4
	v_lshlrev_b32 v4, 3, v4
	v_lshrrev_b32 v7, 6, v0
	v_lshlrev_b32 v8, 1, v6
	v_lshl_add_u32 v8, v7, 3, v8
	s_sub_u32 s40, s52, 1
	s_and_b32 s40, s40, -8
	v_min_u32 v9, s40, v4
	v_add_u32 v2, 0, v8
	v_mul_lo_u32 v2, v2, s46
	v_lshl_add_u32 v22, v9, 1, v2
	v_add_u32 v2, 1, v8
	v_mul_lo_u32 v2, v2, s46
	v_lshl_add_u32 v23, v9, 1, v2
	v_add_u32 v2, 32, v8
	v_mul_lo_u32 v2, v2, s46
	v_lshl_add_u32 v24, v9, 1, v2
	v_add_u32 v2, 33, v8
	v_mul_lo_u32 v2, v2, s46
	v_lshl_add_u32 v25, v9, 1, v2
	v_lshrrev_b32 v10, 2, v7
	v_mul_u32_u24 v10, 0x2000, v10
	v_lshl_add_u32 v10, v6, 2, v10
	v_and_b32 v5, 3, v7
	s_mov_b32 s41, 0
	v_add_u32 v11, 0, v4
	v_and_b32 v26, 56, v11
	v_lshlrev_b32 v26, 1, v26
	v_and_b32 v3, 2, v11
	v_lshlrev_b32 v3, 3, v3
	v_lshlrev_b32 v2, 6, v11
	v_lshl_or_b32 v2, v5, 4, v2
	v_xor_b32 v3, v2, v3
	v_xor_b32 v26, v3, v26
	v_add3_u32 v26, v26, v10, s41
	v_add_u32 v30, 0x2000, v26
	v_add_u32 v11, 1, v4
	v_and_b32 v27, 56, v11
	v_lshlrev_b32 v27, 1, v27
	v_and_b32 v3, 2, v11
	v_lshlrev_b32 v3, 3, v3
	v_lshlrev_b32 v2, 6, v11
	v_lshl_or_b32 v2, v5, 4, v2
	v_xor_b32 v3, v2, v3
	v_xor_b32 v27, v3, v27
	v_add3_u32 v27, v27, v10, s41
	v_add_u32 v31, 0x2000, v27
	v_add_u32 v11, 2, v4
	v_and_b32 v28, 56, v11
	v_lshlrev_b32 v28, 1, v28
	v_and_b32 v3, 2, v11
	v_lshlrev_b32 v3, 3, v3
	v_lshlrev_b32 v2, 6, v11
	v_lshl_or_b32 v2, v5, 4, v2
	v_xor_b32 v3, v2, v3
	v_xor_b32 v28, v3, v28
	v_add3_u32 v28, v28, v10, s41
	v_add_u32 v32, 0x2000, v28
	v_add_u32 v11, 3, v4
	v_and_b32 v29, 56, v11
	v_lshlrev_b32 v29, 1, v29
	v_and_b32 v3, 2, v11
	v_lshlrev_b32 v3, 3, v3
	v_lshlrev_b32 v2, 6, v11
	v_lshl_or_b32 v2, v5, 4, v2
	v_xor_b32 v3, v2, v3
	v_xor_b32 v29, v3, v29
	v_add3_u32 v29, v29, v10, s41
	v_add_u32 v33, 0x2000, v29
	s_mul_i32 s40, s20, s4
	s_mul_hi_u32 s41, s20, s4
	s_mul_i32 s42, s21, s4
	s_add_u32 s41, s41, s42
	s_lshl_b64 s[40:41], s[40:41], 1
	s_add_u32 s12, s12, s40
	s_addc_u32 s13, s13, s41
	s_mul_i32 s40, s33, s37
	s_mul_hi_u32 s41, s33, s37
	s_add_u32 s12, s12, s40
	s_addc_u32 s13, s13, s41
	s_mov_b32 s48, s12
	s_and_b32 s49, s13, 0xffff
	s_mov_b32 s50, -16
	s_mov_b32 s51, 0x20000
	s_sub_u32 s48, s48, s47
	s_subb_u32 s49, s49, 0
	v_and_b32 v4, 31, v1
	s_mul_i32 s40, s35, 64
	v_add_u32 v4, s40, v4
	v_lshrrev_b32 v5, 5, v1
	v_and_b32 v34, 56, v4
	v_lshlrev_b32 v34, 1, v34
	v_and_b32 v3, 2, v4
	v_lshlrev_b32 v3, 3, v3
	v_lshlrev_b32 v2, 6, v4
	v_lshl_or_b32 v2, v5, 4, v2
	v_xor_b32 v3, v2, v3
	v_xor_b32 v34, v3, v34
	v_add_u32 v34, 0, v34
	v_xor_b32 v35, 32, v34
	v_xor_b32 v44, 64, v34
	v_xor_b32 v45, 0x60, v34
	s_lshl_b32 s54, s28, 1  ; B: strides, block base, lane addresses
	s_mov_b32 s53, 2
	s_lshl_b32 s55, s54, 6
	s_sub_u32 s60, s25, s34
	v_bfe_u32 v6, v0, 3, 2
	v_and_b32 v4, 7, v0
	v_bfe_u32 v2, v0, 5, 1
	v_lshl_or_b32 v4, v2, 3, v4
	v_lshlrev_b32 v4, 3, v4
	v_lshrrev_b32 v7, 6, v0
	v_lshlrev_b32 v8, 1, v6
	v_lshl_add_u32 v8, v7, 3, v8
	s_sub_u32 s40, s60, 1
	s_and_b32 s40, s40, -8
	v_min_u32 v9, s40, v4
	v_add_u32 v2, 0, v8
	v_mul_lo_u32 v2, v2, s54
	v_lshl_add_u32 v46, v9, 1, v2
	v_add_u32 v2, 1, v8
	v_mul_lo_u32 v2, v2, s54
	v_lshl_add_u32 v47, v9, 1, v2
	v_add_u32 v2, 32, v8
	v_mul_lo_u32 v2, v2, s54
	v_lshl_add_u32 v64, v9, 1, v2
	v_add_u32 v2, 33, v8
	v_mul_lo_u32 v2, v2, s54
	v_lshl_add_u32 v65, v9, 1, v2
	v_lshrrev_b32 v10, 2, v7
	v_mul_u32_u24 v10, 0x2000, v10
	v_lshl_add_u32 v10, v6, 2, v10
	v_and_b32 v5, 3, v7
	s_mov_b32 s41, 0x4000
	v_add_u32 v11, 0, v4
	v_and_b32 v66, 56, v11
	v_lshlrev_b32 v66, 1, v66
	v_and_b32 v3, 2, v11
	v_lshlrev_b32 v3, 3, v3
	v_lshlrev_b32 v2, 6, v11
	v_lshl_or_b32 v2, v5, 4, v2
	v_xor_b32 v3, v2, v3
	v_xor_b32 v66, v3, v66
	v_add3_u32 v66, v66, v10, s41
	v_add_u32 v70, 0x2000, v66
	v_add_u32 v11, 1, v4
	v_and_b32 v67, 56, v11
	v_lshlrev_b32 v67, 1, v67
	v_and_b32 v3, 2, v11
	v_lshlrev_b32 v3, 3, v3
	v_lshlrev_b32 v2, 6, v11
	v_lshl_or_b32 v2, v5, 4, v2
	v_xor_b32 v3, v2, v3
	v_xor_b32 v67, v3, v67
	v_add3_u32 v67, v67, v10, s41
	v_add_u32 v71, 0x2000, v67
	v_add_u32 v11, 2, v4
	v_and_b32 v68, 56, v11
	v_lshlrev_b32 v68, 1, v68
	v_and_b32 v3, 2, v11
	v_lshlrev_b32 v3, 3, v3
	v_lshlrev_b32 v2, 6, v11
	v_lshl_or_b32 v2, v5, 4, v2
	v_xor_b32 v3, v2, v3
	v_xor_b32 v68, v3, v68
	v_add3_u32 v68, v68, v10, s41
	v_add_u32 v72, 0x2000, v68
	v_add_u32 v11, 3, v4
	v_and_b32 v69, 56, v11
	v_lshlrev_b32 v69, 1, v69
	v_and_b32 v3, 2, v11
	v_lshlrev_b32 v3, 3, v3
	v_lshlrev_b32 v2, 6, v11
	v_lshl_or_b32 v2, v5, 4, v2
	v_xor_b32 v3, v2, v3
	v_xor_b32 v69, v3, v69
	v_add3_u32 v69, v69, v10, s41
	v_add_u32 v73, 0x2000, v69
	s_mul_i32 s40, s22, s4
	s_mul_hi_u32 s41, s22, s4
	s_mul_i32 s42, s23, s4
	s_add_u32 s41, s41, s42
	s_lshl_b64 s[40:41], s[40:41], 1
	s_add_u32 s14, s14, s40
	s_addc_u32 s15, s15, s41
	s_mul_i32 s40, s34, s53
	s_mul_hi_u32 s41, s34, s53
	s_add_u32 s14, s14, s40
	s_addc_u32 s15, s15, s41
	s_mov_b32 s56, s14
	s_and_b32 s57, s15, 0xffff
	s_mov_b32 s58, -16
	s_mov_b32 s59, 0x20000
	s_sub_u32 s56, s56, s55
	s_subb_u32 s57, s57, 0
	v_and_b32 v4, 31, v1
	s_mul_i32 s40, s36, 64
	v_add_u32 v4, s40, v4
	v_lshrrev_b32 v5, 5, v1
	v_and_b32 v74, 56, v4
	v_lshlrev_b32 v74, 1, v74
	v_and_b32 v3, 2, v4
	v_lshlrev_b32 v3, 3, v3
	v_lshlrev_b32 v2, 6, v4
	v_lshl_or_b32 v2, v5, 4, v2
	v_xor_b32 v3, v2, v3
	v_xor_b32 v74, v3, v74
	v_add_u32 v74, 0x4000, v74
	v_xor_b32 v75, 32, v74
	v_xor_b32 v84, 64, v74
	v_xor_b32 v85, 0x60, v74
	s_sub_u32 s40, s26, 8
	s_cselect_b32 s40, 0, s40
	s_mov_b32 s6, s26
	s_cmp_ge_u32 s52, 0x80
	s_cselect_b32 s6, s6, s40
	s_cmp_ge_u32 s60, 0x80
	s_cselect_b32 s6, s6, s40
	s_lshr_b32 s6, s6, 6
	s_lshl_b32 s40, s6, 6
	s_sub_u32 s32, s26, s40
	s_add_u32 s7, s32, 63
	s_lshr_b32 s7, s7, 6
	v_accvgpr_write_b32 a0, 0
	v_accvgpr_write_b32 a1, 0
	v_accvgpr_write_b32 a2, 0
	v_accvgpr_write_b32 a3, 0
	v_accvgpr_write_b32 a4, 0
	v_accvgpr_write_b32 a5, 0
	v_accvgpr_write_b32 a6, 0
	v_accvgpr_write_b32 a7, 0
	v_accvgpr_write_b32 a8, 0
	v_accvgpr_write_b32 a9, 0
	v_accvgpr_write_b32 a10, 0
	v_accvgpr_write_b32 a11, 0
	v_accvgpr_write_b32 a12, 0
	v_accvgpr_write_b32 a13, 0
	v_accvgpr_write_b32 a14, 0
	v_accvgpr_write_b32 a15, 0
	v_accvgpr_write_b32 a16, 0
	v_accvgpr_write_b32 a17, 0
	v_accvgpr_write_b32 a18, 0
	v_accvgpr_write_b32 a19, 0
	v_accvgpr_write_b32 a20, 0
	v_accvgpr_write_b32 a21, 0
	v_accvgpr_write_b32 a22, 0
	v_accvgpr_write_b32 a23, 0
	v_accvgpr_write_b32 a24, 0
	v_accvgpr_write_b32 a25, 0
	v_accvgpr_write_b32 a26, 0
	v_accvgpr_write_b32 a27, 0
	v_accvgpr_write_b32 a28, 0
	v_accvgpr_write_b32 a29, 0
	v_accvgpr_write_b32 a30, 0
	v_accvgpr_write_b32 a31, 0
	v_accvgpr_write_b32 a32, 0
	v_accvgpr_write_b32 a33, 0
	v_accvgpr_write_b32 a34, 0
	v_accvgpr_write_b32 a35, 0
	v_accvgpr_write_b32 a36, 0
	v_accvgpr_write_b32 a37, 0
	v_accvgpr_write_b32 a38, 0
	v_accvgpr_write_b32 a39, 0
	v_accvgpr_write_b32 a40, 0
	v_accvgpr_write_b32 a41, 0
	v_accvgpr_write_b32 a42, 0
	v_accvgpr_write_b32 a43, 0
	v_accvgpr_write_b32 a44, 0
	v_accvgpr_write_b32 a45, 0
	v_accvgpr_write_b32 a46, 0
	v_accvgpr_write_b32 a47, 0
	v_accvgpr_write_b32 a48, 0
	v_accvgpr_write_b32 a49, 0
	v_accvgpr_write_b32 a50, 0
	v_accvgpr_write_b32 a51, 0
	v_accvgpr_write_b32 a52, 0
	v_accvgpr_write_b32 a53, 0
	v_accvgpr_write_b32 a54, 0
	v_accvgpr_write_b32 a55, 0
	v_accvgpr_write_b32 a56, 0
	v_accvgpr_write_b32 a57, 0
	v_accvgpr_write_b32 a58, 0
	v_accvgpr_write_b32 a59, 0
	v_accvgpr_write_b32 a60, 0
	v_accvgpr_write_b32 a61, 0
	v_accvgpr_write_b32 a62, 0
	v_accvgpr_write_b32 a63, 0
	s_cmp_gt_u32 s6, 1
	s_cbranch_scc0 .L0
.L1:  ; pipeline_starts
	s_add_u32 s6, s6, -2
	; -- next_block, iteration 0
	s_add_u32 s48, s48, s47
	s_addc_u32 s49, s49, 0
	s_add_u32 s56, s56, s55
	s_addc_u32 s57, s57, 0
	; -- load, iteration 0
	buffer_load_dwordx4 v[36:39], v22, s[48:51], 0 offen
	buffer_load_dwordx4 v[40:43], v23, s[48:51], 0 offen
	buffer_load_dwordx4 v[76:79], v46, s[56:59], 0 offen
	buffer_load_dwordx4 v[80:83], v47, s[56:59], 0 offen
	; -- store, iteration 0
	s_waitcnt vmcnt(2)
	v_perm_b32 v6, v40, v36, s44
	v_perm_b32 v7, v42, v38, s44
	ds_write2_b32 v26, v6, v7 offset1:64
	v_perm_b32 v10, v40, v36, s45
	v_perm_b32 v11, v42, v38, s45
	ds_write2_b32 v27, v10, v11 offset1:64
	v_perm_b32 v6, v41, v37, s44
	v_perm_b32 v7, v43, v39, s44
	ds_write2_b32 v28, v6, v7 offset1:64
	v_perm_b32 v10, v41, v37, s45
	v_perm_b32 v11, v43, v39, s45
	ds_write2_b32 v29, v10, v11 offset1:64
	s_waitcnt vmcnt(0)
	v_perm_b32 v6, v80, v76, s44
	v_perm_b32 v7, v82, v78, s44
	ds_write2_b32 v66, v6, v7 offset1:64
	v_perm_b32 v10, v80, v76, s45
	v_perm_b32 v11, v82, v78, s45
	ds_write2_b32 v67, v10, v11 offset1:64
	v_perm_b32 v6, v81, v77, s44
	v_perm_b32 v7, v83, v79, s44
	ds_write2_b32 v68, v6, v7 offset1:64
	v_perm_b32 v10, v81, v77, s45
	v_perm_b32 v11, v83, v79, s45
	ds_write2_b32 v69, v10, v11 offset1:64
	; -- load, iteration 0
	buffer_load_dwordx4 v[36:39], v24, s[48:51], 0 offen
	buffer_load_dwordx4 v[40:43], v25, s[48:51], 0 offen
	buffer_load_dwordx4 v[76:79], v64, s[56:59], 0 offen
	buffer_load_dwordx4 v[80:83], v65, s[56:59], 0 offen
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- read_fragments, iteration 0
	ds_read_b128 v[88:91], v74
	ds_read_b128 v[92:95], v84 offset:2048
	ds_read_b128 v[48:51], v34
	ds_read_b128 v[52:55], v44 offset:2048
.L5:  ; pipeline
	s_waitcnt lgkmcnt(0)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[88:89], v[48:49], a[0:15]
	ds_read_b128 v[96:99], v75  ; -- read_fragments
	ds_read_b128 v[100:103], v85 offset:2048
	ds_read_b128 v[56:59], v35
	v_mfma_f32_32x32x8_f16 a[16:31], v[88:89], v[52:53], a[16:31]  ; -- multiply
	ds_read_b128 v[60:63], v45 offset:2048  ; -- read_fragments
	; -- store
	s_waitcnt vmcnt(2)
	v_perm_b32 v6, v40, v36, s44
	v_perm_b32 v7, v42, v38, s44
	ds_write2_b32 v30, v6, v7 offset1:64
	v_mfma_f32_32x32x8_f16 a[32:47], v[92:93], v[48:49], a[32:47]  ; -- multiply
	v_perm_b32 v10, v40, v36, s45  ; -- store
	v_perm_b32 v11, v42, v38, s45
	ds_write2_b32 v31, v10, v11 offset1:64
	v_mfma_f32_32x32x8_f16 a[48:63], v[92:93], v[52:53], a[48:63]  ; -- multiply
	; -- store
	v_perm_b32 v6, v41, v37, s44
	v_perm_b32 v7, v43, v39, s44
	ds_write2_b32 v32, v6, v7 offset1:64
	v_perm_b32 v10, v41, v37, s45
	v_mfma_f32_32x32x8_f16 a[0:15], v[90:91], v[50:51], a[0:15]  ; -- multiply
	; -- store
	v_perm_b32 v11, v43, v39, s45
	ds_write2_b32 v33, v10, v11 offset1:64
	s_waitcnt vmcnt(0)
	v_perm_b32 v6, v80, v76, s44
	v_mfma_f32_32x32x8_f16 a[16:31], v[90:91], v[54:55], a[16:31]  ; -- multiply
	; -- store
	v_perm_b32 v7, v82, v78, s44
	ds_write2_b32 v70, v6, v7 offset1:64
	v_perm_b32 v10, v80, v76, s45
	v_perm_b32 v11, v82, v78, s45
	v_mfma_f32_32x32x8_f16 a[32:47], v[94:95], v[50:51], a[32:47]  ; -- multiply
	ds_write2_b32 v71, v10, v11 offset1:64  ; -- store
	v_perm_b32 v6, v81, v77, s44
	v_perm_b32 v7, v83, v79, s44
	v_mfma_f32_32x32x8_f16 a[48:63], v[94:95], v[54:55], a[48:63]  ; -- multiply
	; -- store
	ds_write2_b32 v72, v6, v7 offset1:64
	v_perm_b32 v10, v81, v77, s45
	v_perm_b32 v11, v83, v79, s45
	ds_write2_b32 v73, v10, v11 offset1:64
	s_waitcnt lgkmcnt(8)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[96:97], v[56:57], a[0:15]
	s_add_u32 s48, s48, s47  ; -- next_block +1
	s_addc_u32 s49, s49, 0
	v_mfma_f32_32x32x8_f16 a[16:31], v[96:97], v[60:61], a[16:31]  ; -- multiply
	s_add_u32 s56, s56, s55  ; -- next_block +1
	s_addc_u32 s57, s57, 0
	v_mfma_f32_32x32x8_f16 a[32:47], v[100:101], v[56:57], a[32:47]  ; -- multiply
	buffer_load_dwordx4 v[36:39], v22, s[48:51], 0 offen  ; -- load +1
	buffer_load_dwordx4 v[40:43], v23, s[48:51], 0 offen
	v_mfma_f32_32x32x8_f16 a[48:63], v[100:101], v[60:61], a[48:63]  ; -- multiply
	buffer_load_dwordx4 v[76:79], v46, s[56:59], 0 offen  ; -- load +1
	buffer_load_dwordx4 v[80:83], v47, s[56:59], 0 offen
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier
	s_barrier
	v_mfma_f32_32x32x8_f16 a[0:15], v[98:99], v[58:59], a[0:15]  ; -- multiply
	ds_read_b128 v[88:91], v74 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[16:31], v[98:99], v[62:63], a[16:31]  ; -- multiply
	ds_read_b128 v[92:95], v84 offset:10240  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[32:47], v[102:103], v[58:59], a[32:47]  ; -- multiply
	ds_read_b128 v[48:51], v34 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[48:63], v[102:103], v[62:63], a[48:63]  ; -- multiply
	ds_read_b128 v[52:55], v44 offset:10240  ; -- read_fragments
	s_waitcnt lgkmcnt(0)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[88:89], v[48:49], a[0:15]
	ds_read_b128 v[96:99], v75 offset:8192  ; -- read_fragments
	ds_read_b128 v[100:103], v85 offset:10240
	ds_read_b128 v[56:59], v35 offset:8192
	v_mfma_f32_32x32x8_f16 a[16:31], v[88:89], v[52:53], a[16:31]  ; -- multiply
	ds_read_b128 v[60:63], v45 offset:10240  ; -- read_fragments
	; -- store +1
	s_waitcnt vmcnt(2)
	v_perm_b32 v6, v40, v36, s44
	v_perm_b32 v7, v42, v38, s44
	ds_write2_b32 v26, v6, v7 offset1:64
	v_mfma_f32_32x32x8_f16 a[32:47], v[92:93], v[48:49], a[32:47]  ; -- multiply
	v_perm_b32 v10, v40, v36, s45  ; -- store +1
	v_perm_b32 v11, v42, v38, s45
	ds_write2_b32 v27, v10, v11 offset1:64
	v_mfma_f32_32x32x8_f16 a[48:63], v[92:93], v[52:53], a[48:63]  ; -- multiply
	; -- store +1
	v_perm_b32 v6, v41, v37, s44
	v_perm_b32 v7, v43, v39, s44
	ds_write2_b32 v28, v6, v7 offset1:64
	v_perm_b32 v10, v41, v37, s45
	v_mfma_f32_32x32x8_f16 a[0:15], v[90:91], v[50:51], a[0:15]  ; -- multiply
	; -- store +1
	v_perm_b32 v11, v43, v39, s45
	ds_write2_b32 v29, v10, v11 offset1:64
	s_waitcnt vmcnt(0)
	v_perm_b32 v6, v80, v76, s44
	v_mfma_f32_32x32x8_f16 a[16:31], v[90:91], v[54:55], a[16:31]  ; -- multiply
	; -- store +1
	v_perm_b32 v7, v82, v78, s44
	ds_write2_b32 v66, v6, v7 offset1:64
	v_perm_b32 v10, v80, v76, s45
	v_perm_b32 v11, v82, v78, s45
	v_mfma_f32_32x32x8_f16 a[32:47], v[94:95], v[50:51], a[32:47]  ; -- multiply
	ds_write2_b32 v67, v10, v11 offset1:64  ; -- store +1
	v_perm_b32 v6, v81, v77, s44
	v_perm_b32 v7, v83, v79, s44
	v_mfma_f32_32x32x8_f16 a[48:63], v[94:95], v[54:55], a[48:63]  ; -- multiply
	; -- store +1
	ds_write2_b32 v68, v6, v7 offset1:64
	v_perm_b32 v10, v81, v77, s45
	v_perm_b32 v11, v83, v79, s45
	ds_write2_b32 v69, v10, v11 offset1:64
	s_waitcnt lgkmcnt(8)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[96:97], v[56:57], a[0:15]
	buffer_load_dwordx4 v[36:39], v24, s[48:51], 0 offen  ; -- load +1
	v_mfma_f32_32x32x8_f16 a[16:31], v[96:97], v[60:61], a[16:31]  ; -- multiply
	buffer_load_dwordx4 v[40:43], v25, s[48:51], 0 offen  ; -- load +1
	v_mfma_f32_32x32x8_f16 a[32:47], v[100:101], v[56:57], a[32:47]  ; -- multiply
	buffer_load_dwordx4 v[76:79], v64, s[56:59], 0 offen  ; -- load +1
	v_mfma_f32_32x32x8_f16 a[48:63], v[100:101], v[60:61], a[48:63]  ; -- multiply
	buffer_load_dwordx4 v[80:83], v65, s[56:59], 0 offen  ; -- load +1
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier +1
	s_barrier
	v_mfma_f32_32x32x8_f16 a[0:15], v[98:99], v[58:59], a[0:15]  ; -- multiply
	ds_read_b128 v[88:91], v74  ; -- read_fragments +1
	v_mfma_f32_32x32x8_f16 a[16:31], v[98:99], v[62:63], a[16:31]  ; -- multiply
	ds_read_b128 v[92:95], v84 offset:2048  ; -- read_fragments +1
	v_mfma_f32_32x32x8_f16 a[32:47], v[102:103], v[58:59], a[32:47]  ; -- multiply
	ds_read_b128 v[48:51], v34  ; -- read_fragments +1
	v_mfma_f32_32x32x8_f16 a[48:63], v[102:103], v[62:63], a[48:63]  ; -- multiply
	ds_read_b128 v[52:55], v44 offset:2048  ; -- read_fragments +1
	s_sub_u32 s6, s6, 1
	s_cbranch_scc0 .L5
.L3:  ; pipeline_exit_0
	s_waitcnt lgkmcnt(0)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[88:89], v[48:49], a[0:15]
	ds_read_b128 v[96:99], v75  ; -- read_fragments
	ds_read_b128 v[100:103], v85 offset:2048
	ds_read_b128 v[56:59], v35
	v_mfma_f32_32x32x8_f16 a[16:31], v[88:89], v[52:53], a[16:31]  ; -- multiply
	ds_read_b128 v[60:63], v45 offset:2048  ; -- read_fragments
	; -- store
	s_waitcnt vmcnt(2)
	v_perm_b32 v6, v40, v36, s44
	v_perm_b32 v7, v42, v38, s44
	ds_write2_b32 v30, v6, v7 offset1:64
	v_mfma_f32_32x32x8_f16 a[32:47], v[92:93], v[48:49], a[32:47]  ; -- multiply
	v_perm_b32 v10, v40, v36, s45  ; -- store
	v_perm_b32 v11, v42, v38, s45
	ds_write2_b32 v31, v10, v11 offset1:64
	v_mfma_f32_32x32x8_f16 a[48:63], v[92:93], v[52:53], a[48:63]  ; -- multiply
	; -- store
	v_perm_b32 v6, v41, v37, s44
	v_perm_b32 v7, v43, v39, s44
	ds_write2_b32 v32, v6, v7 offset1:64
	v_perm_b32 v10, v41, v37, s45
	v_mfma_f32_32x32x8_f16 a[0:15], v[90:91], v[50:51], a[0:15]  ; -- multiply
	; -- store
	v_perm_b32 v11, v43, v39, s45
	ds_write2_b32 v33, v10, v11 offset1:64
	s_waitcnt vmcnt(0)
	v_perm_b32 v6, v80, v76, s44
	v_mfma_f32_32x32x8_f16 a[16:31], v[90:91], v[54:55], a[16:31]  ; -- multiply
	; -- store
	v_perm_b32 v7, v82, v78, s44
	ds_write2_b32 v70, v6, v7 offset1:64
	v_perm_b32 v10, v80, v76, s45
	v_perm_b32 v11, v82, v78, s45
	v_mfma_f32_32x32x8_f16 a[32:47], v[94:95], v[50:51], a[32:47]  ; -- multiply
	ds_write2_b32 v71, v10, v11 offset1:64  ; -- store
	v_perm_b32 v6, v81, v77, s44
	v_perm_b32 v7, v83, v79, s44
	v_mfma_f32_32x32x8_f16 a[48:63], v[94:95], v[54:55], a[48:63]  ; -- multiply
	; -- store
	ds_write2_b32 v72, v6, v7 offset1:64
	v_perm_b32 v10, v81, v77, s45
	v_perm_b32 v11, v83, v79, s45
	ds_write2_b32 v73, v10, v11 offset1:64
	; -- multiply
	s_waitcnt lgkmcnt(8)
	v_mfma_f32_32x32x8_f16 a[0:15], v[96:97], v[56:57], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[96:97], v[60:61], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[100:101], v[56:57], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[100:101], v[60:61], a[48:63]
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier
	s_barrier
	v_mfma_f32_32x32x8_f16 a[0:15], v[98:99], v[58:59], a[0:15]  ; -- multiply
	ds_read_b128 v[88:91], v74 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[16:31], v[98:99], v[62:63], a[16:31]  ; -- multiply
	ds_read_b128 v[92:95], v84 offset:10240  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[32:47], v[102:103], v[58:59], a[32:47]  ; -- multiply
	ds_read_b128 v[48:51], v34 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[48:63], v[102:103], v[62:63], a[48:63]  ; -- multiply
	ds_read_b128 v[52:55], v44 offset:10240  ; -- read_fragments
	s_waitcnt lgkmcnt(0)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[88:89], v[48:49], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[88:89], v[52:53], a[16:31]
	ds_read_b128 v[96:99], v75 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[32:47], v[92:93], v[48:49], a[32:47]  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[48:63], v[92:93], v[52:53], a[48:63]
	ds_read_b128 v[100:103], v85 offset:10240  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[0:15], v[90:91], v[50:51], a[0:15]  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[16:31], v[90:91], v[54:55], a[16:31]
	ds_read_b128 v[56:59], v35 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[32:47], v[94:95], v[50:51], a[32:47]  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[48:63], v[94:95], v[54:55], a[48:63]
	ds_read_b128 v[60:63], v45 offset:10240  ; -- read_fragments
	; -- multiply
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[0:15], v[96:97], v[56:57], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[96:97], v[60:61], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[100:101], v[56:57], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[100:101], v[60:61], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[98:99], v[58:59], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[98:99], v[62:63], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[102:103], v[58:59], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[102:103], v[62:63], a[48:63]
	s_branch .L4
.L0:  ; pipeline_few_trips
	s_cmp_gt_u32 s6, 0
	s_cbranch_scc0 .L4
	; -- next_block, iteration 0
	s_add_u32 s48, s48, s47
	s_addc_u32 s49, s49, 0
	s_add_u32 s56, s56, s55
	s_addc_u32 s57, s57, 0
	; -- load, iteration 0
	buffer_load_dwordx4 v[36:39], v22, s[48:51], 0 offen
	buffer_load_dwordx4 v[40:43], v23, s[48:51], 0 offen
	buffer_load_dwordx4 v[76:79], v46, s[56:59], 0 offen
	buffer_load_dwordx4 v[80:83], v47, s[56:59], 0 offen
	; -- store, iteration 0
	s_waitcnt vmcnt(2)
	v_perm_b32 v6, v40, v36, s44
	v_perm_b32 v7, v42, v38, s44
	ds_write2_b32 v26, v6, v7 offset1:64
	v_perm_b32 v10, v40, v36, s45
	v_perm_b32 v11, v42, v38, s45
	ds_write2_b32 v27, v10, v11 offset1:64
	v_perm_b32 v6, v41, v37, s44
	v_perm_b32 v7, v43, v39, s44
	ds_write2_b32 v28, v6, v7 offset1:64
	v_perm_b32 v10, v41, v37, s45
	v_perm_b32 v11, v43, v39, s45
	ds_write2_b32 v29, v10, v11 offset1:64
	s_waitcnt vmcnt(0)
	v_perm_b32 v6, v80, v76, s44
	v_perm_b32 v7, v82, v78, s44
	ds_write2_b32 v66, v6, v7 offset1:64
	v_perm_b32 v10, v80, v76, s45
	v_perm_b32 v11, v82, v78, s45
	ds_write2_b32 v67, v10, v11 offset1:64
	v_perm_b32 v6, v81, v77, s44
	v_perm_b32 v7, v83, v79, s44
	ds_write2_b32 v68, v6, v7 offset1:64
	v_perm_b32 v10, v81, v77, s45
	v_perm_b32 v11, v83, v79, s45
	ds_write2_b32 v69, v10, v11 offset1:64
	; -- load, iteration 0
	buffer_load_dwordx4 v[36:39], v24, s[48:51], 0 offen
	buffer_load_dwordx4 v[40:43], v25, s[48:51], 0 offen
	buffer_load_dwordx4 v[76:79], v64, s[56:59], 0 offen
	buffer_load_dwordx4 v[80:83], v65, s[56:59], 0 offen
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- read_fragments, iteration 0
	ds_read_b128 v[88:91], v74
	ds_read_b128 v[92:95], v84 offset:2048
	ds_read_b128 v[48:51], v34
	ds_read_b128 v[52:55], v44 offset:2048
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[0:15], v[88:89], v[48:49], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[88:89], v[52:53], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[92:93], v[48:49], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[92:93], v[52:53], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[90:91], v[50:51], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[90:91], v[54:55], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[94:95], v[50:51], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[94:95], v[54:55], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[96:99], v75
	ds_read_b128 v[100:103], v85 offset:2048
	ds_read_b128 v[56:59], v35
	ds_read_b128 v[60:63], v45 offset:2048
	; -- store, iteration 0
	s_waitcnt vmcnt(2)
	v_perm_b32 v6, v40, v36, s44
	v_perm_b32 v7, v42, v38, s44
	ds_write2_b32 v30, v6, v7 offset1:64
	v_perm_b32 v10, v40, v36, s45
	v_perm_b32 v11, v42, v38, s45
	ds_write2_b32 v31, v10, v11 offset1:64
	v_perm_b32 v6, v41, v37, s44
	v_perm_b32 v7, v43, v39, s44
	ds_write2_b32 v32, v6, v7 offset1:64
	v_perm_b32 v10, v41, v37, s45
	v_perm_b32 v11, v43, v39, s45
	ds_write2_b32 v33, v10, v11 offset1:64
	s_waitcnt vmcnt(0)
	v_perm_b32 v6, v80, v76, s44
	v_perm_b32 v7, v82, v78, s44
	ds_write2_b32 v70, v6, v7 offset1:64
	v_perm_b32 v10, v80, v76, s45
	v_perm_b32 v11, v82, v78, s45
	ds_write2_b32 v71, v10, v11 offset1:64
	v_perm_b32 v6, v81, v77, s44
	v_perm_b32 v7, v83, v79, s44
	ds_write2_b32 v72, v6, v7 offset1:64
	v_perm_b32 v10, v81, v77, s45
	v_perm_b32 v11, v83, v79, s45
	ds_write2_b32 v73, v10, v11 offset1:64
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(8)
	v_mfma_f32_32x32x8_f16 a[0:15], v[96:97], v[56:57], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[96:97], v[60:61], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[100:101], v[56:57], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[100:101], v[60:61], a[48:63]
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- multiply, iteration 0
	v_mfma_f32_32x32x8_f16 a[0:15], v[98:99], v[58:59], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[98:99], v[62:63], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[102:103], v[58:59], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[102:103], v[62:63], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[88:91], v74 offset:8192
	ds_read_b128 v[92:95], v84 offset:10240
	ds_read_b128 v[48:51], v34 offset:8192
	ds_read_b128 v[52:55], v44 offset:10240
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[0:15], v[88:89], v[48:49], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[88:89], v[52:53], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[92:93], v[48:49], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[92:93], v[52:53], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[90:91], v[50:51], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[90:91], v[54:55], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[94:95], v[50:51], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[94:95], v[54:55], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[96:99], v75 offset:8192
	ds_read_b128 v[100:103], v85 offset:10240
	ds_read_b128 v[56:59], v35 offset:8192
	ds_read_b128 v[60:63], v45 offset:10240
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[0:15], v[96:97], v[56:57], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[96:97], v[60:61], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[100:101], v[56:57], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[100:101], v[60:61], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[98:99], v[58:59], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[98:99], v[62:63], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[102:103], v[58:59], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[102:103], v[62:63], a[48:63]
.L4:  ; pipeline_tail
	s_sub_u32 s7, s7, 1
	s_cbranch_scc1 .L2
	; -- next_block, iteration 0
	s_add_u32 s48, s48, s47
	s_addc_u32 s49, s49, 0
	s_add_u32 s56, s56, s55
	s_addc_u32 s57, s57, 0
	; -- load_rest, iteration 0
	s_min_u32 s40, s32, 64
	s_sub_u32 s40, s40, 1
	s_mul_i32 s40, s40, s46
	s_lshl_b32 s41, s52, 1
	s_add_u32 s50, s40, s41
	v_and_b32 v5, 3, v0
	v_lshlrev_b32 v5, 3, v5
	buffer_load_ushort v6, v22, s[48:51], 0 offen
	buffer_load_ushort v7, v22, s[48:51], 0 offen offset:2
	buffer_load_ushort v8, v22, s[48:51], 0 offen offset:4
	buffer_load_ushort v9, v22, s[48:51], 0 offen offset:6
	buffer_load_ushort v10, v22, s[48:51], 0 offen offset:8
	buffer_load_ushort v11, v22, s[48:51], 0 offen offset:10
	buffer_load_ushort v12, v22, s[48:51], 0 offen offset:12
	buffer_load_ushort v13, v22, s[48:51], 0 offen offset:14
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v36, v7, 16, v6
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v37, v9, 16, v8
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v38, v11, 16, v10
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v39, v13, 16, v12
	buffer_load_ushort v6, v23, s[48:51], 0 offen
	buffer_load_ushort v7, v23, s[48:51], 0 offen offset:2
	buffer_load_ushort v8, v23, s[48:51], 0 offen offset:4
	buffer_load_ushort v9, v23, s[48:51], 0 offen offset:6
	buffer_load_ushort v10, v23, s[48:51], 0 offen offset:8
	buffer_load_ushort v11, v23, s[48:51], 0 offen offset:10
	buffer_load_ushort v12, v23, s[48:51], 0 offen offset:12
	buffer_load_ushort v13, v23, s[48:51], 0 offen offset:14
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v40, v7, 16, v6
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v41, v9, 16, v8
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v42, v11, 16, v10
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v43, v13, 16, v12
	s_min_u32 s40, s32, 64
	s_sub_u32 s40, s40, 1
	s_mul_i32 s40, s40, s54
	s_lshl_b32 s41, s60, 1
	s_add_u32 s58, s40, s41
	v_and_b32 v5, 3, v0
	v_lshlrev_b32 v5, 3, v5
	buffer_load_ushort v6, v46, s[56:59], 0 offen
	buffer_load_ushort v7, v46, s[56:59], 0 offen offset:2
	buffer_load_ushort v8, v46, s[56:59], 0 offen offset:4
	buffer_load_ushort v9, v46, s[56:59], 0 offen offset:6
	buffer_load_ushort v10, v46, s[56:59], 0 offen offset:8
	buffer_load_ushort v11, v46, s[56:59], 0 offen offset:10
	buffer_load_ushort v12, v46, s[56:59], 0 offen offset:12
	buffer_load_ushort v13, v46, s[56:59], 0 offen offset:14
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v76, v7, 16, v6
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v77, v9, 16, v8
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v78, v11, 16, v10
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v79, v13, 16, v12
	buffer_load_ushort v6, v47, s[56:59], 0 offen
	buffer_load_ushort v7, v47, s[56:59], 0 offen offset:2
	buffer_load_ushort v8, v47, s[56:59], 0 offen offset:4
	buffer_load_ushort v9, v47, s[56:59], 0 offen offset:6
	buffer_load_ushort v10, v47, s[56:59], 0 offen offset:8
	buffer_load_ushort v11, v47, s[56:59], 0 offen offset:10
	buffer_load_ushort v12, v47, s[56:59], 0 offen offset:12
	buffer_load_ushort v13, v47, s[56:59], 0 offen offset:14
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v80, v7, 16, v6
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v81, v9, 16, v8
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v82, v11, 16, v10
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v83, v13, 16, v12
	; -- store, iteration 0
	v_perm_b32 v6, v40, v36, s44
	v_perm_b32 v7, v42, v38, s44
	ds_write2_b32 v26, v6, v7 offset1:64
	v_perm_b32 v10, v40, v36, s45
	v_perm_b32 v11, v42, v38, s45
	ds_write2_b32 v27, v10, v11 offset1:64
	v_perm_b32 v6, v41, v37, s44
	v_perm_b32 v7, v43, v39, s44
	ds_write2_b32 v28, v6, v7 offset1:64
	v_perm_b32 v10, v41, v37, s45
	v_perm_b32 v11, v43, v39, s45
	ds_write2_b32 v29, v10, v11 offset1:64
	v_perm_b32 v6, v80, v76, s44
	v_perm_b32 v7, v82, v78, s44
	ds_write2_b32 v66, v6, v7 offset1:64
	v_perm_b32 v10, v80, v76, s45
	v_perm_b32 v11, v82, v78, s45
	ds_write2_b32 v67, v10, v11 offset1:64
	v_perm_b32 v6, v81, v77, s44
	v_perm_b32 v7, v83, v79, s44
	ds_write2_b32 v68, v6, v7 offset1:64
	v_perm_b32 v10, v81, v77, s45
	v_perm_b32 v11, v83, v79, s45
	ds_write2_b32 v69, v10, v11 offset1:64
	; -- load_rest, iteration 0
	s_min_u32 s40, s32, 64
	s_sub_u32 s40, s40, 1
	s_mul_i32 s40, s40, s46
	s_lshl_b32 s41, s52, 1
	s_add_u32 s50, s40, s41
	v_and_b32 v5, 3, v0
	v_lshlrev_b32 v5, 3, v5
	buffer_load_ushort v6, v24, s[48:51], 0 offen
	buffer_load_ushort v7, v24, s[48:51], 0 offen offset:2
	buffer_load_ushort v8, v24, s[48:51], 0 offen offset:4
	buffer_load_ushort v9, v24, s[48:51], 0 offen offset:6
	buffer_load_ushort v10, v24, s[48:51], 0 offen offset:8
	buffer_load_ushort v11, v24, s[48:51], 0 offen offset:10
	buffer_load_ushort v12, v24, s[48:51], 0 offen offset:12
	buffer_load_ushort v13, v24, s[48:51], 0 offen offset:14
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v36, v7, 16, v6
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v37, v9, 16, v8
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v38, v11, 16, v10
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v39, v13, 16, v12
	buffer_load_ushort v6, v25, s[48:51], 0 offen
	buffer_load_ushort v7, v25, s[48:51], 0 offen offset:2
	buffer_load_ushort v8, v25, s[48:51], 0 offen offset:4
	buffer_load_ushort v9, v25, s[48:51], 0 offen offset:6
	buffer_load_ushort v10, v25, s[48:51], 0 offen offset:8
	buffer_load_ushort v11, v25, s[48:51], 0 offen offset:10
	buffer_load_ushort v12, v25, s[48:51], 0 offen offset:12
	buffer_load_ushort v13, v25, s[48:51], 0 offen offset:14
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v40, v7, 16, v6
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v41, v9, 16, v8
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v42, v11, 16, v10
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v43, v13, 16, v12
	s_min_u32 s40, s32, 64
	s_sub_u32 s40, s40, 1
	s_mul_i32 s40, s40, s54
	s_lshl_b32 s41, s60, 1
	s_add_u32 s58, s40, s41
	v_and_b32 v5, 3, v0
	v_lshlrev_b32 v5, 3, v5
	buffer_load_ushort v6, v64, s[56:59], 0 offen
	buffer_load_ushort v7, v64, s[56:59], 0 offen offset:2
	buffer_load_ushort v8, v64, s[56:59], 0 offen offset:4
	buffer_load_ushort v9, v64, s[56:59], 0 offen offset:6
	buffer_load_ushort v10, v64, s[56:59], 0 offen offset:8
	buffer_load_ushort v11, v64, s[56:59], 0 offen offset:10
	buffer_load_ushort v12, v64, s[56:59], 0 offen offset:12
	buffer_load_ushort v13, v64, s[56:59], 0 offen offset:14
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v76, v7, 16, v6
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v77, v9, 16, v8
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v78, v11, 16, v10
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v79, v13, 16, v12
	buffer_load_ushort v6, v65, s[56:59], 0 offen
	buffer_load_ushort v7, v65, s[56:59], 0 offen offset:2
	buffer_load_ushort v8, v65, s[56:59], 0 offen offset:4
	buffer_load_ushort v9, v65, s[56:59], 0 offen offset:6
	buffer_load_ushort v10, v65, s[56:59], 0 offen offset:8
	buffer_load_ushort v11, v65, s[56:59], 0 offen offset:10
	buffer_load_ushort v12, v65, s[56:59], 0 offen offset:12
	buffer_load_ushort v13, v65, s[56:59], 0 offen offset:14
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v80, v7, 16, v6
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v81, v9, 16, v8
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v82, v11, 16, v10
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v83, v13, 16, v12
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- read_fragments, iteration 0
	ds_read_b128 v[88:91], v74
	ds_read_b128 v[92:95], v84 offset:2048
	ds_read_b128 v[48:51], v34
	ds_read_b128 v[52:55], v44 offset:2048
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[0:15], v[88:89], v[48:49], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[88:89], v[52:53], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[92:93], v[48:49], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[92:93], v[52:53], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[90:91], v[50:51], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[90:91], v[54:55], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[94:95], v[50:51], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[94:95], v[54:55], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[96:99], v75
	ds_read_b128 v[100:103], v85 offset:2048
	ds_read_b128 v[56:59], v35
	ds_read_b128 v[60:63], v45 offset:2048
	; -- store, iteration 0
	v_perm_b32 v6, v40, v36, s44
	v_perm_b32 v7, v42, v38, s44
	ds_write2_b32 v30, v6, v7 offset1:64
	v_perm_b32 v10, v40, v36, s45
	v_perm_b32 v11, v42, v38, s45
	ds_write2_b32 v31, v10, v11 offset1:64
	v_perm_b32 v6, v41, v37, s44
	v_perm_b32 v7, v43, v39, s44
	ds_write2_b32 v32, v6, v7 offset1:64
	v_perm_b32 v10, v41, v37, s45
	v_perm_b32 v11, v43, v39, s45
	ds_write2_b32 v33, v10, v11 offset1:64
	v_perm_b32 v6, v80, v76, s44
	v_perm_b32 v7, v82, v78, s44
	ds_write2_b32 v70, v6, v7 offset1:64
	v_perm_b32 v10, v80, v76, s45
	v_perm_b32 v11, v82, v78, s45
	ds_write2_b32 v71, v10, v11 offset1:64
	v_perm_b32 v6, v81, v77, s44
	v_perm_b32 v7, v83, v79, s44
	ds_write2_b32 v72, v6, v7 offset1:64
	v_perm_b32 v10, v81, v77, s45
	v_perm_b32 v11, v83, v79, s45
	ds_write2_b32 v73, v10, v11 offset1:64
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(8)
	v_mfma_f32_32x32x8_f16 a[0:15], v[96:97], v[56:57], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[96:97], v[60:61], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[100:101], v[56:57], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[100:101], v[60:61], a[48:63]
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- multiply, iteration 0
	v_mfma_f32_32x32x8_f16 a[0:15], v[98:99], v[58:59], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[98:99], v[62:63], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[102:103], v[58:59], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[102:103], v[62:63], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[88:91], v74 offset:8192
	ds_read_b128 v[92:95], v84 offset:10240
	ds_read_b128 v[48:51], v34 offset:8192
	ds_read_b128 v[52:55], v44 offset:10240
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[0:15], v[88:89], v[48:49], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[88:89], v[52:53], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[92:93], v[48:49], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[92:93], v[52:53], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[90:91], v[50:51], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[90:91], v[54:55], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[94:95], v[50:51], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[94:95], v[54:55], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[96:99], v75 offset:8192
	ds_read_b128 v[100:103], v85 offset:10240
	ds_read_b128 v[56:59], v35 offset:8192
	ds_read_b128 v[60:63], v45 offset:10240
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[0:15], v[96:97], v[56:57], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[96:97], v[60:61], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[100:101], v[56:57], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[100:101], v[60:61], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[98:99], v[58:59], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[98:99], v[62:63], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[102:103], v[58:59], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[102:103], v[62:63], a[48:63]
	s_sub_u32 s32, s32, 64  ; -- count_rest, iteration 0
	s_branch .L4
.L2:  ; pipeline_done
	s_mul_i32 s43, s35, 64  ; D and C: bases of this wave's part, bounds by columns left
	s_add_u32 s33, s33, s43
	s_mul_i32 s43, s36, 64
	s_add_u32 s34, s34, s43
	s_cmp_lt_u32 s34, s25
	s_cbranch_scc0 .L6
	s_mul_i32 s40, s16, s4
	s_mul_hi_u32 s41, s16, s4
	s_mul_i32 s42, s17, s4
	s_add_u32 s41, s41, s42
	s_lshl_b64 s[40:41], s[40:41], 1
	s_add_u32 s8, s8, s40
	s_addc_u32 s9, s9, s41
	s_mul_i32 s40, s34, s30
	s_mul_hi_u32 s41, s34, s30
	s_lshl_b64 s[40:41], s[40:41], 1
	s_add_u32 s8, s8, s40
	s_addc_u32 s9, s9, s41
	s_lshl_b32 s40, s33, 1
	s_add_u32 s8, s8, s40
	s_addc_u32 s9, s9, 0
	s_mov_b32 s48, s8
	s_and_b32 s49, s9, 0xffff
	s_mov_b32 s50, -16
	s_mov_b32 s51, 0x20000
	s_sub_u32 s40, s25, s34
	s_min_u32 s40, s40, 64
	s_sub_u32 s40, s40, 1
	s_mul_i32 s40, s40, s30
	s_sub_u32 s41, s24, s33
	s_add_u32 s40, s40, s41
	s_lshl_b32 s50, s40, 1
	s_mul_i32 s40, s18, s4
	s_mul_hi_u32 s41, s18, s4
	s_mul_i32 s42, s19, s4
	s_add_u32 s41, s41, s42
	s_lshl_b64 s[40:41], s[40:41], 1
	s_add_u32 s10, s10, s40
	s_addc_u32 s11, s11, s41
	s_mul_i32 s40, s34, s29
	s_mul_hi_u32 s41, s34, s29
	s_lshl_b64 s[40:41], s[40:41], 1
	s_add_u32 s10, s10, s40
	s_addc_u32 s11, s11, s41
	s_lshl_b32 s40, s33, 1
	s_add_u32 s10, s10, s40
	s_addc_u32 s11, s11, 0
	s_mov_b32 s56, s10
	s_and_b32 s57, s11, 0xffff
	s_mov_b32 s58, -16
	s_mov_b32 s59, 0x20000
	s_sub_u32 s40, s25, s34
	s_min_u32 s40, s40, 64
	s_sub_u32 s40, s40, 1
	s_mul_i32 s40, s40, s29
	s_sub_u32 s41, s24, s33
	s_add_u32 s40, s40, s41
	s_lshl_b32 s58, s40, 1
	s_sub_u32 s52, s24, s33
	v_and_b32 v4, 31, v1
	v_lshrrev_b32 v5, 5, v1
	v_lshlrev_b32 v5, 2, v5
	v_add_u32 v2, 0, v4
	v_cmp_gt_i32 vcc, s52, v2
	s_mov_b64 s[38:39], exec
	s_and_b64 exec, exec, vcc
	s_cbranch_execz .L7
	v_accvgpr_read_b32 v6, a0
	v_mul_f32 v6, s31, v6
	v_accvgpr_read_b32 v7, a1
	v_mul_f32 v7, s31, v7
	v_accvgpr_read_b32 v8, a2
	v_mul_f32 v8, s31, v8
	v_accvgpr_read_b32 v9, a3
	v_mul_f32 v9, s31, v9
	v_accvgpr_read_b32 v10, a4
	v_mul_f32 v10, s31, v10
	v_accvgpr_read_b32 v11, a5
	v_mul_f32 v11, s31, v11
	v_accvgpr_read_b32 v12, a6
	v_mul_f32 v12, s31, v12
	v_accvgpr_read_b32 v13, a7
	v_mul_f32 v13, s31, v13
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L8
	v_add_u32 v2, 0, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v14, v2, s[56:59], 0 offen
	v_add_u32 v2, 1, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v15, v2, s[56:59], 0 offen
	v_add_u32 v2, 2, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v16, v2, s[56:59], 0 offen
	v_add_u32 v2, 3, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v17, v2, s[56:59], 0 offen
	v_add_u32 v2, 8, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v18, v2, s[56:59], 0 offen
	v_add_u32 v2, 9, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v19, v2, s[56:59], 0 offen
	v_add_u32 v2, 10, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v20, v2, s[56:59], 0 offen
	v_add_u32 v2, 11, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v21, v2, s[56:59], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v14, v14
	v_fma_f32 v6, s5, v14, v6
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v15, v15
	v_fma_f32 v7, s5, v15, v7
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v16, v16
	v_fma_f32 v8, s5, v16, v8
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v17, v17
	v_fma_f32 v9, s5, v17, v9
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v18, v18
	v_fma_f32 v10, s5, v18, v10
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v19, v19
	v_fma_f32 v11, s5, v19, v11
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v20, v20
	v_fma_f32 v12, s5, v20, v12
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v21, v21
	v_fma_f32 v13, s5, v21, v13
.L8:  ; beta_zero
	v_cvt_f16_f32 v6, v6
	v_add_u32 v2, 0, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v6, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v7, v7
	v_add_u32 v2, 1, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v7, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v8, v8
	v_add_u32 v2, 2, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v8, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v9, v9
	v_add_u32 v2, 3, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v9, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v10, v10
	v_add_u32 v2, 8, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v10, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v11, v11
	v_add_u32 v2, 9, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v11, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v12, v12
	v_add_u32 v2, 10, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v12, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v13, v13
	v_add_u32 v2, 11, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v13, v2, s[48:51], 0 offen
	v_accvgpr_read_b32 v6, a8
	v_mul_f32 v6, s31, v6
	v_accvgpr_read_b32 v7, a9
	v_mul_f32 v7, s31, v7
	v_accvgpr_read_b32 v8, a10
	v_mul_f32 v8, s31, v8
	v_accvgpr_read_b32 v9, a11
	v_mul_f32 v9, s31, v9
	v_accvgpr_read_b32 v10, a12
	v_mul_f32 v10, s31, v10
	v_accvgpr_read_b32 v11, a13
	v_mul_f32 v11, s31, v11
	v_accvgpr_read_b32 v12, a14
	v_mul_f32 v12, s31, v12
	v_accvgpr_read_b32 v13, a15
	v_mul_f32 v13, s31, v13
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L9
	v_add_u32 v2, 16, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v14, v2, s[56:59], 0 offen
	v_add_u32 v2, 17, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v15, v2, s[56:59], 0 offen
	v_add_u32 v2, 18, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v16, v2, s[56:59], 0 offen
	v_add_u32 v2, 19, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v17, v2, s[56:59], 0 offen
	v_add_u32 v2, 24, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v18, v2, s[56:59], 0 offen
	v_add_u32 v2, 25, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v19, v2, s[56:59], 0 offen
	v_add_u32 v2, 26, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v20, v2, s[56:59], 0 offen
	v_add_u32 v2, 27, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v21, v2, s[56:59], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v14, v14
	v_fma_f32 v6, s5, v14, v6
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v15, v15
	v_fma_f32 v7, s5, v15, v7
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v16, v16
	v_fma_f32 v8, s5, v16, v8
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v17, v17
	v_fma_f32 v9, s5, v17, v9
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v18, v18
	v_fma_f32 v10, s5, v18, v10
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v19, v19
	v_fma_f32 v11, s5, v19, v11
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v20, v20
	v_fma_f32 v12, s5, v20, v12
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v21, v21
	v_fma_f32 v13, s5, v21, v13
.L9:  ; beta_zero
	v_cvt_f16_f32 v6, v6
	v_add_u32 v2, 16, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v6, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v7, v7
	v_add_u32 v2, 17, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v7, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v8, v8
	v_add_u32 v2, 18, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v8, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v9, v9
	v_add_u32 v2, 19, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v9, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v10, v10
	v_add_u32 v2, 24, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v10, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v11, v11
	v_add_u32 v2, 25, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v11, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v12, v12
	v_add_u32 v2, 26, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v12, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v13, v13
	v_add_u32 v2, 27, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v13, v2, s[48:51], 0 offen
	v_accvgpr_read_b32 v6, a32
	v_mul_f32 v6, s31, v6
	v_accvgpr_read_b32 v7, a33
	v_mul_f32 v7, s31, v7
	v_accvgpr_read_b32 v8, a34
	v_mul_f32 v8, s31, v8
	v_accvgpr_read_b32 v9, a35
	v_mul_f32 v9, s31, v9
	v_accvgpr_read_b32 v10, a36
	v_mul_f32 v10, s31, v10
	v_accvgpr_read_b32 v11, a37
	v_mul_f32 v11, s31, v11
	v_accvgpr_read_b32 v12, a38
	v_mul_f32 v12, s31, v12
	v_accvgpr_read_b32 v13, a39
	v_mul_f32 v13, s31, v13
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L10
	v_add_u32 v2, 32, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v14, v2, s[56:59], 0 offen
	v_add_u32 v2, 33, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v15, v2, s[56:59], 0 offen
	v_add_u32 v2, 34, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v16, v2, s[56:59], 0 offen
	v_add_u32 v2, 35, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v17, v2, s[56:59], 0 offen
	v_add_u32 v2, 40, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v18, v2, s[56:59], 0 offen
	v_add_u32 v2, 41, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v19, v2, s[56:59], 0 offen
	v_add_u32 v2, 42, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v20, v2, s[56:59], 0 offen
	v_add_u32 v2, 43, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v21, v2, s[56:59], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v14, v14
	v_fma_f32 v6, s5, v14, v6
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v15, v15
	v_fma_f32 v7, s5, v15, v7
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v16, v16
	v_fma_f32 v8, s5, v16, v8
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v17, v17
	v_fma_f32 v9, s5, v17, v9
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v18, v18
	v_fma_f32 v10, s5, v18, v10
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v19, v19
	v_fma_f32 v11, s5, v19, v11
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v20, v20
	v_fma_f32 v12, s5, v20, v12
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v21, v21
	v_fma_f32 v13, s5, v21, v13
.L10:  ; beta_zero
	v_cvt_f16_f32 v6, v6
	v_add_u32 v2, 32, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v6, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v7, v7
	v_add_u32 v2, 33, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v7, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v8, v8
	v_add_u32 v2, 34, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v8, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v9, v9
	v_add_u32 v2, 35, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v9, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v10, v10
	v_add_u32 v2, 40, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v10, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v11, v11
	v_add_u32 v2, 41, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v11, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v12, v12
	v_add_u32 v2, 42, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v12, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v13, v13
	v_add_u32 v2, 43, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v13, v2, s[48:51], 0 offen
	v_accvgpr_read_b32 v6, a40
	v_mul_f32 v6, s31, v6
	v_accvgpr_read_b32 v7, a41
	v_mul_f32 v7, s31, v7
	v_accvgpr_read_b32 v8, a42
	v_mul_f32 v8, s31, v8
	v_accvgpr_read_b32 v9, a43
	v_mul_f32 v9, s31, v9
	v_accvgpr_read_b32 v10, a44
	v_mul_f32 v10, s31, v10
	v_accvgpr_read_b32 v11, a45
	v_mul_f32 v11, s31, v11
	v_accvgpr_read_b32 v12, a46
	v_mul_f32 v12, s31, v12
	v_accvgpr_read_b32 v13, a47
	v_mul_f32 v13, s31, v13
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L11
	v_add_u32 v2, 48, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v14, v2, s[56:59], 0 offen
	v_add_u32 v2, 49, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v15, v2, s[56:59], 0 offen
	v_add_u32 v2, 50, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v16, v2, s[56:59], 0 offen
	v_add_u32 v2, 51, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v17, v2, s[56:59], 0 offen
	v_add_u32 v2, 56, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v18, v2, s[56:59], 0 offen
	v_add_u32 v2, 57, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v19, v2, s[56:59], 0 offen
	v_add_u32 v2, 58, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v20, v2, s[56:59], 0 offen
	v_add_u32 v2, 59, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v21, v2, s[56:59], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v14, v14
	v_fma_f32 v6, s5, v14, v6
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v15, v15
	v_fma_f32 v7, s5, v15, v7
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v16, v16
	v_fma_f32 v8, s5, v16, v8
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v17, v17
	v_fma_f32 v9, s5, v17, v9
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v18, v18
	v_fma_f32 v10, s5, v18, v10
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v19, v19
	v_fma_f32 v11, s5, v19, v11
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v20, v20
	v_fma_f32 v12, s5, v20, v12
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v21, v21
	v_fma_f32 v13, s5, v21, v13
.L11:  ; beta_zero
	v_cvt_f16_f32 v6, v6
	v_add_u32 v2, 48, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v6, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v7, v7
	v_add_u32 v2, 49, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v7, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v8, v8
	v_add_u32 v2, 50, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v8, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v9, v9
	v_add_u32 v2, 51, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v9, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v10, v10
	v_add_u32 v2, 56, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v10, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v11, v11
	v_add_u32 v2, 57, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v11, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v12, v12
	v_add_u32 v2, 58, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v12, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v13, v13
	v_add_u32 v2, 59, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v13, v2, s[48:51], 0 offen
.L7:  ; past_rows
	s_mov_b64 exec, s[38:39]
	v_add_u32 v2, 32, v4
	v_cmp_gt_i32 vcc, s52, v2
	s_mov_b64 s[38:39], exec
	s_and_b64 exec, exec, vcc
	s_cbranch_execz .L12
	v_accvgpr_read_b32 v6, a16
	v_mul_f32 v6, s31, v6
	v_accvgpr_read_b32 v7, a17
	v_mul_f32 v7, s31, v7
	v_accvgpr_read_b32 v8, a18
	v_mul_f32 v8, s31, v8
	v_accvgpr_read_b32 v9, a19
	v_mul_f32 v9, s31, v9
	v_accvgpr_read_b32 v10, a20
	v_mul_f32 v10, s31, v10
	v_accvgpr_read_b32 v11, a21
	v_mul_f32 v11, s31, v11
	v_accvgpr_read_b32 v12, a22
	v_mul_f32 v12, s31, v12
	v_accvgpr_read_b32 v13, a23
	v_mul_f32 v13, s31, v13
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L13
	v_add_u32 v2, 0, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v14, v2, s[56:59], 0 offen
	v_add_u32 v2, 1, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v15, v2, s[56:59], 0 offen
	v_add_u32 v2, 2, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v16, v2, s[56:59], 0 offen
	v_add_u32 v2, 3, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v17, v2, s[56:59], 0 offen
	v_add_u32 v2, 8, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v18, v2, s[56:59], 0 offen
	v_add_u32 v2, 9, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v19, v2, s[56:59], 0 offen
	v_add_u32 v2, 10, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v20, v2, s[56:59], 0 offen
	v_add_u32 v2, 11, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v21, v2, s[56:59], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v14, v14
	v_fma_f32 v6, s5, v14, v6
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v15, v15
	v_fma_f32 v7, s5, v15, v7
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v16, v16
	v_fma_f32 v8, s5, v16, v8
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v17, v17
	v_fma_f32 v9, s5, v17, v9
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v18, v18
	v_fma_f32 v10, s5, v18, v10
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v19, v19
	v_fma_f32 v11, s5, v19, v11
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v20, v20
	v_fma_f32 v12, s5, v20, v12
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v21, v21
	v_fma_f32 v13, s5, v21, v13
.L13:  ; beta_zero
	v_cvt_f16_f32 v6, v6
	v_add_u32 v2, 0, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v6, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v7, v7
	v_add_u32 v2, 1, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v7, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v8, v8
	v_add_u32 v2, 2, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v8, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v9, v9
	v_add_u32 v2, 3, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v9, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v10, v10
	v_add_u32 v2, 8, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v10, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v11, v11
	v_add_u32 v2, 9, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v11, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v12, v12
	v_add_u32 v2, 10, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v12, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v13, v13
	v_add_u32 v2, 11, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v13, v2, s[48:51], 0 offen
	v_accvgpr_read_b32 v6, a24
	v_mul_f32 v6, s31, v6
	v_accvgpr_read_b32 v7, a25
	v_mul_f32 v7, s31, v7
	v_accvgpr_read_b32 v8, a26
	v_mul_f32 v8, s31, v8
	v_accvgpr_read_b32 v9, a27
	v_mul_f32 v9, s31, v9
	v_accvgpr_read_b32 v10, a28
	v_mul_f32 v10, s31, v10
	v_accvgpr_read_b32 v11, a29
	v_mul_f32 v11, s31, v11
	v_accvgpr_read_b32 v12, a30
	v_mul_f32 v12, s31, v12
	v_accvgpr_read_b32 v13, a31
	v_mul_f32 v13, s31, v13
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L14
	v_add_u32 v2, 16, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v14, v2, s[56:59], 0 offen
	v_add_u32 v2, 17, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v15, v2, s[56:59], 0 offen
	v_add_u32 v2, 18, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v16, v2, s[56:59], 0 offen
	v_add_u32 v2, 19, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v17, v2, s[56:59], 0 offen
	v_add_u32 v2, 24, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v18, v2, s[56:59], 0 offen
	v_add_u32 v2, 25, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v19, v2, s[56:59], 0 offen
	v_add_u32 v2, 26, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v20, v2, s[56:59], 0 offen
	v_add_u32 v2, 27, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v21, v2, s[56:59], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v14, v14
	v_fma_f32 v6, s5, v14, v6
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v15, v15
	v_fma_f32 v7, s5, v15, v7
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v16, v16
	v_fma_f32 v8, s5, v16, v8
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v17, v17
	v_fma_f32 v9, s5, v17, v9
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v18, v18
	v_fma_f32 v10, s5, v18, v10
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v19, v19
	v_fma_f32 v11, s5, v19, v11
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v20, v20
	v_fma_f32 v12, s5, v20, v12
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v21, v21
	v_fma_f32 v13, s5, v21, v13
.L14:  ; beta_zero
	v_cvt_f16_f32 v6, v6
	v_add_u32 v2, 16, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v6, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v7, v7
	v_add_u32 v2, 17, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v7, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v8, v8
	v_add_u32 v2, 18, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v8, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v9, v9
	v_add_u32 v2, 19, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v9, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v10, v10
	v_add_u32 v2, 24, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v10, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v11, v11
	v_add_u32 v2, 25, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v11, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v12, v12
	v_add_u32 v2, 26, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v12, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v13, v13
	v_add_u32 v2, 27, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v13, v2, s[48:51], 0 offen
	v_accvgpr_read_b32 v6, a48
	v_mul_f32 v6, s31, v6
	v_accvgpr_read_b32 v7, a49
	v_mul_f32 v7, s31, v7
	v_accvgpr_read_b32 v8, a50
	v_mul_f32 v8, s31, v8
	v_accvgpr_read_b32 v9, a51
	v_mul_f32 v9, s31, v9
	v_accvgpr_read_b32 v10, a52
	v_mul_f32 v10, s31, v10
	v_accvgpr_read_b32 v11, a53
	v_mul_f32 v11, s31, v11
	v_accvgpr_read_b32 v12, a54
	v_mul_f32 v12, s31, v12
	v_accvgpr_read_b32 v13, a55
	v_mul_f32 v13, s31, v13
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L15
	v_add_u32 v2, 32, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v14, v2, s[56:59], 0 offen
	v_add_u32 v2, 33, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v15, v2, s[56:59], 0 offen
	v_add_u32 v2, 34, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v16, v2, s[56:59], 0 offen
	v_add_u32 v2, 35, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v17, v2, s[56:59], 0 offen
	v_add_u32 v2, 40, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v18, v2, s[56:59], 0 offen
	v_add_u32 v2, 41, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v19, v2, s[56:59], 0 offen
	v_add_u32 v2, 42, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v20, v2, s[56:59], 0 offen
	v_add_u32 v2, 43, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v21, v2, s[56:59], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v14, v14
	v_fma_f32 v6, s5, v14, v6
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v15, v15
	v_fma_f32 v7, s5, v15, v7
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v16, v16
	v_fma_f32 v8, s5, v16, v8
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v17, v17
	v_fma_f32 v9, s5, v17, v9
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v18, v18
	v_fma_f32 v10, s5, v18, v10
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v19, v19
	v_fma_f32 v11, s5, v19, v11
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v20, v20
	v_fma_f32 v12, s5, v20, v12
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v21, v21
	v_fma_f32 v13, s5, v21, v13
.L15:  ; beta_zero
	v_cvt_f16_f32 v6, v6
	v_add_u32 v2, 32, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v6, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v7, v7
	v_add_u32 v2, 33, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v7, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v8, v8
	v_add_u32 v2, 34, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v8, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v9, v9
	v_add_u32 v2, 35, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v9, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v10, v10
	v_add_u32 v2, 40, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v10, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v11, v11
	v_add_u32 v2, 41, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v11, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v12, v12
	v_add_u32 v2, 42, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v12, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v13, v13
	v_add_u32 v2, 43, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v13, v2, s[48:51], 0 offen
	v_accvgpr_read_b32 v6, a56
	v_mul_f32 v6, s31, v6
	v_accvgpr_read_b32 v7, a57
	v_mul_f32 v7, s31, v7
	v_accvgpr_read_b32 v8, a58
	v_mul_f32 v8, s31, v8
	v_accvgpr_read_b32 v9, a59
	v_mul_f32 v9, s31, v9
	v_accvgpr_read_b32 v10, a60
	v_mul_f32 v10, s31, v10
	v_accvgpr_read_b32 v11, a61
	v_mul_f32 v11, s31, v11
	v_accvgpr_read_b32 v12, a62
	v_mul_f32 v12, s31, v12
	v_accvgpr_read_b32 v13, a63
	v_mul_f32 v13, s31, v13
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L16
	v_add_u32 v2, 48, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v14, v2, s[56:59], 0 offen
	v_add_u32 v2, 49, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v15, v2, s[56:59], 0 offen
	v_add_u32 v2, 50, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v16, v2, s[56:59], 0 offen
	v_add_u32 v2, 51, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v17, v2, s[56:59], 0 offen
	v_add_u32 v2, 56, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v18, v2, s[56:59], 0 offen
	v_add_u32 v2, 57, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v19, v2, s[56:59], 0 offen
	v_add_u32 v2, 58, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v20, v2, s[56:59], 0 offen
	v_add_u32 v2, 59, v5
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v21, v2, s[56:59], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v14, v14
	v_fma_f32 v6, s5, v14, v6
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v15, v15
	v_fma_f32 v7, s5, v15, v7
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v16, v16
	v_fma_f32 v8, s5, v16, v8
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v17, v17
	v_fma_f32 v9, s5, v17, v9
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v18, v18
	v_fma_f32 v10, s5, v18, v10
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v19, v19
	v_fma_f32 v11, s5, v19, v11
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v20, v20
	v_fma_f32 v12, s5, v20, v12
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v21, v21
	v_fma_f32 v13, s5, v21, v13
.L16:  ; beta_zero
	v_cvt_f16_f32 v6, v6
	v_add_u32 v2, 48, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v6, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v7, v7
	v_add_u32 v2, 49, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v7, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v8, v8
	v_add_u32 v2, 50, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v8, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v9, v9
	v_add_u32 v2, 51, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v9, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v10, v10
	v_add_u32 v2, 56, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v10, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v11, v11
	v_add_u32 v2, 57, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v11, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v12, v12
	v_add_u32 v2, 58, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v12, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v13, v13
	v_add_u32 v2, 59, v5
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v4
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v13, v2, s[48:51], 0 offen
.L12:  ; past_rows
	s_mov_b64 exec, s[38:39]
.L6:  ; end
	s_endpgm
.Lend:
	.size gemm_f16_f16_nt_128x128x64_2x2, .Lend-gemm_f16_f16_nt_128x128x64_2x2

	.rodata
	.p2align 6
	.amdhsa_kernel gemm_f16_f16_nt_128x128x64_2x2
		.amdhsa_group_segment_fixed_size 32768
		.amdhsa_kernarg_size 100
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_next_free_vgpr 168
		.amdhsa_next_free_sgpr 61
		.amdhsa_accum_offset 104
		.amdhsa_float_denorm_mode_32 3
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     64
    .args:
      - .address_space:  global
        .name:           D
        .offset:         0
        .size:           8
        .type_name:      'f16*'
        .value_kind:     global_buffer
      - .address_space:  global
        .name:           C
        .offset:         8
        .size:           8
        .type_name:      'f16*'
        .value_kind:     global_buffer
      - .address_space:  global
        .name:           A
        .offset:         16
        .size:           8
        .type_name:      'f16*'
        .value_kind:     global_buffer
      - .address_space:  global
        .name:           B
        .offset:         24
        .size:           8
        .type_name:      'f16*'
        .value_kind:     global_buffer
      - .name:           stride_d
        .offset:         32
        .size:           8
        .type_name:      u64
        .value_kind:     by_value
      - .name:           stride_c
        .offset:         40
        .size:           8
        .type_name:      u64
        .value_kind:     by_value
      - .name:           stride_a
        .offset:         48
        .size:           8
        .type_name:      u64
        .value_kind:     by_value
      - .name:           stride_b
        .offset:         56
        .size:           8
        .type_name:      u64
        .value_kind:     by_value
      - .name:           m
        .offset:         64
        .size:           4
        .type_name:      u32
        .value_kind:     by_value
      - .name:           n
        .offset:         68
        .size:           4
        .type_name:      u32
        .value_kind:     by_value
      - .name:           k
        .offset:         72
        .size:           4
        .type_name:      u32
        .value_kind:     by_value
      - .name:           lda
        .offset:         76
        .size:           4
        .type_name:      u32
        .value_kind:     by_value
      - .name:           ldb
        .offset:         80
        .size:           4
        .type_name:      u32
        .value_kind:     by_value
      - .name:           ldc
        .offset:         84
        .size:           4
        .type_name:      u32
        .value_kind:     by_value
      - .name:           ldd
        .offset:         88
        .size:           4
        .type_name:      u32
        .value_kind:     by_value
      - .name:           alpha
        .offset:         92
        .size:           4
        .type_name:      f32
        .value_kind:     by_value
      - .name:           beta
        .offset:         96
        .size:           4
        .type_name:      f32
        .value_kind:     by_value
    .group_segment_fixed_size: 32768
    .kernarg_segment_align: 8
    .kernarg_segment_size: 100
    .max_flat_workgroup_size: 256
    .name:           gemm_f16_f16_nt_128x128x64_2x2
    .private_segment_fixed_size: 0
    .reqd_workgroup_size:
      - 256
      - 1
      - 1
    .sgpr_count:     67
    .sgpr_spill_count: 0
    .symbol:         gemm_f16_f16_nt_128x128x64_2x2.kd
    .uses_dynamic_stack: false
    .vgpr_count:     168
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata

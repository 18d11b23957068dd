	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 5
	.text
	.protected gemm_f16_f16_tn_128x128x64_2x2
	.globl gemm_f16_f16_tn_128x128x64_2x2
	.p2align 8
	.type gemm_f16_f16_tn_128x128x64_2x2,@function
gemm_f16_f16_tn_128x128x64_2x2:
	; registers
	;   v0         work-item id
	;   v1         lane
	;   v2         scratch x
	;   v3         scratch y
	;   v4         lane's first k in the rest of K
	;   v5         A load address
	;   v6         A load address
	;   v7         A LDS store address
	;   v8         A LDS read address
	;   v9         A LDS read address
	;   v10        B load address
	;   v11        B load address
	;   v12        B LDS store address
	;   v13        B LDS read address
	;   v14        B LDS read address
	;   v15        row; row in the wave's part of D
	;   v16        chunk
	;   v[16:23]   transposed runs of k, elements of the rest of K
	;   v16        column of register 0 in the wave's part of D
	;   v[18:25]   results
	;   v[24:31]   A on its way to LDS
	;   v[26:33]   C values
	;   v[32:35]   A fragment
	;   v[36:39]   A fragment
	;   v[40:43]   A fragment
	;   v[44:47]   A fragment
	;   v[48:55]   B on its way to LDS
	;   v[56:59]   B fragment
	;   v[60:63]   B fragment
	;   v[64:67]   B fragment
	;   v[68:71]   B fragment
	;   a[0:15]    C tile 32x32
	;   a[16:31]   C tile 32x32
	;   a[32:47]   C tile 32x32
	;   a[48:63]   C tile 32x32
	;   s[0:1]     kernel argument address
	;   s[2:4]     workgroup id x, y, z
	;   s5         beta
	;   s6         whole K blocks
	;   s7         blocks of the rest of K
	;   s[8:15]    D, C, A, B
	;   s[16:23]   stride_d, stride_c, stride_a, stride_b
	;   s[24:31]   m, n, k, lda, ldb, ldc, ldd, alpha
	;   s32        k left in them
	;   s33        first row of the block
	;   s34        first column of the block
	;   s35        wave row
	;   s36        wave column
	;   s37        A bytes per row
	;   s[38:39]   scratch mask
	;   s[40:43]   scratch
	;   s[44:47]   A buffer resource; D buffer resource
	;   s48        A bytes per k
	;   s49        A bytes per 64 k
	;   s50        A rows left
	;   s51        B bytes per row
	;   s[52:55]   B buffer resource; C buffer resource
	;   s56        B bytes per k
	;   s57        B bytes per 64 k
	;   s58        B rows left
	;   s59        D rows left
	s_load_dwordx8 s[8:15], s[0:1], 0  ; D
	s_load_dwordx8 s[16:23], s[0:1], 32  ; stride_d
	s_load_dwordx8 s[24:31], s[0:1], 64  ; m
	s_load_dword s5, s[0:1], 0x60  ; beta
	v_and_b32 v1, 63, v0
	v_readfirstlane_b32 s40, v0
	s_lshr_b32 s40, s40, 6
	s_lshr_b32 s36, s40, 1
	s_and_b32 s35, s40, 1
	s_mul_i32 s33, s2, 0x80
	s_mul_i32 s34, s3, 0x80
	s_waitcnt lgkmcnt(0)
	s_lshl_b32 s40, s31, 1
	s_cmp_eq_u32 s40, 0
	s_cselect_b32 s26, 0, s26
	s_lshl_b32 s37, s27, 1  ; A: strides, block base, lane addresses
	s_mov_b32 s48, 2
	s_lshl_b32 s49, s48, 6
	s_sub_u32 s50, s24, s33
	v_lshrrev_b32 v15, 2, v0
	v_and_b32 v16, 3, v0
	v_and_b32 v7, 6, v15
	v_lshlrev_b32 v7, 3, v7
	v_lshlrev_b32 v3, 6, v15
	v_lshl_or_b32 v3, v16, 4, v3
	v_xor_b32 v7, v3, v7
	v_add_u32 v7, 0, v7
	s_sub_u32 s40, s50, 1
	v_add_u32 v2, 0, v15
	v_min_u32 v2, s40, v2
	v_mul_lo_u32 v2, v2, s37
	v_lshl_add_u32 v5, v16, 4, v2
	v_add_u32 v2, 64, v15
	v_min_u32 v2, s40, v2
	v_mul_lo_u32 v2, v2, s37
	v_lshl_add_u32 v6, v16, 4, v2
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
	s_mov_b32 s44, s12
	s_and_b32 s45, s13, 0xffff
	s_mov_b32 s46, -16
	s_mov_b32 s47, 0x20000
	s_sub_u32 s44, s44, s49
	s_subb_u32 s45, s45, 0
	v_and_b32 v15, 31, v1
	s_mul_i32 s40, s35, 64
	v_add_u32 v15, s40, v15
	v_lshrrev_b32 v16, 5, v1
	v_and_b32 v8, 6, v15
	v_lshlrev_b32 v8, 3, v8
	v_lshlrev_b32 v3, 6, v15
	v_lshl_or_b32 v3, v16, 4, v3
	v_xor_b32 v8, v3, v8
	v_add_u32 v8, 0, v8
	v_xor_b32 v9, 32, v8
	s_lshl_b32 s51, s28, 1  ; B: strides, block base, lane addresses
	s_mov_b32 s56, 2
	s_lshl_b32 s57, s56, 6
	s_sub_u32 s58, s25, s34
	v_lshrrev_b32 v15, 2, v0
	v_and_b32 v16, 3, v0
	v_and_b32 v12, 6, v15
	v_lshlrev_b32 v12, 3, v12
	v_lshlrev_b32 v3, 6, v15
	v_lshl_or_b32 v3, v16, 4, v3
	v_xor_b32 v12, v3, v12
	v_add_u32 v12, 0x4000, v12
	s_sub_u32 s40, s58, 1
	v_add_u32 v2, 0, v15
	v_min_u32 v2, s40, v2
	v_mul_lo_u32 v2, v2, s51
	v_lshl_add_u32 v10, v16, 4, v2
	v_add_u32 v2, 64, v15
	v_min_u32 v2, s40, v2
	v_mul_lo_u32 v2, v2, s51
	v_lshl_add_u32 v11, v16, 4, v2
	s_mul_i32 s40, s22, s4
	s_mul_hi_u32 s41, s22, s4
	s_mul_i32 s42, s23, s4
	s_add_u32 s41, s41, s42
	s_lshl_b64 s[40:41], s[40:41], 1
	s_add_u32 s14, s14, s40
	s_addc_u32 s15, s15, s41
	s_mul_i32 s40, s34, s51
	s_mul_hi_u32 s41, s34, s51
	s_add_u32 s14, s14, s40
	s_addc_u32 s15, s15, s41
	s_mov_b32 s52, s14
	s_and_b32 s53, s15, 0xffff
	s_mov_b32 s54, -16
	s_mov_b32 s55, 0x20000
	s_sub_u32 s52, s52, s57
	s_subb_u32 s53, s53, 0
	v_and_b32 v15, 31, v1
	s_mul_i32 s40, s36, 64
	v_add_u32 v15, s40, v15
	v_lshrrev_b32 v16, 5, v1
	v_and_b32 v13, 6, v15
	v_lshlrev_b32 v13, 3, v13
	v_lshlrev_b32 v3, 6, v15
	v_lshl_or_b32 v3, v16, 4, v3
	v_xor_b32 v13, v3, v13
	v_add_u32 v13, 0x4000, v13
	v_xor_b32 v14, 32, v13
	s_sub_u32 s40, s26, 8
	s_cselect_b32 s40, 0, s40
	s_mov_b32 s6, s26
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
	s_add_u32 s44, s44, s49
	s_addc_u32 s45, s45, 0
	s_add_u32 s52, s52, s57
	s_addc_u32 s53, s53, 0
	; -- load, iteration 0
	buffer_load_dwordx4 v[24:27], v5, s[44:47], 0 offen
	buffer_load_dwordx4 v[28:31], v6, s[44:47], 0 offen
	buffer_load_dwordx4 v[48:51], v10, s[52:55], 0 offen
	buffer_load_dwordx4 v[52:55], v11, s[52:55], 0 offen
	; -- store, iteration 0
	s_waitcnt vmcnt(2)
	ds_write_b128 v7, v[24:27]
	ds_write_b128 v7, v[28:31] offset:4096
	s_waitcnt vmcnt(0)
	ds_write_b128 v12, v[48:51]
	ds_write_b128 v12, v[52:55] offset:4096
	; -- load, iteration 0
	buffer_load_dwordx4 v[24:27], v5, s[44:47], 0 offen offset:64
	buffer_load_dwordx4 v[28:31], v6, s[44:47], 0 offen offset:64
	buffer_load_dwordx4 v[48:51], v10, s[52:55], 0 offen offset:64
	buffer_load_dwordx4 v[52:55], v11, s[52:55], 0 offen offset:64
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- read_fragments, iteration 0
	ds_read_b128 v[56:59], v13
	ds_read_b128 v[60:63], v13 offset:2048
	ds_read_b128 v[32:35], v8
	ds_read_b128 v[36:39], v8 offset:2048
.L5:  ; pipeline
	s_waitcnt lgkmcnt(0)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[56:57], v[32:33], a[0:15]
	ds_read_b128 v[64:67], v14  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[16:31], v[56:57], v[36:37], a[16:31]  ; -- multiply
	ds_read_b128 v[68:71], v14 offset:2048  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[32:47], v[60:61], v[32:33], a[32:47]  ; -- multiply
	ds_read_b128 v[40:43], v9  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[48:63], v[60:61], v[36:37], a[48:63]  ; -- multiply
	ds_read_b128 v[44:47], v9 offset:2048  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[0:15], v[58:59], v[34:35], a[0:15]  ; -- multiply
	s_waitcnt vmcnt(2)  ; -- store
	ds_write_b128 v7, v[24:27] offset:8192
	v_mfma_f32_32x32x8_f16 a[16:31], v[58:59], v[38:39], a[16:31]  ; -- multiply
	ds_write_b128 v7, v[28:31] offset:12288  ; -- store
	v_mfma_f32_32x32x8_f16 a[32:47], v[62:63], v[34:35], a[32:47]  ; -- multiply
	s_waitcnt vmcnt(0)  ; -- store
	ds_write_b128 v12, v[48:51] offset:8192
	v_mfma_f32_32x32x8_f16 a[48:63], v[62:63], v[38:39], a[48:63]  ; -- multiply
	ds_write_b128 v12, v[52:55] offset:12288  ; -- store
	s_waitcnt lgkmcnt(4)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[64:65], v[40:41], a[0:15]
	s_add_u32 s44, s44, s49  ; -- next_block +1
	s_addc_u32 s45, s45, 0
	v_mfma_f32_32x32x8_f16 a[16:31], v[64:65], v[44:45], a[16:31]  ; -- multiply
	s_add_u32 s52, s52, s57  ; -- next_block +1
	s_addc_u32 s53, s53, 0
	v_mfma_f32_32x32x8_f16 a[32:47], v[68:69], v[40:41], a[32:47]  ; -- multiply
	buffer_load_dwordx4 v[24:27], v5, s[44:47], 0 offen  ; -- load +1
	buffer_load_dwordx4 v[28:31], v6, s[44:47], 0 offen
	v_mfma_f32_32x32x8_f16 a[48:63], v[68:69], v[44:45], a[48:63]  ; -- multiply
	buffer_load_dwordx4 v[48:51], v10, s[52:55], 0 offen  ; -- load +1
	buffer_load_dwordx4 v[52:55], v11, s[52:55], 0 offen
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier
	s_barrier
	v_mfma_f32_32x32x8_f16 a[0:15], v[66:67], v[42:43], a[0:15]  ; -- multiply
	ds_read_b128 v[56:59], v13 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[16:31], v[66:67], v[46:47], a[16:31]  ; -- multiply
	ds_read_b128 v[60:63], v13 offset:10240  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[32:47], v[70:71], v[42:43], a[32:47]  ; -- multiply
	ds_read_b128 v[32:35], v8 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[48:63], v[70:71], v[46:47], a[48:63]  ; -- multiply
	ds_read_b128 v[36:39], v8 offset:10240  ; -- read_fragments
	s_waitcnt lgkmcnt(0)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[56:57], v[32:33], a[0:15]
	ds_read_b128 v[64:67], v14 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[16:31], v[56:57], v[36:37], a[16:31]  ; -- multiply
	ds_read_b128 v[68:71], v14 offset:10240  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[32:47], v[60:61], v[32:33], a[32:47]  ; -- multiply
	ds_read_b128 v[40:43], v9 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[48:63], v[60:61], v[36:37], a[48:63]  ; -- multiply
	ds_read_b128 v[44:47], v9 offset:10240  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[0:15], v[58:59], v[34:35], a[0:15]  ; -- multiply
	s_waitcnt vmcnt(2)  ; -- store +1
	ds_write_b128 v7, v[24:27]
	v_mfma_f32_32x32x8_f16 a[16:31], v[58:59], v[38:39], a[16:31]  ; -- multiply
	ds_write_b128 v7, v[28:31] offset:4096  ; -- store +1
	v_mfma_f32_32x32x8_f16 a[32:47], v[62:63], v[34:35], a[32:47]  ; -- multiply
	s_waitcnt vmcnt(0)  ; -- store +1
	ds_write_b128 v12, v[48:51]
	v_mfma_f32_32x32x8_f16 a[48:63], v[62:63], v[38:39], a[48:63]  ; -- multiply
	ds_write_b128 v12, v[52:55] offset:4096  ; -- store +1
	s_waitcnt lgkmcnt(4)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[64:65], v[40:41], a[0:15]
	buffer_load_dwordx4 v[24:27], v5, s[44:47], 0 offen offset:64  ; -- load +1
	v_mfma_f32_32x32x8_f16 a[16:31], v[64:65], v[44:45], a[16:31]  ; -- multiply
	buffer_load_dwordx4 v[28:31], v6, s[44:47], 0 offen offset:64  ; -- load +1
	v_mfma_f32_32x32x8_f16 a[32:47], v[68:69], v[40:41], a[32:47]  ; -- multiply
	buffer_load_dwordx4 v[48:51], v10, s[52:55], 0 offen offset:64  ; -- load +1
	v_mfma_f32_32x32x8_f16 a[48:63], v[68:69], v[44:45], a[48:63]  ; -- multiply
	buffer_load_dwordx4 v[52:55], v11, s[52:55], 0 offen offset:64  ; -- load +1
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier +1
	s_barrier
	v_mfma_f32_32x32x8_f16 a[0:15], v[66:67], v[42:43], a[0:15]  ; -- multiply
	ds_read_b128 v[56:59], v13  ; -- read_fragments +1
	v_mfma_f32_32x32x8_f16 a[16:31], v[66:67], v[46:47], a[16:31]  ; -- multiply
	ds_read_b128 v[60:63], v13 offset:2048  ; -- read_fragments +1
	v_mfma_f32_32x32x8_f16 a[32:47], v[70:71], v[42:43], a[32:47]  ; -- multiply
	ds_read_b128 v[32:35], v8  ; -- read_fragments +1
	v_mfma_f32_32x32x8_f16 a[48:63], v[70:71], v[46:47], a[48:63]  ; -- multiply
	ds_read_b128 v[36:39], v8 offset:2048  ; -- read_fragments +1
	s_sub_u32 s6, s6, 1
	s_cbranch_scc0 .L5
.L3:  ; pipeline_exit_0
	s_waitcnt lgkmcnt(0)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[56:57], v[32:33], a[0:15]
	ds_read_b128 v[64:67], v14  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[16:31], v[56:57], v[36:37], a[16:31]  ; -- multiply
	ds_read_b128 v[68:71], v14 offset:2048  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[32:47], v[60:61], v[32:33], a[32:47]  ; -- multiply
	ds_read_b128 v[40:43], v9  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[48:63], v[60:61], v[36:37], a[48:63]  ; -- multiply
	ds_read_b128 v[44:47], v9 offset:2048  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[0:15], v[58:59], v[34:35], a[0:15]  ; -- multiply
	s_waitcnt vmcnt(2)  ; -- store
	ds_write_b128 v7, v[24:27] offset:8192
	v_mfma_f32_32x32x8_f16 a[16:31], v[58:59], v[38:39], a[16:31]  ; -- multiply
	ds_write_b128 v7, v[28:31] offset:12288  ; -- store
	v_mfma_f32_32x32x8_f16 a[32:47], v[62:63], v[34:35], a[32:47]  ; -- multiply
	s_waitcnt vmcnt(0)  ; -- store
	ds_write_b128 v12, v[48:51] offset:8192
	v_mfma_f32_32x32x8_f16 a[48:63], v[62:63], v[38:39], a[48:63]  ; -- multiply
	ds_write_b128 v12, v[52:55] offset:12288  ; -- store
	; -- multiply
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_32x32x8_f16 a[0:15], v[64:65], v[40:41], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[64:65], v[44:45], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[68:69], v[40:41], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[68:69], v[44:45], a[48:63]
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier
	s_barrier
	v_mfma_f32_32x32x8_f16 a[0:15], v[66:67], v[42:43], a[0:15]  ; -- multiply
	ds_read_b128 v[56:59], v13 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[16:31], v[66:67], v[46:47], a[16:31]  ; -- multiply
	ds_read_b128 v[60:63], v13 offset:10240  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[32:47], v[70:71], v[42:43], a[32:47]  ; -- multiply
	ds_read_b128 v[32:35], v8 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[48:63], v[70:71], v[46:47], a[48:63]  ; -- multiply
	ds_read_b128 v[36:39], v8 offset:10240  ; -- read_fragments
	s_waitcnt lgkmcnt(0)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[56:57], v[32:33], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[56:57], v[36:37], a[16:31]
	ds_read_b128 v[64:67], v14 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[32:47], v[60:61], v[32:33], a[32:47]  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[48:63], v[60:61], v[36:37], a[48:63]
	ds_read_b128 v[68:71], v14 offset:10240  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[0:15], v[58:59], v[34:35], a[0:15]  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[16:31], v[58:59], v[38:39], a[16:31]
	ds_read_b128 v[40:43], v9 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[32:47], v[62:63], v[34:35], a[32:47]  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[48:63], v[62:63], v[38:39], a[48:63]
	ds_read_b128 v[44:47], v9 offset:10240  ; -- read_fragments
	; -- multiply
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[0:15], v[64:65], v[40:41], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[64:65], v[44:45], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[68:69], v[40:41], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[68:69], v[44:45], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[66:67], v[42:43], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[66:67], v[46:47], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[70:71], v[42:43], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[70:71], v[46:47], a[48:63]
	s_branch .L4
.L0:  ; pipeline_few_trips
	s_cmp_gt_u32 s6, 0
	s_cbranch_scc0 .L4
	; -- next_block, iteration 0
	s_add_u32 s44, s44, s49
	s_addc_u32 s45, s45, 0
	s_add_u32 s52, s52, s57
	s_addc_u32 s53, s53, 0
	; -- load, iteration 0
	buffer_load_dwordx4 v[24:27], v5, s[44:47], 0 offen
	buffer_load_dwordx4 v[28:31], v6, s[44:47], 0 offen
	buffer_load_dwordx4 v[48:51], v10, s[52:55], 0 offen
	buffer_load_dwordx4 v[52:55], v11, s[52:55], 0 offen
	; -- store, iteration 0
	s_waitcnt vmcnt(2)
	ds_write_b128 v7, v[24:27]
	ds_write_b128 v7, v[28:31] offset:4096
	s_waitcnt vmcnt(0)
	ds_write_b128 v12, v[48:51]
	ds_write_b128 v12, v[52:55] offset:4096
	; -- load, iteration 0
	buffer_load_dwordx4 v[24:27], v5, s[44:47], 0 offen offset:64
	buffer_load_dwordx4 v[28:31], v6, s[44:47], 0 offen offset:64
	buffer_load_dwordx4 v[48:51], v10, s[52:55], 0 offen offset:64
	buffer_load_dwordx4 v[52:55], v11, s[52:55], 0 offen offset:64
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- read_fragments, iteration 0
	ds_read_b128 v[56:59], v13
	ds_read_b128 v[60:63], v13 offset:2048
	ds_read_b128 v[32:35], v8
	ds_read_b128 v[36:39], v8 offset:2048
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[0:15], v[56:57], v[32:33], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[56:57], v[36:37], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[60:61], v[32:33], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[60:61], v[36:37], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[58:59], v[34:35], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[58:59], v[38:39], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[62:63], v[34:35], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[62:63], v[38:39], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[64:67], v14
	ds_read_b128 v[68:71], v14 offset:2048
	ds_read_b128 v[40:43], v9
	ds_read_b128 v[44:47], v9 offset:2048
	; -- store, iteration 0
	s_waitcnt vmcnt(2)
	ds_write_b128 v7, v[24:27] offset:8192
	ds_write_b128 v7, v[28:31] offset:12288
	s_waitcnt vmcnt(0)
	ds_write_b128 v12, v[48:51] offset:8192
	ds_write_b128 v12, v[52:55] offset:12288
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_32x32x8_f16 a[0:15], v[64:65], v[40:41], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[64:65], v[44:45], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[68:69], v[40:41], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[68:69], v[44:45], a[48:63]
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- multiply, iteration 0
	v_mfma_f32_32x32x8_f16 a[0:15], v[66:67], v[42:43], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[66:67], v[46:47], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[70:71], v[42:43], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[70:71], v[46:47], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[56:59], v13 offset:8192
	ds_read_b128 v[60:63], v13 offset:10240
	ds_read_b128 v[32:35], v8 offset:8192
	ds_read_b128 v[36:39], v8 offset:10240
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[0:15], v[56:57], v[32:33], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[56:57], v[36:37], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[60:61], v[32:33], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[60:61], v[36:37], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[58:59], v[34:35], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[58:59], v[38:39], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[62:63], v[34:35], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[62:63], v[38:39], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[64:67], v14 offset:8192
	ds_read_b128 v[68:71], v14 offset:10240
	ds_read_b128 v[40:43], v9 offset:8192
	ds_read_b128 v[44:47], v9 offset:10240
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[0:15], v[64:65], v[40:41], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[64:65], v[44:45], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[68:69], v[40:41], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[68:69], v[44:45], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[66:67], v[42:43], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[66:67], v[46:47], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[70:71], v[42:43], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[70:71], v[46:47], a[48:63]
.L4:  ; pipeline_tail
	s_sub_u32 s7, s7, 1
	s_cbranch_scc1 .L2
	; -- next_block, iteration 0
	s_add_u32 s44, s44, s49
	s_addc_u32 s45, s45, 0
	s_add_u32 s52, s52, s57
	s_addc_u32 s53, s53, 0
	; -- load_rest, iteration 0
	v_and_b32 v4, 3, v0
	v_lshlrev_b32 v4, 3, v4
	s_sub_u32 s40, s32, 1
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0, v5
	v_or_b32 v2, v2, v3
	buffer_load_ushort v16, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 2
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 2, v5
	v_or_b32 v2, v2, v3
	buffer_load_ushort v17, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 3
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 4, v5
	v_or_b32 v2, v2, v3
	buffer_load_ushort v18, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 4
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 6, v5
	v_or_b32 v2, v2, v3
	buffer_load_ushort v19, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 5
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 8, v5
	v_or_b32 v2, v2, v3
	buffer_load_ushort v20, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 6
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 10, v5
	v_or_b32 v2, v2, v3
	buffer_load_ushort v21, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 7
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 12, v5
	v_or_b32 v2, v2, v3
	buffer_load_ushort v22, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 8
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 14, v5
	v_or_b32 v2, v2, v3
	buffer_load_ushort v23, v2, s[44:47], 0 offen
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v24, v17, 16, v16
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v25, v19, 16, v18
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v26, v21, 16, v20
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v27, v23, 16, v22
	s_sub_u32 s40, s32, 1
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0, v6
	v_or_b32 v2, v2, v3
	buffer_load_ushort v16, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 2
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 2, v6
	v_or_b32 v2, v2, v3
	buffer_load_ushort v17, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 3
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 4, v6
	v_or_b32 v2, v2, v3
	buffer_load_ushort v18, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 4
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 6, v6
	v_or_b32 v2, v2, v3
	buffer_load_ushort v19, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 5
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 8, v6
	v_or_b32 v2, v2, v3
	buffer_load_ushort v20, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 6
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 10, v6
	v_or_b32 v2, v2, v3
	buffer_load_ushort v21, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 7
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 12, v6
	v_or_b32 v2, v2, v3
	buffer_load_ushort v22, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 8
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 14, v6
	v_or_b32 v2, v2, v3
	buffer_load_ushort v23, v2, s[44:47], 0 offen
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v28, v17, 16, v16
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v29, v19, 16, v18
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v30, v21, 16, v20
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v31, v23, 16, v22
	v_and_b32 v4, 3, v0
	v_lshlrev_b32 v4, 3, v4
	s_sub_u32 s40, s32, 1
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0, v10
	v_or_b32 v2, v2, v3
	buffer_load_ushort v16, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 2
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 2, v10
	v_or_b32 v2, v2, v3
	buffer_load_ushort v17, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 3
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 4, v10
	v_or_b32 v2, v2, v3
	buffer_load_ushort v18, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 4
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 6, v10
	v_or_b32 v2, v2, v3
	buffer_load_ushort v19, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 5
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 8, v10
	v_or_b32 v2, v2, v3
	buffer_load_ushort v20, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 6
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 10, v10
	v_or_b32 v2, v2, v3
	buffer_load_ushort v21, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 7
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 12, v10
	v_or_b32 v2, v2, v3
	buffer_load_ushort v22, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 8
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 14, v10
	v_or_b32 v2, v2, v3
	buffer_load_ushort v23, v2, s[52:55], 0 offen
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v48, v17, 16, v16
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v49, v19, 16, v18
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v50, v21, 16, v20
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v51, v23, 16, v22
	s_sub_u32 s40, s32, 1
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0, v11
	v_or_b32 v2, v2, v3
	buffer_load_ushort v16, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 2
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 2, v11
	v_or_b32 v2, v2, v3
	buffer_load_ushort v17, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 3
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 4, v11
	v_or_b32 v2, v2, v3
	buffer_load_ushort v18, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 4
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 6, v11
	v_or_b32 v2, v2, v3
	buffer_load_ushort v19, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 5
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 8, v11
	v_or_b32 v2, v2, v3
	buffer_load_ushort v20, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 6
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 10, v11
	v_or_b32 v2, v2, v3
	buffer_load_ushort v21, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 7
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 12, v11
	v_or_b32 v2, v2, v3
	buffer_load_ushort v22, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 8
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 14, v11
	v_or_b32 v2, v2, v3
	buffer_load_ushort v23, v2, s[52:55], 0 offen
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v52, v17, 16, v16
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v53, v19, 16, v18
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v54, v21, 16, v20
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v55, v23, 16, v22
	; -- store, iteration 0
	ds_write_b128 v7, v[24:27]
	ds_write_b128 v7, v[28:31] offset:4096
	ds_write_b128 v12, v[48:51]
	ds_write_b128 v12, v[52:55] offset:4096
	; -- load_rest, iteration 0
	v_and_b32 v4, 3, v0
	v_lshlrev_b32 v4, 3, v4
	s_sub_u32 s40, s32, 33
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 64, v5
	v_or_b32 v2, v2, v3
	buffer_load_ushort v16, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 34
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x42, v5
	v_or_b32 v2, v2, v3
	buffer_load_ushort v17, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 35
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x44, v5
	v_or_b32 v2, v2, v3
	buffer_load_ushort v18, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 36
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x46, v5
	v_or_b32 v2, v2, v3
	buffer_load_ushort v19, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 37
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x48, v5
	v_or_b32 v2, v2, v3
	buffer_load_ushort v20, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 38
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x4a, v5
	v_or_b32 v2, v2, v3
	buffer_load_ushort v21, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 39
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x4c, v5
	v_or_b32 v2, v2, v3
	buffer_load_ushort v22, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 40
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x4e, v5
	v_or_b32 v2, v2, v3
	buffer_load_ushort v23, v2, s[44:47], 0 offen
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v24, v17, 16, v16
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v25, v19, 16, v18
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v26, v21, 16, v20
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v27, v23, 16, v22
	s_sub_u32 s40, s32, 33
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 64, v6
	v_or_b32 v2, v2, v3
	buffer_load_ushort v16, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 34
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x42, v6
	v_or_b32 v2, v2, v3
	buffer_load_ushort v17, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 35
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x44, v6
	v_or_b32 v2, v2, v3
	buffer_load_ushort v18, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 36
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x46, v6
	v_or_b32 v2, v2, v3
	buffer_load_ushort v19, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 37
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x48, v6
	v_or_b32 v2, v2, v3
	buffer_load_ushort v20, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 38
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x4a, v6
	v_or_b32 v2, v2, v3
	buffer_load_ushort v21, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 39
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x4c, v6
	v_or_b32 v2, v2, v3
	buffer_load_ushort v22, v2, s[44:47], 0 offen
	s_sub_u32 s40, s32, 40
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x4e, v6
	v_or_b32 v2, v2, v3
	buffer_load_ushort v23, v2, s[44:47], 0 offen
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v28, v17, 16, v16
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v29, v19, 16, v18
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v30, v21, 16, v20
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v31, v23, 16, v22
	v_and_b32 v4, 3, v0
	v_lshlrev_b32 v4, 3, v4
	s_sub_u32 s40, s32, 33
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 64, v10
	v_or_b32 v2, v2, v3
	buffer_load_ushort v16, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 34
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x42, v10
	v_or_b32 v2, v2, v3
	buffer_load_ushort v17, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 35
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x44, v10
	v_or_b32 v2, v2, v3
	buffer_load_ushort v18, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 36
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x46, v10
	v_or_b32 v2, v2, v3
	buffer_load_ushort v19, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 37
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x48, v10
	v_or_b32 v2, v2, v3
	buffer_load_ushort v20, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 38
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x4a, v10
	v_or_b32 v2, v2, v3
	buffer_load_ushort v21, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 39
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x4c, v10
	v_or_b32 v2, v2, v3
	buffer_load_ushort v22, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 40
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x4e, v10
	v_or_b32 v2, v2, v3
	buffer_load_ushort v23, v2, s[52:55], 0 offen
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v48, v17, 16, v16
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v49, v19, 16, v18
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v50, v21, 16, v20
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v51, v23, 16, v22
	s_sub_u32 s40, s32, 33
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 64, v11
	v_or_b32 v2, v2, v3
	buffer_load_ushort v16, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 34
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x42, v11
	v_or_b32 v2, v2, v3
	buffer_load_ushort v17, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 35
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x44, v11
	v_or_b32 v2, v2, v3
	buffer_load_ushort v18, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 36
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x46, v11
	v_or_b32 v2, v2, v3
	buffer_load_ushort v19, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 37
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x48, v11
	v_or_b32 v2, v2, v3
	buffer_load_ushort v20, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 38
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x4a, v11
	v_or_b32 v2, v2, v3
	buffer_load_ushort v21, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 39
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x4c, v11
	v_or_b32 v2, v2, v3
	buffer_load_ushort v22, v2, s[52:55], 0 offen
	s_sub_u32 s40, s32, 40
	v_sub_u32 v3, s40, v4
	v_ashrrev_i32 v3, 31, v3
	v_add_u32 v2, 0x4e, v11
	v_or_b32 v2, v2, v3
	buffer_load_ushort v23, v2, s[52:55], 0 offen
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v52, v17, 16, v16
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v53, v19, 16, v18
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v54, v21, 16, v20
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v55, v23, 16, v22
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- read_fragments, iteration 0
	ds_read_b128 v[56:59], v13
	ds_read_b128 v[60:63], v13 offset:2048
	ds_read_b128 v[32:35], v8
	ds_read_b128 v[36:39], v8 offset:2048
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[0:15], v[56:57], v[32:33], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[56:57], v[36:37], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[60:61], v[32:33], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[60:61], v[36:37], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[58:59], v[34:35], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[58:59], v[38:39], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[62:63], v[34:35], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[62:63], v[38:39], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[64:67], v14
	ds_read_b128 v[68:71], v14 offset:2048
	ds_read_b128 v[40:43], v9
	ds_read_b128 v[44:47], v9 offset:2048
	; -- store, iteration 0
	ds_write_b128 v7, v[24:27] offset:8192
	ds_write_b128 v7, v[28:31] offset:12288
	ds_write_b128 v12, v[48:51] offset:8192
	ds_write_b128 v12, v[52:55] offset:12288
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_32x32x8_f16 a[0:15], v[64:65], v[40:41], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[64:65], v[44:45], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[68:69], v[40:41], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[68:69], v[44:45], a[48:63]
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- multiply, iteration 0
	v_mfma_f32_32x32x8_f16 a[0:15], v[66:67], v[42:43], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[66:67], v[46:47], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[70:71], v[42:43], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[70:71], v[46:47], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[56:59], v13 offset:8192
	ds_read_b128 v[60:63], v13 offset:10240
	ds_read_b128 v[32:35], v8 offset:8192
	ds_read_b128 v[36:39], v8 offset:10240
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[0:15], v[56:57], v[32:33], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[56:57], v[36:37], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[60:61], v[32:33], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[60:61], v[36:37], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[58:59], v[34:35], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[58:59], v[38:39], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[62:63], v[34:35], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[62:63], v[38:39], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[64:67], v14 offset:8192
	ds_read_b128 v[68:71], v14 offset:10240
	ds_read_b128 v[40:43], v9 offset:8192
	ds_read_b128 v[44:47], v9 offset:10240
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[0:15], v[64:65], v[40:41], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[64:65], v[44:45], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[68:69], v[40:41], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[68:69], v[44:45], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[66:67], v[42:43], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[66:67], v[46:47], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[70:71], v[42:43], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[70:71], v[46:47], a[48:63]
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
	s_mov_b32 s44, s8
	s_and_b32 s45, s9, 0xffff
	s_mov_b32 s46, -16
	s_mov_b32 s47, 0x20000
	s_sub_u32 s40, s25, s34
	s_min_u32 s40, s40, 64
	s_sub_u32 s40, s40, 1
	s_mul_i32 s40, s40, s30
	s_sub_u32 s41, s24, s33
	s_add_u32 s40, s40, s41
	s_lshl_b32 s46, s40, 1
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
	s_mov_b32 s52, s10
	s_and_b32 s53, s11, 0xffff
	s_mov_b32 s54, -16
	s_mov_b32 s55, 0x20000
	s_sub_u32 s40, s25, s34
	s_min_u32 s40, s40, 64
	s_sub_u32 s40, s40, 1
	s_mul_i32 s40, s40, s29
	s_sub_u32 s41, s24, s33
	s_add_u32 s40, s40, s41
	s_lshl_b32 s54, s40, 1
	s_sub_u32 s59, s24, s33
	v_and_b32 v15, 31, v1
	v_and_b32 v16, 32, v1
	v_lshrrev_b32 v16, 3, v16
	v_add_u32 v2, 0, v15
	v_cmp_gt_i32 vcc, s59, v2
	s_mov_b64 s[38:39], exec
	s_and_b64 exec, exec, vcc
	s_cbranch_execz .L7
	v_accvgpr_read_b32 v18, a0
	v_mul_f32 v18, s31, v18
	v_accvgpr_read_b32 v19, a1
	v_mul_f32 v19, s31, v19
	v_accvgpr_read_b32 v20, a2
	v_mul_f32 v20, s31, v20
	v_accvgpr_read_b32 v21, a3
	v_mul_f32 v21, s31, v21
	v_accvgpr_read_b32 v22, a4
	v_mul_f32 v22, s31, v22
	v_accvgpr_read_b32 v23, a5
	v_mul_f32 v23, s31, v23
	v_accvgpr_read_b32 v24, a6
	v_mul_f32 v24, s31, v24
	v_accvgpr_read_b32 v25, a7
	v_mul_f32 v25, s31, v25
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L8
	v_add_u32 v2, 0, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v26, v2, s[52:55], 0 offen
	v_add_u32 v2, 1, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v27, v2, s[52:55], 0 offen
	v_add_u32 v2, 2, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v28, v2, s[52:55], 0 offen
	v_add_u32 v2, 3, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v29, v2, s[52:55], 0 offen
	v_add_u32 v2, 8, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v30, v2, s[52:55], 0 offen
	v_add_u32 v2, 9, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v31, v2, s[52:55], 0 offen
	v_add_u32 v2, 10, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v32, v2, s[52:55], 0 offen
	v_add_u32 v2, 11, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v33, v2, s[52:55], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v26, v26
	v_fma_f32 v18, s5, v26, v18
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v27, v27
	v_fma_f32 v19, s5, v27, v19
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v28, v28
	v_fma_f32 v20, s5, v28, v20
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v29, v29
	v_fma_f32 v21, s5, v29, v21
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v30, v30
	v_fma_f32 v22, s5, v30, v22
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v31, v31
	v_fma_f32 v23, s5, v31, v23
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v32, v32
	v_fma_f32 v24, s5, v32, v24
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v33, v33
	v_fma_f32 v25, s5, v33, v25
.L8:  ; beta_zero
	v_cvt_f16_f32 v18, v18
	v_cvt_f16_f32 v19, v19
	v_add_u32 v2, 0, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v18, v2, s[44:47], 0 offen
	v_add_u32 v2, 1, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v19, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v20, v20
	v_cvt_f16_f32 v21, v21
	v_add_u32 v2, 2, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v20, v2, s[44:47], 0 offen
	v_add_u32 v2, 3, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v21, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v22, v22
	v_cvt_f16_f32 v23, v23
	v_add_u32 v2, 8, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v22, v2, s[44:47], 0 offen
	v_add_u32 v2, 9, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v23, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v24, v24
	v_cvt_f16_f32 v25, v25
	v_add_u32 v2, 10, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v24, v2, s[44:47], 0 offen
	v_add_u32 v2, 11, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v25, v2, s[44:47], 0 offen
	v_accvgpr_read_b32 v18, a8
	v_mul_f32 v18, s31, v18
	v_accvgpr_read_b32 v19, a9
	v_mul_f32 v19, s31, v19
	v_accvgpr_read_b32 v20, a10
	v_mul_f32 v20, s31, v20
	v_accvgpr_read_b32 v21, a11
	v_mul_f32 v21, s31, v21
	v_accvgpr_read_b32 v22, a12
	v_mul_f32 v22, s31, v22
	v_accvgpr_read_b32 v23, a13
	v_mul_f32 v23, s31, v23
	v_accvgpr_read_b32 v24, a14
	v_mul_f32 v24, s31, v24
	v_accvgpr_read_b32 v25, a15
	v_mul_f32 v25, s31, v25
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L9
	v_add_u32 v2, 16, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v26, v2, s[52:55], 0 offen
	v_add_u32 v2, 17, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v27, v2, s[52:55], 0 offen
	v_add_u32 v2, 18, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v28, v2, s[52:55], 0 offen
	v_add_u32 v2, 19, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v29, v2, s[52:55], 0 offen
	v_add_u32 v2, 24, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v30, v2, s[52:55], 0 offen
	v_add_u32 v2, 25, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v31, v2, s[52:55], 0 offen
	v_add_u32 v2, 26, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v32, v2, s[52:55], 0 offen
	v_add_u32 v2, 27, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v33, v2, s[52:55], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v26, v26
	v_fma_f32 v18, s5, v26, v18
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v27, v27
	v_fma_f32 v19, s5, v27, v19
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v28, v28
	v_fma_f32 v20, s5, v28, v20
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v29, v29
	v_fma_f32 v21, s5, v29, v21
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v30, v30
	v_fma_f32 v22, s5, v30, v22
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v31, v31
	v_fma_f32 v23, s5, v31, v23
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v32, v32
	v_fma_f32 v24, s5, v32, v24
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v33, v33
	v_fma_f32 v25, s5, v33, v25
.L9:  ; beta_zero
	v_cvt_f16_f32 v18, v18
	v_cvt_f16_f32 v19, v19
	v_add_u32 v2, 16, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v18, v2, s[44:47], 0 offen
	v_add_u32 v2, 17, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v19, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v20, v20
	v_cvt_f16_f32 v21, v21
	v_add_u32 v2, 18, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v20, v2, s[44:47], 0 offen
	v_add_u32 v2, 19, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v21, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v22, v22
	v_cvt_f16_f32 v23, v23
	v_add_u32 v2, 24, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v22, v2, s[44:47], 0 offen
	v_add_u32 v2, 25, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v23, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v24, v24
	v_cvt_f16_f32 v25, v25
	v_add_u32 v2, 26, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v24, v2, s[44:47], 0 offen
	v_add_u32 v2, 27, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v25, v2, s[44:47], 0 offen
	v_accvgpr_read_b32 v18, a32
	v_mul_f32 v18, s31, v18
	v_accvgpr_read_b32 v19, a33
	v_mul_f32 v19, s31, v19
	v_accvgpr_read_b32 v20, a34
	v_mul_f32 v20, s31, v20
	v_accvgpr_read_b32 v21, a35
	v_mul_f32 v21, s31, v21
	v_accvgpr_read_b32 v22, a36
	v_mul_f32 v22, s31, v22
	v_accvgpr_read_b32 v23, a37
	v_mul_f32 v23, s31, v23
	v_accvgpr_read_b32 v24, a38
	v_mul_f32 v24, s31, v24
	v_accvgpr_read_b32 v25, a39
	v_mul_f32 v25, s31, v25
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L10
	v_add_u32 v2, 32, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v26, v2, s[52:55], 0 offen
	v_add_u32 v2, 33, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v27, v2, s[52:55], 0 offen
	v_add_u32 v2, 34, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v28, v2, s[52:55], 0 offen
	v_add_u32 v2, 35, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v29, v2, s[52:55], 0 offen
	v_add_u32 v2, 40, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v30, v2, s[52:55], 0 offen
	v_add_u32 v2, 41, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v31, v2, s[52:55], 0 offen
	v_add_u32 v2, 42, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v32, v2, s[52:55], 0 offen
	v_add_u32 v2, 43, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v33, v2, s[52:55], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v26, v26
	v_fma_f32 v18, s5, v26, v18
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v27, v27
	v_fma_f32 v19, s5, v27, v19
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v28, v28
	v_fma_f32 v20, s5, v28, v20
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v29, v29
	v_fma_f32 v21, s5, v29, v21
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v30, v30
	v_fma_f32 v22, s5, v30, v22
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v31, v31
	v_fma_f32 v23, s5, v31, v23
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v32, v32
	v_fma_f32 v24, s5, v32, v24
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v33, v33
	v_fma_f32 v25, s5, v33, v25
.L10:  ; beta_zero
	v_cvt_f16_f32 v18, v18
	v_cvt_f16_f32 v19, v19
	v_add_u32 v2, 32, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v18, v2, s[44:47], 0 offen
	v_add_u32 v2, 33, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v19, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v20, v20
	v_cvt_f16_f32 v21, v21
	v_add_u32 v2, 34, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v20, v2, s[44:47], 0 offen
	v_add_u32 v2, 35, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v21, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v22, v22
	v_cvt_f16_f32 v23, v23
	v_add_u32 v2, 40, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v22, v2, s[44:47], 0 offen
	v_add_u32 v2, 41, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v23, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v24, v24
	v_cvt_f16_f32 v25, v25
	v_add_u32 v2, 42, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v24, v2, s[44:47], 0 offen
	v_add_u32 v2, 43, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v25, v2, s[44:47], 0 offen
	v_accvgpr_read_b32 v18, a40
	v_mul_f32 v18, s31, v18
	v_accvgpr_read_b32 v19, a41
	v_mul_f32 v19, s31, v19
	v_accvgpr_read_b32 v20, a42
	v_mul_f32 v20, s31, v20
	v_accvgpr_read_b32 v21, a43
	v_mul_f32 v21, s31, v21
	v_accvgpr_read_b32 v22, a44
	v_mul_f32 v22, s31, v22
	v_accvgpr_read_b32 v23, a45
	v_mul_f32 v23, s31, v23
	v_accvgpr_read_b32 v24, a46
	v_mul_f32 v24, s31, v24
	v_accvgpr_read_b32 v25, a47
	v_mul_f32 v25, s31, v25
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L11
	v_add_u32 v2, 48, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v26, v2, s[52:55], 0 offen
	v_add_u32 v2, 49, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v27, v2, s[52:55], 0 offen
	v_add_u32 v2, 50, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v28, v2, s[52:55], 0 offen
	v_add_u32 v2, 51, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v29, v2, s[52:55], 0 offen
	v_add_u32 v2, 56, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v30, v2, s[52:55], 0 offen
	v_add_u32 v2, 57, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v31, v2, s[52:55], 0 offen
	v_add_u32 v2, 58, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v32, v2, s[52:55], 0 offen
	v_add_u32 v2, 59, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v33, v2, s[52:55], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v26, v26
	v_fma_f32 v18, s5, v26, v18
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v27, v27
	v_fma_f32 v19, s5, v27, v19
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v28, v28
	v_fma_f32 v20, s5, v28, v20
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v29, v29
	v_fma_f32 v21, s5, v29, v21
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v30, v30
	v_fma_f32 v22, s5, v30, v22
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v31, v31
	v_fma_f32 v23, s5, v31, v23
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v32, v32
	v_fma_f32 v24, s5, v32, v24
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v33, v33
	v_fma_f32 v25, s5, v33, v25
.L11:  ; beta_zero
	v_cvt_f16_f32 v18, v18
	v_cvt_f16_f32 v19, v19
	v_add_u32 v2, 48, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v18, v2, s[44:47], 0 offen
	v_add_u32 v2, 49, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v19, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v20, v20
	v_cvt_f16_f32 v21, v21
	v_add_u32 v2, 50, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v20, v2, s[44:47], 0 offen
	v_add_u32 v2, 51, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v21, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v22, v22
	v_cvt_f16_f32 v23, v23
	v_add_u32 v2, 56, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v22, v2, s[44:47], 0 offen
	v_add_u32 v2, 57, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v23, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v24, v24
	v_cvt_f16_f32 v25, v25
	v_add_u32 v2, 58, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v24, v2, s[44:47], 0 offen
	v_add_u32 v2, 59, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v25, v2, s[44:47], 0 offen
.L7:  ; past_rows
	s_mov_b64 exec, s[38:39]
	v_add_u32 v2, 32, v15
	v_cmp_gt_i32 vcc, s59, v2
	s_mov_b64 s[38:39], exec
	s_and_b64 exec, exec, vcc
	s_cbranch_execz .L12
	v_accvgpr_read_b32 v18, a16
	v_mul_f32 v18, s31, v18
	v_accvgpr_read_b32 v19, a17
	v_mul_f32 v19, s31, v19
	v_accvgpr_read_b32 v20, a18
	v_mul_f32 v20, s31, v20
	v_accvgpr_read_b32 v21, a19
	v_mul_f32 v21, s31, v21
	v_accvgpr_read_b32 v22, a20
	v_mul_f32 v22, s31, v22
	v_accvgpr_read_b32 v23, a21
	v_mul_f32 v23, s31, v23
	v_accvgpr_read_b32 v24, a22
	v_mul_f32 v24, s31, v24
	v_accvgpr_read_b32 v25, a23
	v_mul_f32 v25, s31, v25
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L13
	v_add_u32 v2, 0, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v26, v2, s[52:55], 0 offen
	v_add_u32 v2, 1, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v27, v2, s[52:55], 0 offen
	v_add_u32 v2, 2, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v28, v2, s[52:55], 0 offen
	v_add_u32 v2, 3, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v29, v2, s[52:55], 0 offen
	v_add_u32 v2, 8, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v30, v2, s[52:55], 0 offen
	v_add_u32 v2, 9, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v31, v2, s[52:55], 0 offen
	v_add_u32 v2, 10, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v32, v2, s[52:55], 0 offen
	v_add_u32 v2, 11, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v33, v2, s[52:55], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v26, v26
	v_fma_f32 v18, s5, v26, v18
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v27, v27
	v_fma_f32 v19, s5, v27, v19
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v28, v28
	v_fma_f32 v20, s5, v28, v20
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v29, v29
	v_fma_f32 v21, s5, v29, v21
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v30, v30
	v_fma_f32 v22, s5, v30, v22
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v31, v31
	v_fma_f32 v23, s5, v31, v23
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v32, v32
	v_fma_f32 v24, s5, v32, v24
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v33, v33
	v_fma_f32 v25, s5, v33, v25
.L13:  ; beta_zero
	v_cvt_f16_f32 v18, v18
	v_cvt_f16_f32 v19, v19
	v_add_u32 v2, 0, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v18, v2, s[44:47], 0 offen
	v_add_u32 v2, 1, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v19, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v20, v20
	v_cvt_f16_f32 v21, v21
	v_add_u32 v2, 2, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v20, v2, s[44:47], 0 offen
	v_add_u32 v2, 3, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v21, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v22, v22
	v_cvt_f16_f32 v23, v23
	v_add_u32 v2, 8, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v22, v2, s[44:47], 0 offen
	v_add_u32 v2, 9, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v23, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v24, v24
	v_cvt_f16_f32 v25, v25
	v_add_u32 v2, 10, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v24, v2, s[44:47], 0 offen
	v_add_u32 v2, 11, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v25, v2, s[44:47], 0 offen
	v_accvgpr_read_b32 v18, a24
	v_mul_f32 v18, s31, v18
	v_accvgpr_read_b32 v19, a25
	v_mul_f32 v19, s31, v19
	v_accvgpr_read_b32 v20, a26
	v_mul_f32 v20, s31, v20
	v_accvgpr_read_b32 v21, a27
	v_mul_f32 v21, s31, v21
	v_accvgpr_read_b32 v22, a28
	v_mul_f32 v22, s31, v22
	v_accvgpr_read_b32 v23, a29
	v_mul_f32 v23, s31, v23
	v_accvgpr_read_b32 v24, a30
	v_mul_f32 v24, s31, v24
	v_accvgpr_read_b32 v25, a31
	v_mul_f32 v25, s31, v25
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L14
	v_add_u32 v2, 16, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v26, v2, s[52:55], 0 offen
	v_add_u32 v2, 17, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v27, v2, s[52:55], 0 offen
	v_add_u32 v2, 18, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v28, v2, s[52:55], 0 offen
	v_add_u32 v2, 19, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v29, v2, s[52:55], 0 offen
	v_add_u32 v2, 24, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v30, v2, s[52:55], 0 offen
	v_add_u32 v2, 25, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v31, v2, s[52:55], 0 offen
	v_add_u32 v2, 26, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v32, v2, s[52:55], 0 offen
	v_add_u32 v2, 27, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v33, v2, s[52:55], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v26, v26
	v_fma_f32 v18, s5, v26, v18
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v27, v27
	v_fma_f32 v19, s5, v27, v19
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v28, v28
	v_fma_f32 v20, s5, v28, v20
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v29, v29
	v_fma_f32 v21, s5, v29, v21
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v30, v30
	v_fma_f32 v22, s5, v30, v22
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v31, v31
	v_fma_f32 v23, s5, v31, v23
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v32, v32
	v_fma_f32 v24, s5, v32, v24
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v33, v33
	v_fma_f32 v25, s5, v33, v25
.L14:  ; beta_zero
	v_cvt_f16_f32 v18, v18
	v_cvt_f16_f32 v19, v19
	v_add_u32 v2, 16, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v18, v2, s[44:47], 0 offen
	v_add_u32 v2, 17, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v19, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v20, v20
	v_cvt_f16_f32 v21, v21
	v_add_u32 v2, 18, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v20, v2, s[44:47], 0 offen
	v_add_u32 v2, 19, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v21, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v22, v22
	v_cvt_f16_f32 v23, v23
	v_add_u32 v2, 24, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v22, v2, s[44:47], 0 offen
	v_add_u32 v2, 25, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v23, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v24, v24
	v_cvt_f16_f32 v25, v25
	v_add_u32 v2, 26, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v24, v2, s[44:47], 0 offen
	v_add_u32 v2, 27, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v25, v2, s[44:47], 0 offen
	v_accvgpr_read_b32 v18, a48
	v_mul_f32 v18, s31, v18
	v_accvgpr_read_b32 v19, a49
	v_mul_f32 v19, s31, v19
	v_accvgpr_read_b32 v20, a50
	v_mul_f32 v20, s31, v20
	v_accvgpr_read_b32 v21, a51
	v_mul_f32 v21, s31, v21
	v_accvgpr_read_b32 v22, a52
	v_mul_f32 v22, s31, v22
	v_accvgpr_read_b32 v23, a53
	v_mul_f32 v23, s31, v23
	v_accvgpr_read_b32 v24, a54
	v_mul_f32 v24, s31, v24
	v_accvgpr_read_b32 v25, a55
	v_mul_f32 v25, s31, v25
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L15
	v_add_u32 v2, 32, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v26, v2, s[52:55], 0 offen
	v_add_u32 v2, 33, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v27, v2, s[52:55], 0 offen
	v_add_u32 v2, 34, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v28, v2, s[52:55], 0 offen
	v_add_u32 v2, 35, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v29, v2, s[52:55], 0 offen
	v_add_u32 v2, 40, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v30, v2, s[52:55], 0 offen
	v_add_u32 v2, 41, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v31, v2, s[52:55], 0 offen
	v_add_u32 v2, 42, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v32, v2, s[52:55], 0 offen
	v_add_u32 v2, 43, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v33, v2, s[52:55], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v26, v26
	v_fma_f32 v18, s5, v26, v18
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v27, v27
	v_fma_f32 v19, s5, v27, v19
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v28, v28
	v_fma_f32 v20, s5, v28, v20
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v29, v29
	v_fma_f32 v21, s5, v29, v21
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v30, v30
	v_fma_f32 v22, s5, v30, v22
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v31, v31
	v_fma_f32 v23, s5, v31, v23
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v32, v32
	v_fma_f32 v24, s5, v32, v24
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v33, v33
	v_fma_f32 v25, s5, v33, v25
.L15:  ; beta_zero
	v_cvt_f16_f32 v18, v18
	v_cvt_f16_f32 v19, v19
	v_add_u32 v2, 32, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v18, v2, s[44:47], 0 offen
	v_add_u32 v2, 33, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v19, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v20, v20
	v_cvt_f16_f32 v21, v21
	v_add_u32 v2, 34, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v20, v2, s[44:47], 0 offen
	v_add_u32 v2, 35, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v21, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v22, v22
	v_cvt_f16_f32 v23, v23
	v_add_u32 v2, 40, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v22, v2, s[44:47], 0 offen
	v_add_u32 v2, 41, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v23, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v24, v24
	v_cvt_f16_f32 v25, v25
	v_add_u32 v2, 42, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v24, v2, s[44:47], 0 offen
	v_add_u32 v2, 43, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v25, v2, s[44:47], 0 offen
	v_accvgpr_read_b32 v18, a56
	v_mul_f32 v18, s31, v18
	v_accvgpr_read_b32 v19, a57
	v_mul_f32 v19, s31, v19
	v_accvgpr_read_b32 v20, a58
	v_mul_f32 v20, s31, v20
	v_accvgpr_read_b32 v21, a59
	v_mul_f32 v21, s31, v21
	v_accvgpr_read_b32 v22, a60
	v_mul_f32 v22, s31, v22
	v_accvgpr_read_b32 v23, a61
	v_mul_f32 v23, s31, v23
	v_accvgpr_read_b32 v24, a62
	v_mul_f32 v24, s31, v24
	v_accvgpr_read_b32 v25, a63
	v_mul_f32 v25, s31, v25
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L16
	v_add_u32 v2, 48, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v26, v2, s[52:55], 0 offen
	v_add_u32 v2, 49, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v27, v2, s[52:55], 0 offen
	v_add_u32 v2, 50, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v28, v2, s[52:55], 0 offen
	v_add_u32 v2, 51, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v29, v2, s[52:55], 0 offen
	v_add_u32 v2, 56, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v30, v2, s[52:55], 0 offen
	v_add_u32 v2, 57, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v31, v2, s[52:55], 0 offen
	v_add_u32 v2, 58, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v32, v2, s[52:55], 0 offen
	v_add_u32 v2, 59, v16
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v33, v2, s[52:55], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v26, v26
	v_fma_f32 v18, s5, v26, v18
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v27, v27
	v_fma_f32 v19, s5, v27, v19
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v28, v28
	v_fma_f32 v20, s5, v28, v20
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v29, v29
	v_fma_f32 v21, s5, v29, v21
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v30, v30
	v_fma_f32 v22, s5, v30, v22
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v31, v31
	v_fma_f32 v23, s5, v31, v23
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v32, v32
	v_fma_f32 v24, s5, v32, v24
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v33, v33
	v_fma_f32 v25, s5, v33, v25
.L16:  ; beta_zero
	v_cvt_f16_f32 v18, v18
	v_cvt_f16_f32 v19, v19
	v_add_u32 v2, 48, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v18, v2, s[44:47], 0 offen
	v_add_u32 v2, 49, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v19, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v20, v20
	v_cvt_f16_f32 v21, v21
	v_add_u32 v2, 50, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v20, v2, s[44:47], 0 offen
	v_add_u32 v2, 51, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v21, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v22, v22
	v_cvt_f16_f32 v23, v23
	v_add_u32 v2, 56, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v22, v2, s[44:47], 0 offen
	v_add_u32 v2, 57, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v23, v2, s[44:47], 0 offen
	v_cvt_f16_f32 v24, v24
	v_cvt_f16_f32 v25, v25
	v_add_u32 v2, 58, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v24, v2, s[44:47], 0 offen
	v_add_u32 v2, 59, v16
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v15
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v25, v2, s[44:47], 0 offen
.L12:  ; past_rows
	s_mov_b64 exec, s[38:39]
.L6:  ; end
	s_endpgm
.Lend:
	.size gemm_f16_f16_tn_128x128x64_2x2, .Lend-gemm_f16_f16_tn_128x128x64_2x2

	.rodata
	.p2align 6
	.amdhsa_kernel gemm_f16_f16_tn_128x128x64_2x2
		.amdhsa_group_segment_fixed_size 32768
		.amdhsa_kernarg_size 100
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_next_free_vgpr 136
		.amdhsa_next_free_sgpr 60
		.amdhsa_accum_offset 72
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
    .name:           gemm_f16_f16_tn_128x128x64_2x2
    .private_segment_fixed_size: 0
    .reqd_workgroup_size:
      - 256
      - 1
      - 1
    .sgpr_count:     66
    .sgpr_spill_count: 0
    .symbol:         gemm_f16_f16_tn_128x128x64_2x2.kd
    .uses_dynamic_stack: false
    .vgpr_count:     136
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata

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
	;   v15        row; first row in the wave's part of D
	;   v16        chunk
	;   v[16:23]   transposed runs of k, elements of the rest of K
	;   v16        column in a step
	;   v17        byte offset in D
	;   v18        byte offset in C
	;   v19        LDS address of results written
	;   v20        LDS address of results written
	;   v21        LDS address of results written
	;   v22        LDS address of results written
	;   v23        LDS address of results read
	;   v[24:31]   A on its way to LDS
	;   v24        LDS address of results read
	;   v[26:33]   results
	;   v[32:39]   A on its way to LDS
	;   v[34:41]   values of C
	;   v[40:43]   A fragment
	;   v40        chunk
	;   v[42:49]   results
	;   v[44:47]   A fragment
	;   v[48:51]   A fragment
	;   v[50:57]   values of C
	;   v[52:55]   A fragment
	;   v[56:63]   B on its way to LDS
	;   v[58:65]   results
	;   v[64:71]   B on its way to LDS
	;   v[66:73]   values of C
	;   v[72:75]   B fragment
	;   v[74:81]   results
	;   v[76:79]   B fragment
	;   v[80:83]   B fragment
	;   v[82:89]   values of C
	;   v[84:87]   B fragment
	;   a[0:15]    C tile 32x32
	;   a[16:31]   C tile 32x32
	;   a[32:47]   C tile 32x32
	;   a[48:63]   C tile 32x32
	;   s[0:1]     kernel argument address
	;   s[2:4]     workgroup id x, y, z
	;   s5         ldd
	;   s[6:7]     ldb, ldc
	;   s[8:15]    D, C, A, B
	;   s[16:23]   stride_d, stride_c, stride_a, stride_b
	;   s[24:27]   m, n, k, lda
	;   s[28:29]   alpha, beta
	;   s30        whole K blocks
	;   s31        blocks of the rest of K
	;   s32        k left in them
	;   s33        first row of the block
	;   s34        first column of the block
	;   s35        wave row
	;   s36        wave column
	;   s37        A bytes per row
	;   s38        A bytes per k
	;   s39        A bytes per iteration
	;   s[40:43]   scratch
	;   s[44:47]   A buffer resource; D buffer resource
	;   s48        A rows left
	;   s49        B bytes per row
	;   s50        B bytes per k
	;   s51        B bytes per iteration
	;   s[52:55]   B buffer resource; C buffer resource
	;   s56        B rows left
	;   s57        rows of D in the wave's part
	;   s58        columns of D in the wave's part
	;   s59        0: whole 16 bytes at once
	;   s60        passes left
	;   s61        of the pass
	;   s[62:63]   alpha, of f32 twice
	;   s[64:67]   lanes with rows of D
	;   s68        bytes of D between steps
	;   s69        bytes of C between steps
	s_load_dwordx8 s[8:15], s[0:1], 0  ; D
	s_load_dwordx8 s[16:23], s[0:1], 32  ; stride_d
	s_load_dwordx4 s[24:27], s[0:1], 64  ; m
	s_load_dwordx2 s[6:7], s[0:1], 0x50  ; ldb
	s_load_dword s5, s[0:1], 0x58  ; ldd
	s_load_dwordx2 s[28:29], s[0:1], 0x5c  ; alpha
	v_and_b32 v1, 63, v0
	v_readfirstlane_b32 s40, v0
	s_lshr_b32 s40, s40, 6
	s_lshr_b32 s36, s40, 1
	s_and_b32 s35, s40, 1
	s_mul_i32 s33, s2, 0x80
	s_mul_i32 s34, s3, 0x80
	s_waitcnt lgkmcnt(0)
	s_lshl_b32 s40, s28, 1
	s_cmp_eq_u32 s40, 0
	s_cselect_b32 s26, 0, s26
	s_and_b32 s40, s28, 0x7fffffff
	s_cmp_gt_u32 s40, 0x7f800000
	s_cselect_b32 s28, 0x7fc00000, s28
	s_and_b32 s40, s29, 0x7fffffff
	s_cmp_gt_u32 s40, 0x7f800000
	s_cselect_b32 s29, 0x7fc00000, s29
	s_sub_u32 s48, s24, s33
	s_sub_u32 s56, s25, s34
	s_mov_b32 s30, s26
	s_lshr_b32 s30, s30, 6
	s_lshl_b32 s40, s30, 6
	s_sub_u32 s32, s26, s40
	s_add_u32 s31, s32, 63
	s_lshr_b32 s31, s31, 6
	s_lshl_b32 s37, s27, 1  ; A: strides, block base, lane addresses
	s_mov_b32 s38, 2
	s_lshl_b32 s39, s38, 6
	v_lshrrev_b32 v15, 2, v0
	v_and_b32 v16, 3, v0
	v_and_b32 v7, 6, v15
	v_lshlrev_b32 v7, 3, v7
	v_lshlrev_b32 v3, 6, v15
	v_lshl_or_b32 v3, v16, 4, v3
	v_xor_b32 v7, v3, v7
	v_add_u32 v7, 0, v7
	s_sub_u32 s40, s48, 1
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
	s_sub_u32 s44, s44, s39
	s_subb_u32 s45, s45, 0
	s_lshl_b32 s49, s6, 1  ; B: strides, block base, lane addresses
	s_mov_b32 s50, 2
	s_lshl_b32 s51, s50, 6
	v_lshrrev_b32 v15, 2, v0
	v_and_b32 v16, 3, v0
	v_and_b32 v12, 6, v15
	v_lshlrev_b32 v12, 3, v12
	v_lshlrev_b32 v3, 6, v15
	v_lshl_or_b32 v3, v16, 4, v3
	v_xor_b32 v12, v3, v12
	v_add_u32 v12, 0x4000, v12
	s_sub_u32 s40, s56, 1
	v_add_u32 v2, 0, v15
	v_min_u32 v2, s40, v2
	v_mul_lo_u32 v2, v2, s49
	v_lshl_add_u32 v10, v16, 4, v2
	v_add_u32 v2, 64, v15
	v_min_u32 v2, s40, v2
	v_mul_lo_u32 v2, v2, s49
	v_lshl_add_u32 v11, v16, 4, v2
	s_mul_i32 s40, s22, s4
	s_mul_hi_u32 s41, s22, s4
	s_mul_i32 s42, s23, s4
	s_add_u32 s41, s41, s42
	s_lshl_b64 s[40:41], s[40:41], 1
	s_add_u32 s14, s14, s40
	s_addc_u32 s15, s15, s41
	s_mul_i32 s40, s34, s49
	s_mul_hi_u32 s41, s34, s49
	s_add_u32 s14, s14, s40
	s_addc_u32 s15, s15, s41
	s_mov_b32 s52, s14
	s_and_b32 s53, s15, 0xffff
	s_mov_b32 s54, -16
	s_mov_b32 s55, 0x20000
	s_sub_u32 s52, s52, s51
	s_subb_u32 s53, s53, 0
	s_cmp_gt_u32 s30, 1
	s_cbranch_scc0 .L0
.L1:  ; pipeline_starts
	s_add_u32 s30, s30, -2
	s_add_u32 s44, s44, s39  ; -- next_block, iteration 0
	s_addc_u32 s45, s45, 0
	buffer_load_dwordx4 v[24:27], v5, s[44:47], 0 offen  ; -- load, iteration 0
	buffer_load_dwordx4 v[32:35], v5, s[44:47], 0 offen offset:64
	s_add_u32 s52, s52, s51  ; -- next_block, iteration 0
	s_addc_u32 s53, s53, 0
	; -- load, iteration 0
	buffer_load_dwordx4 v[56:59], v10, s[52:55], 0 offen
	buffer_load_dwordx4 v[64:67], v10, s[52:55], 0 offen offset:64
	buffer_load_dwordx4 v[28:31], v6, s[44:47], 0 offen
	buffer_load_dwordx4 v[60:63], v11, s[52:55], 0 offen
	buffer_load_dwordx4 v[36:39], v6, s[44:47], 0 offen offset:64
	buffer_load_dwordx4 v[68:71], v11, s[52:55], 0 offen offset:64
	v_and_b32 v15, 31, v1
	s_mul_i32 s40, s35, 64
	v_add_u32 v15, s40, v15
	v_lshrrev_b32 v40, 5, v1
	v_and_b32 v8, 6, v15
	v_lshlrev_b32 v8, 3, v8
	v_lshlrev_b32 v3, 6, v15
	v_lshl_or_b32 v3, v40, 4, v3
	v_xor_b32 v8, v3, v8
	v_add_u32 v8, 0, v8
	v_xor_b32 v9, 32, v8
	v_and_b32 v15, 31, v1
	s_mul_i32 s40, s36, 64
	v_add_u32 v15, s40, v15
	v_lshrrev_b32 v40, 5, v1
	v_and_b32 v13, 6, v15
	v_lshlrev_b32 v13, 3, v13
	v_lshlrev_b32 v3, 6, v15
	v_lshl_or_b32 v3, v40, 4, v3
	v_xor_b32 v13, v3, v13
	v_add_u32 v13, 0x4000, v13
	v_xor_b32 v14, 32, v13
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
	; -- store, iteration 0
	s_waitcnt vmcnt(3)
	ds_write_b128 v7, v[24:27]
	ds_write_b128 v7, v[28:31] offset:4096
	s_waitcnt vmcnt(2)
	ds_write_b128 v12, v[56:59]
	ds_write_b128 v12, v[60:63] offset:4096
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- read_fragments, iteration 0
	ds_read_b128 v[72:75], v13
	ds_read_b128 v[40:43], v8
	ds_read_b128 v[44:47], v8 offset:2048
	ds_read_b128 v[76:79], v13 offset:2048
.L5:  ; pipeline
	s_waitcnt lgkmcnt(2)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[40:41], v[72:73], a[0:15]
	ds_read_b128 v[80:83], v14  ; -- read_fragments
	ds_read_b128 v[48:51], v9
	s_waitcnt lgkmcnt(3)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[16:31], v[44:45], v[72:73], a[16:31]
	ds_read_b128 v[52:55], v9 offset:2048  ; -- read_fragments
	ds_read_b128 v[84:87], v14 offset:2048
	s_waitcnt lgkmcnt(4)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[32:47], v[40:41], v[76:77], a[32:47]
	s_waitcnt vmcnt(1)  ; -- store
	ds_write_b128 v7, v[32:35] offset:8192
	ds_write_b128 v7, v[36:39] offset:12288
	v_mfma_f32_32x32x8_f16 a[48:63], v[44:45], v[76:77], a[48:63]  ; -- multiply
	s_add_u32 s44, s44, s39  ; -- next_block +1
	s_addc_u32 s45, s45, 0
	v_mfma_f32_32x32x8_f16 a[0:15], v[42:43], v[74:75], a[0:15]  ; -- multiply
	buffer_load_dwordx4 v[24:27], v5, s[44:47], 0 offen  ; -- load +1
	buffer_load_dwordx4 v[32:35], v5, s[44:47], 0 offen offset:64
	v_mfma_f32_32x32x8_f16 a[16:31], v[46:47], v[74:75], a[16:31]  ; -- multiply
	s_waitcnt vmcnt(2)  ; -- store
	ds_write_b128 v12, v[64:67] offset:8192
	ds_write_b128 v12, v[68:71] offset:12288
	v_mfma_f32_32x32x8_f16 a[32:47], v[42:43], v[78:79], a[32:47]  ; -- multiply
	s_add_u32 s52, s52, s51  ; -- next_block +1
	s_addc_u32 s53, s53, 0
	v_mfma_f32_32x32x8_f16 a[48:63], v[46:47], v[78:79], a[48:63]  ; -- multiply
	buffer_load_dwordx4 v[56:59], v10, s[52:55], 0 offen  ; -- load +1
	buffer_load_dwordx4 v[64:67], v10, s[52:55], 0 offen offset:64
	; -- multiply
	s_waitcnt lgkmcnt(6)
	v_mfma_f32_32x32x8_f16 a[0:15], v[48:49], v[80:81], a[0:15]
	s_waitcnt lgkmcnt(5)
	v_mfma_f32_32x32x8_f16 a[16:31], v[52:53], v[80:81], a[16:31]
	buffer_load_dwordx4 v[28:31], v6, s[44:47], 0 offen  ; -- load +1
	s_waitcnt lgkmcnt(4)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[32:47], v[48:49], v[84:85], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[52:53], v[84:85], a[48:63]
	buffer_load_dwordx4 v[60:63], v11, s[52:55], 0 offen  ; -- load +1
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier
	s_barrier
	v_mfma_f32_32x32x8_f16 a[0:15], v[50:51], v[82:83], a[0:15]  ; -- multiply
	ds_read_b128 v[72:75], v13 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[16:31], v[54:55], v[82:83], a[16:31]  ; -- multiply
	ds_read_b128 v[40:43], v8 offset:8192  ; -- read_fragments
	ds_read_b128 v[44:47], v8 offset:10240
	v_mfma_f32_32x32x8_f16 a[32:47], v[50:51], v[86:87], a[32:47]  ; -- multiply
	ds_read_b128 v[76:79], v13 offset:10240  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[48:63], v[54:55], v[86:87], a[48:63]  ; -- multiply
	buffer_load_dwordx4 v[36:39], v6, s[44:47], 0 offen offset:64  ; -- load +1
	buffer_load_dwordx4 v[68:71], v11, s[52:55], 0 offen offset:64
	; -- multiply
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 a[0:15], v[40:41], v[72:73], a[0:15]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 a[16:31], v[44:45], v[72:73], a[16:31]
	ds_read_b128 v[80:83], v14 offset:8192  ; -- read_fragments
	s_waitcnt lgkmcnt(1)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[32:47], v[40:41], v[76:77], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[44:45], v[76:77], a[48:63]
	ds_read_b128 v[48:51], v9 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[0:15], v[42:43], v[74:75], a[0:15]  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[16:31], v[46:47], v[74:75], a[16:31]
	ds_read_b128 v[52:55], v9 offset:10240  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[32:47], v[42:43], v[78:79], a[32:47]  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[48:63], v[46:47], v[78:79], a[48:63]
	ds_read_b128 v[84:87], v14 offset:10240  ; -- read_fragments
	s_waitcnt lgkmcnt(2)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[48:49], v[80:81], a[0:15]
	s_waitcnt vmcnt(3)  ; -- store +1
	ds_write_b128 v7, v[24:27]
	s_waitcnt lgkmcnt(2)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[16:31], v[52:53], v[80:81], a[16:31]
	ds_write_b128 v7, v[28:31] offset:4096  ; -- store +1
	s_waitcnt lgkmcnt(2)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[32:47], v[48:49], v[84:85], a[32:47]
	s_waitcnt vmcnt(2)  ; -- store +1
	ds_write_b128 v12, v[56:59]
	v_mfma_f32_32x32x8_f16 a[48:63], v[52:53], v[84:85], a[48:63]  ; -- multiply
	ds_write_b128 v12, v[60:63] offset:4096  ; -- store +1
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier +1
	s_barrier
	v_mfma_f32_32x32x8_f16 a[0:15], v[50:51], v[82:83], a[0:15]  ; -- multiply
	ds_read_b128 v[72:75], v13  ; -- read_fragments +1
	v_mfma_f32_32x32x8_f16 a[16:31], v[54:55], v[82:83], a[16:31]  ; -- multiply
	ds_read_b128 v[40:43], v8  ; -- read_fragments +1
	v_mfma_f32_32x32x8_f16 a[32:47], v[50:51], v[86:87], a[32:47]  ; -- multiply
	ds_read_b128 v[44:47], v8 offset:2048  ; -- read_fragments +1
	v_mfma_f32_32x32x8_f16 a[48:63], v[54:55], v[86:87], a[48:63]  ; -- multiply
	ds_read_b128 v[76:79], v13 offset:2048  ; -- read_fragments +1
	s_sub_u32 s30, s30, 1
	s_cbranch_scc0 .L5
.L3:  ; pipeline_exit_0
	s_waitcnt lgkmcnt(2)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[40:41], v[72:73], a[0:15]
	ds_read_b128 v[80:83], v14  ; -- read_fragments
	s_waitcnt lgkmcnt(2)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[16:31], v[44:45], v[72:73], a[16:31]
	ds_read_b128 v[48:51], v9  ; -- read_fragments
	s_waitcnt lgkmcnt(2)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[32:47], v[40:41], v[76:77], a[32:47]
	ds_read_b128 v[52:55], v9 offset:2048  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[48:63], v[44:45], v[76:77], a[48:63]  ; -- multiply
	ds_read_b128 v[84:87], v14 offset:2048  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[0:15], v[42:43], v[74:75], a[0:15]  ; -- multiply
	s_waitcnt vmcnt(1)  ; -- store
	ds_write_b128 v7, v[32:35] offset:8192
	v_mfma_f32_32x32x8_f16 a[16:31], v[46:47], v[74:75], a[16:31]  ; -- multiply
	ds_write_b128 v7, v[36:39] offset:12288  ; -- store
	v_mfma_f32_32x32x8_f16 a[32:47], v[42:43], v[78:79], a[32:47]  ; -- multiply
	s_waitcnt vmcnt(0)  ; -- store
	ds_write_b128 v12, v[64:67] offset:8192
	v_mfma_f32_32x32x8_f16 a[48:63], v[46:47], v[78:79], a[48:63]  ; -- multiply
	ds_write_b128 v12, v[68:71] offset:12288  ; -- store
	; -- multiply
	s_waitcnt lgkmcnt(6)
	v_mfma_f32_32x32x8_f16 a[0:15], v[48:49], v[80:81], a[0:15]
	s_waitcnt lgkmcnt(5)
	v_mfma_f32_32x32x8_f16 a[16:31], v[52:53], v[80:81], a[16:31]
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_32x32x8_f16 a[32:47], v[48:49], v[84:85], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[52:53], v[84:85], a[48:63]
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier
	s_barrier
	v_mfma_f32_32x32x8_f16 a[0:15], v[50:51], v[82:83], a[0:15]  ; -- multiply
	ds_read_b128 v[72:75], v13 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[16:31], v[54:55], v[82:83], a[16:31]  ; -- multiply
	ds_read_b128 v[40:43], v8 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[32:47], v[50:51], v[86:87], a[32:47]  ; -- multiply
	ds_read_b128 v[44:47], v8 offset:10240  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[48:63], v[54:55], v[86:87], a[48:63]  ; -- multiply
	ds_read_b128 v[76:79], v13 offset:10240  ; -- read_fragments
	; -- multiply
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 a[0:15], v[40:41], v[72:73], a[0:15]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 a[16:31], v[44:45], v[72:73], a[16:31]
	ds_read_b128 v[80:83], v14 offset:8192  ; -- read_fragments
	s_waitcnt lgkmcnt(1)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[32:47], v[40:41], v[76:77], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[44:45], v[76:77], a[48:63]
	ds_read_b128 v[48:51], v9 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[0:15], v[42:43], v[74:75], a[0:15]  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[16:31], v[46:47], v[74:75], a[16:31]
	ds_read_b128 v[52:55], v9 offset:10240  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[32:47], v[42:43], v[78:79], a[32:47]  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[48:63], v[46:47], v[78:79], a[48:63]
	ds_read_b128 v[84:87], v14 offset:10240  ; -- read_fragments
	; -- multiply
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 a[0:15], v[48:49], v[80:81], a[0:15]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 a[16:31], v[52:53], v[80:81], a[16:31]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[32:47], v[48:49], v[84:85], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[52:53], v[84:85], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[50:51], v[82:83], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[54:55], v[82:83], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[50:51], v[86:87], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[54:55], v[86:87], a[48:63]
	s_branch .L4
.L0:  ; pipeline_few_trips
	v_and_b32 v15, 31, v1
	s_mul_i32 s40, s35, 64
	v_add_u32 v15, s40, v15
	v_lshrrev_b32 v40, 5, v1
	v_and_b32 v8, 6, v15
	v_lshlrev_b32 v8, 3, v8
	v_lshlrev_b32 v3, 6, v15
	v_lshl_or_b32 v3, v40, 4, v3
	v_xor_b32 v8, v3, v8
	v_add_u32 v8, 0, v8
	v_xor_b32 v9, 32, v8
	v_and_b32 v15, 31, v1
	s_mul_i32 s40, s36, 64
	v_add_u32 v15, s40, v15
	v_lshrrev_b32 v40, 5, v1
	v_and_b32 v13, 6, v15
	v_lshlrev_b32 v13, 3, v13
	v_lshlrev_b32 v3, 6, v15
	v_lshl_or_b32 v3, v40, 4, v3
	v_xor_b32 v13, v3, v13
	v_add_u32 v13, 0x4000, v13
	v_xor_b32 v14, 32, v13
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
	s_cmp_gt_u32 s30, 0
	s_cbranch_scc0 .L4
	s_add_u32 s44, s44, s39  ; -- next_block, iteration 0
	s_addc_u32 s45, s45, 0
	buffer_load_dwordx4 v[24:27], v5, s[44:47], 0 offen  ; -- load, iteration 0
	buffer_load_dwordx4 v[32:35], v5, s[44:47], 0 offen offset:64
	s_add_u32 s52, s52, s51  ; -- next_block, iteration 0
	s_addc_u32 s53, s53, 0
	; -- load, iteration 0
	buffer_load_dwordx4 v[56:59], v10, s[52:55], 0 offen
	buffer_load_dwordx4 v[64:67], v10, s[52:55], 0 offen offset:64
	buffer_load_dwordx4 v[28:31], v6, s[44:47], 0 offen
	buffer_load_dwordx4 v[60:63], v11, s[52:55], 0 offen
	buffer_load_dwordx4 v[36:39], v6, s[44:47], 0 offen offset:64
	buffer_load_dwordx4 v[68:71], v11, s[52:55], 0 offen offset:64
	; -- store, iteration 0
	s_waitcnt vmcnt(3)
	ds_write_b128 v7, v[24:27]
	ds_write_b128 v7, v[28:31] offset:4096
	s_waitcnt vmcnt(2)
	ds_write_b128 v12, v[56:59]
	ds_write_b128 v12, v[60:63] offset:4096
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- read_fragments, iteration 0
	ds_read_b128 v[72:75], v13
	ds_read_b128 v[40:43], v8
	ds_read_b128 v[44:47], v8 offset:2048
	ds_read_b128 v[76:79], v13 offset:2048
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 a[0:15], v[40:41], v[72:73], a[0:15]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 a[16:31], v[44:45], v[72:73], a[16:31]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[32:47], v[40:41], v[76:77], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[44:45], v[76:77], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[42:43], v[74:75], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[46:47], v[74:75], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[42:43], v[78:79], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[46:47], v[78:79], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[80:83], v14
	ds_read_b128 v[48:51], v9
	ds_read_b128 v[52:55], v9 offset:2048
	ds_read_b128 v[84:87], v14 offset:2048
	; -- store, iteration 0
	s_waitcnt vmcnt(1)
	ds_write_b128 v7, v[32:35] offset:8192
	ds_write_b128 v7, v[36:39] offset:12288
	s_waitcnt vmcnt(0)
	ds_write_b128 v12, v[64:67] offset:8192
	ds_write_b128 v12, v[68:71] offset:12288
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(6)
	v_mfma_f32_32x32x8_f16 a[0:15], v[48:49], v[80:81], a[0:15]
	s_waitcnt lgkmcnt(5)
	v_mfma_f32_32x32x8_f16 a[16:31], v[52:53], v[80:81], a[16:31]
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_32x32x8_f16 a[32:47], v[48:49], v[84:85], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[52:53], v[84:85], a[48:63]
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- multiply, iteration 0
	v_mfma_f32_32x32x8_f16 a[0:15], v[50:51], v[82:83], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[54:55], v[82:83], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[50:51], v[86:87], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[54:55], v[86:87], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[72:75], v13 offset:8192
	ds_read_b128 v[40:43], v8 offset:8192
	ds_read_b128 v[44:47], v8 offset:10240
	ds_read_b128 v[76:79], v13 offset:10240
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 a[0:15], v[40:41], v[72:73], a[0:15]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 a[16:31], v[44:45], v[72:73], a[16:31]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[32:47], v[40:41], v[76:77], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[44:45], v[76:77], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[42:43], v[74:75], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[46:47], v[74:75], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[42:43], v[78:79], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[46:47], v[78:79], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[80:83], v14 offset:8192
	ds_read_b128 v[48:51], v9 offset:8192
	ds_read_b128 v[52:55], v9 offset:10240
	ds_read_b128 v[84:87], v14 offset:10240
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 a[0:15], v[48:49], v[80:81], a[0:15]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 a[16:31], v[52:53], v[80:81], a[16:31]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[32:47], v[48:49], v[84:85], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[52:53], v[84:85], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[50:51], v[82:83], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[54:55], v[82:83], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[50:51], v[86:87], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[54:55], v[86:87], a[48:63]
.L4:  ; pipeline_tail
	s_sub_u32 s31, s31, 1
	s_cbranch_scc1 .L2
	; -- next_block, iteration 0
	s_add_u32 s44, s44, s39
	s_addc_u32 s45, s45, 0
	s_add_u32 s52, s52, s51
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
	v_lshl_or_b32 v32, v17, 16, v16
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v33, v19, 16, v18
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v34, v21, 16, v20
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v35, v23, 16, v22
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
	v_lshl_or_b32 v36, v17, 16, v16
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v37, v19, 16, v18
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v38, v21, 16, v20
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v39, v23, 16, v22
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
	v_lshl_or_b32 v56, v17, 16, v16
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v57, v19, 16, v18
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v58, v21, 16, v20
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v59, v23, 16, v22
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
	v_lshl_or_b32 v60, v17, 16, v16
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v61, v19, 16, v18
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v62, v21, 16, v20
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v63, v23, 16, v22
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
	v_lshl_or_b32 v64, v17, 16, v16
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v65, v19, 16, v18
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v66, v21, 16, v20
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v67, v23, 16, v22
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
	v_lshl_or_b32 v68, v17, 16, v16
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v69, v19, 16, v18
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v70, v21, 16, v20
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v71, v23, 16, v22
	; -- store, iteration 0
	ds_write_b128 v7, v[24:27]
	ds_write_b128 v7, v[28:31] offset:4096
	ds_write_b128 v12, v[56:59]
	ds_write_b128 v12, v[60:63] offset:4096
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- read_fragments, iteration 0
	ds_read_b128 v[72:75], v13
	ds_read_b128 v[40:43], v8
	ds_read_b128 v[44:47], v8 offset:2048
	ds_read_b128 v[76:79], v13 offset:2048
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 a[0:15], v[40:41], v[72:73], a[0:15]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 a[16:31], v[44:45], v[72:73], a[16:31]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[32:47], v[40:41], v[76:77], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[44:45], v[76:77], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[42:43], v[74:75], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[46:47], v[74:75], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[42:43], v[78:79], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[46:47], v[78:79], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[80:83], v14
	ds_read_b128 v[48:51], v9
	ds_read_b128 v[52:55], v9 offset:2048
	ds_read_b128 v[84:87], v14 offset:2048
	; -- store, iteration 0
	ds_write_b128 v7, v[32:35] offset:8192
	ds_write_b128 v7, v[36:39] offset:12288
	ds_write_b128 v12, v[64:67] offset:8192
	ds_write_b128 v12, v[68:71] offset:12288
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(6)
	v_mfma_f32_32x32x8_f16 a[0:15], v[48:49], v[80:81], a[0:15]
	s_waitcnt lgkmcnt(5)
	v_mfma_f32_32x32x8_f16 a[16:31], v[52:53], v[80:81], a[16:31]
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_32x32x8_f16 a[32:47], v[48:49], v[84:85], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[52:53], v[84:85], a[48:63]
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- multiply, iteration 0
	v_mfma_f32_32x32x8_f16 a[0:15], v[50:51], v[82:83], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[54:55], v[82:83], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[50:51], v[86:87], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[54:55], v[86:87], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[72:75], v13 offset:8192
	ds_read_b128 v[40:43], v8 offset:8192
	ds_read_b128 v[44:47], v8 offset:10240
	ds_read_b128 v[76:79], v13 offset:10240
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 a[0:15], v[40:41], v[72:73], a[0:15]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 a[16:31], v[44:45], v[72:73], a[16:31]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[32:47], v[40:41], v[76:77], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[44:45], v[76:77], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[42:43], v[74:75], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[46:47], v[74:75], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[42:43], v[78:79], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[46:47], v[78:79], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[80:83], v14 offset:8192
	ds_read_b128 v[48:51], v9 offset:8192
	ds_read_b128 v[52:55], v9 offset:10240
	ds_read_b128 v[84:87], v14 offset:10240
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 a[0:15], v[48:49], v[80:81], a[0:15]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 a[16:31], v[52:53], v[80:81], a[16:31]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[32:47], v[48:49], v[84:85], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[52:53], v[84:85], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[50:51], v[82:83], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[54:55], v[82:83], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[50:51], v[86:87], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[54:55], v[86:87], a[48:63]
	s_sub_u32 s32, s32, 64  ; -- count_rest, iteration 0
	s_branch .L4
.L2:  ; pipeline_done
	s_barrier  ; nobody reads A and B in LDS any more
	s_mul_i32 s43, s35, 64  ; D and C: this wave's part
	s_add_u32 s33, s33, s43
	s_mul_i32 s43, s36, 64
	s_add_u32 s34, s34, s43
	s_sub_u32 s57, s24, s33
	s_cselect_b32 s57, 0, s57
	s_min_u32 s57, s57, 64
	s_sub_u32 s58, s25, s34
	s_cselect_b32 s58, 0, s58
	s_min_u32 s58, s58, 64
	s_min_u32 s43, s57, s58
	s_cmp_lg_u32 s43, 0
	s_cbranch_scc0 .L6
	s_mov_b32 s62, s28
	s_mov_b32 s63, s28
	s_mov_b64 s[44:45], s[8:9]
	s_mul_i32 s40, s16, s4
	s_mul_hi_u32 s41, s16, s4
	s_mul_i32 s42, s17, s4
	s_add_u32 s41, s41, s42
	s_lshl_b64 s[40:41], s[40:41], 1
	s_add_u32 s44, s44, s40
	s_addc_u32 s45, s45, s41
	s_mul_i32 s40, s34, s5
	s_mul_hi_u32 s41, s34, s5
	s_lshl_b64 s[40:41], s[40:41], 1
	s_add_u32 s44, s44, s40
	s_addc_u32 s45, s45, s41
	s_lshl_b32 s40, s33, 1
	s_lshr_b32 s41, s33, 31
	s_add_u32 s44, s44, s40
	s_addc_u32 s45, s45, s41
	s_and_b32 s45, s45, 0xffff
	s_mov_b32 s46, -16
	s_mov_b32 s47, 0x20000
	s_lshl_b32 s68, s5, 1
	s_mov_b64 s[52:53], s[10:11]
	s_mul_i32 s40, s18, s4
	s_mul_hi_u32 s41, s18, s4
	s_mul_i32 s42, s19, s4
	s_add_u32 s41, s41, s42
	s_lshl_b64 s[40:41], s[40:41], 1
	s_add_u32 s52, s52, s40
	s_addc_u32 s53, s53, s41
	s_mul_i32 s40, s34, s7
	s_mul_hi_u32 s41, s34, s7
	s_lshl_b64 s[40:41], s[40:41], 1
	s_add_u32 s52, s52, s40
	s_addc_u32 s53, s53, s41
	s_lshl_b32 s40, s33, 1
	s_lshr_b32 s41, s33, 31
	s_add_u32 s52, s52, s40
	s_addc_u32 s53, s53, s41
	s_and_b32 s53, s53, 0xffff
	s_mov_b32 s54, -16
	s_mov_b32 s55, 0x20000
	s_lshl_b32 s69, s7, 1
	s_or_b32 s40, s52, s69
	s_mov_b32 s41, s40
	s_lshl_b32 s40, s29, 1
	s_cmp_eq_u32 s40, 0
	s_cselect_b32 s40, 0, s41
	s_or_b32 s40, s40, s44
	s_or_b32 s40, s40, s68
	s_and_b32 s40, s40, 3
	s_and_b32 s41, s57, 7
	s_or_b32 s59, s40, s41
	v_mov_b32 v2, 0
	v_and_b32 v15, 7, v1
	v_lshlrev_b32 v15, 1, v15
	v_lshlrev_b32 v15, 2, v15
	v_lshrrev_b32 v2, 2, v2
	v_or_b32 v15, v2, v15
	v_lshrrev_b32 v16, 3, v1
	v_mul_lo_u32 v17, v16, s68
	v_lshl_add_u32 v17, v15, 1, v17
	s_mul_i32 s68, s68, 8
	v_subrev_u32 v17, s68, v17
	v_mul_lo_u32 v18, v16, s69
	v_lshl_add_u32 v18, v15, 1, v18
	s_mul_i32 s69, s69, 8
	v_subrev_u32 v18, s69, v18
	v_cmp_gt_u32 vcc, s57, v15
	s_mov_b64 s[64:65], vcc
	s_mul_i32 s40, s36, 2
	s_add_u32 s40, s40, s35
	s_mul_i32 s40, s40, 0x2000
	v_and_b32 v19, 32, v1
	v_lshrrev_b32 v19, 1, v19
	v_and_b32 v3, 31, v1
	v_lshlrev_b32 v3, 3, v3
	v_and_or_b32 v3, v1, 1, v3
	v_lshlrev_b32 v3, 1, v3
	v_and_or_b32 v3, v1, 4, v3
	v_lshlrev_b32 v3, 1, v3
	v_and_or_b32 v3, v1, 2, v3
	v_lshlrev_b32 v3, 3, v3
	v_xor_b32 v19, v3, v19
	v_add_u32 v19, s40, v19
	v_xor_b32 v20, 32, v19
	v_xor_b32 v21, 64, v19
	v_xor_b32 v22, 0x60, v19
	v_and_b32 v23, 8, v1
	v_lshlrev_b32 v23, 1, v23
	v_and_or_b32 v23, v1, 32, v23
	v_lshlrev_b32 v3, 4, v1
	v_xor_b32 v23, v3, v23
	v_and_b32 v3, 16, v1
	v_lshl_or_b32 v23, v23, 1, v3
	v_add_u32 v23, s40, v23
	v_xor_b32 v24, 16, v23
	s_mov_b32 s61, 0
	s_add_u32 s60, s58, 31
	s_lshr_b32 s60, s60, 5
.L7:  ; columns
	s_cmp_eq_u32 s61, 0
	s_cbranch_scc0 .L8
	ds_write_b128 v19, a[0:3]
	ds_write_b128 v20, a[4:7]
	ds_write_b128 v21, a[8:11]
	ds_write_b128 v22, a[12:15]
	ds_write_b128 v19, a[16:19] offset:128
	ds_write_b128 v20, a[20:23] offset:128
	ds_write_b128 v21, a[24:27] offset:128
	ds_write_b128 v22, a[28:31] offset:128
.L8:  ; other_columns
	s_cmp_eq_u32 s61, 32
	s_cbranch_scc0 .L9
	ds_write_b128 v19, a[32:35]
	ds_write_b128 v20, a[36:39]
	ds_write_b128 v21, a[40:43]
	ds_write_b128 v22, a[44:47]
	ds_write_b128 v19, a[48:51] offset:128
	ds_write_b128 v20, a[52:55] offset:128
	ds_write_b128 v21, a[56:59] offset:128
	ds_write_b128 v22, a[60:63] offset:128
.L9:  ; other_columns
	ds_read_b128 v[26:29], v23
	ds_read_b128 v[30:33], v24
	ds_read_b128 v[42:45], v23 offset:2048
	ds_read_b128 v[46:49], v24 offset:2048
	ds_read_b128 v[58:61], v23 offset:4096
	ds_read_b128 v[62:65], v24 offset:4096
	ds_read_b128 v[74:77], v23 offset:6144
	ds_read_b128 v[78:81], v24 offset:6144
	s_waitcnt lgkmcnt(7)
	v_pk_mul_f32 v[26:27], s[62:63], v[26:27] op_sel_hi:[0,1]
	v_pk_mul_f32 v[28:29], s[62:63], v[28:29] op_sel_hi:[0,1]
	s_waitcnt lgkmcnt(6)
	v_pk_mul_f32 v[30:31], s[62:63], v[30:31] op_sel_hi:[0,1]
	v_pk_mul_f32 v[32:33], s[62:63], v[32:33] op_sel_hi:[0,1]
	s_waitcnt lgkmcnt(5)
	v_pk_mul_f32 v[42:43], s[62:63], v[42:43] op_sel_hi:[0,1]
	v_pk_mul_f32 v[44:45], s[62:63], v[44:45] op_sel_hi:[0,1]
	s_waitcnt lgkmcnt(4)
	v_pk_mul_f32 v[46:47], s[62:63], v[46:47] op_sel_hi:[0,1]
	v_pk_mul_f32 v[48:49], s[62:63], v[48:49] op_sel_hi:[0,1]
	s_waitcnt lgkmcnt(3)
	v_pk_mul_f32 v[58:59], s[62:63], v[58:59] op_sel_hi:[0,1]
	v_pk_mul_f32 v[60:61], s[62:63], v[60:61] op_sel_hi:[0,1]
	s_waitcnt lgkmcnt(2)
	v_pk_mul_f32 v[62:63], s[62:63], v[62:63] op_sel_hi:[0,1]
	v_pk_mul_f32 v[64:65], s[62:63], v[64:65] op_sel_hi:[0,1]
	s_waitcnt lgkmcnt(1)
	v_pk_mul_f32 v[74:75], s[62:63], v[74:75] op_sel_hi:[0,1]
	v_pk_mul_f32 v[76:77], s[62:63], v[76:77] op_sel_hi:[0,1]
	s_waitcnt lgkmcnt(0)
	v_pk_mul_f32 v[78:79], s[62:63], v[78:79] op_sel_hi:[0,1]
	v_pk_mul_f32 v[80:81], s[62:63], v[80:81] op_sel_hi:[0,1]
	s_lshl_b32 s40, s29, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L10
	s_cmp_lg_u32 s59, 0
	s_cbranch_scc1 .L11
	s_mov_b64 exec, -1
	v_add_u32 v18, s69, v18
	s_sub_u32 s40, s58, 0
	v_cmp_gt_i32 vcc, s40, v16
	s_and_b64 exec, vcc, s[64:65]
	buffer_load_dwordx4 v[34:37], v18, s[52:55], 0 offen
	s_mov_b64 exec, -1
	v_add_u32 v18, s69, v18
	s_sub_u32 s40, s58, 8
	v_cmp_gt_i32 vcc, s40, v16
	s_and_b64 exec, vcc, s[64:65]
	buffer_load_dwordx4 v[50:53], v18, s[52:55], 0 offen
	s_mov_b64 exec, -1
	v_add_u32 v18, s69, v18
	s_sub_u32 s40, s58, 16
	v_cmp_gt_i32 vcc, s40, v16
	s_and_b64 exec, vcc, s[64:65]
	buffer_load_dwordx4 v[66:69], v18, s[52:55], 0 offen
	s_mov_b64 exec, -1
	v_add_u32 v18, s69, v18
	s_sub_u32 s40, s58, 24
	v_cmp_gt_i32 vcc, s40, v16
	s_and_b64 exec, vcc, s[64:65]
	buffer_load_dwordx4 v[82:85], v18, s[52:55], 0 offen
	s_mov_b64 exec, -1
	s_waitcnt vmcnt(3)
	v_fma_mix_f32 v2, v34, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v26, s29, v2, v26
	v_fma_mix_f32 v2, v34, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v27, s29, v2, v27
	v_fma_mix_f32 v2, v35, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v28, s29, v2, v28
	v_fma_mix_f32 v2, v35, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v29, s29, v2, v29
	v_fma_mix_f32 v2, v36, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v30, s29, v2, v30
	v_fma_mix_f32 v2, v36, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v31, s29, v2, v31
	v_fma_mix_f32 v2, v37, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v32, s29, v2, v32
	v_fma_mix_f32 v2, v37, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v33, s29, v2, v33
	s_waitcnt vmcnt(2)
	v_fma_mix_f32 v2, v50, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v42, s29, v2, v42
	v_fma_mix_f32 v2, v50, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v43, s29, v2, v43
	v_fma_mix_f32 v2, v51, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v44, s29, v2, v44
	v_fma_mix_f32 v2, v51, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v45, s29, v2, v45
	v_fma_mix_f32 v2, v52, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v46, s29, v2, v46
	v_fma_mix_f32 v2, v52, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v47, s29, v2, v47
	v_fma_mix_f32 v2, v53, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v48, s29, v2, v48
	v_fma_mix_f32 v2, v53, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v49, s29, v2, v49
	s_waitcnt vmcnt(1)
	v_fma_mix_f32 v2, v66, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v58, s29, v2, v58
	v_fma_mix_f32 v2, v66, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v59, s29, v2, v59
	v_fma_mix_f32 v2, v67, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v60, s29, v2, v60
	v_fma_mix_f32 v2, v67, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v61, s29, v2, v61
	v_fma_mix_f32 v2, v68, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v62, s29, v2, v62
	v_fma_mix_f32 v2, v68, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v63, s29, v2, v63
	v_fma_mix_f32 v2, v69, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v64, s29, v2, v64
	v_fma_mix_f32 v2, v69, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v65, s29, v2, v65
	s_waitcnt vmcnt(0)
	v_fma_mix_f32 v2, v82, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v74, s29, v2, v74
	v_fma_mix_f32 v2, v82, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v75, s29, v2, v75
	v_fma_mix_f32 v2, v83, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v76, s29, v2, v76
	v_fma_mix_f32 v2, v83, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v77, s29, v2, v77
	v_fma_mix_f32 v2, v84, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v78, s29, v2, v78
	v_fma_mix_f32 v2, v84, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v79, s29, v2, v79
	v_fma_mix_f32 v2, v85, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v80, s29, v2, v80
	v_fma_mix_f32 v2, v85, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v81, s29, v2, v81
.L11:  ; by_element
	s_cmp_lg_u32 s59, 0
	s_cbranch_scc0 .L12
	s_mov_b64 exec, -1
	v_add_u32 v18, s69, v18
	s_sub_u32 s40, s58, 0
	v_cmp_gt_i32 vcc, s40, v16
	s_and_b64 exec, vcc, s[64:65]
	s_sub_u32 s40, s57, 0
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v34, v18, s[52:55], 0 offen
	s_sub_u32 s40, s57, 1
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v35, v18, s[52:55], 0 offen offset:2
	s_sub_u32 s40, s57, 2
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v36, v18, s[52:55], 0 offen offset:4
	s_sub_u32 s40, s57, 3
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v37, v18, s[52:55], 0 offen offset:6
	s_sub_u32 s40, s57, 4
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v38, v18, s[52:55], 0 offen offset:8
	s_sub_u32 s40, s57, 5
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v39, v18, s[52:55], 0 offen offset:10
	s_sub_u32 s40, s57, 6
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v40, v18, s[52:55], 0 offen offset:12
	s_sub_u32 s40, s57, 7
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v41, v18, s[52:55], 0 offen offset:14
	s_mov_b64 exec, -1
	v_add_u32 v18, s69, v18
	s_sub_u32 s40, s58, 8
	v_cmp_gt_i32 vcc, s40, v16
	s_and_b64 exec, vcc, s[64:65]
	s_sub_u32 s40, s57, 0
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v50, v18, s[52:55], 0 offen
	s_sub_u32 s40, s57, 1
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v51, v18, s[52:55], 0 offen offset:2
	s_sub_u32 s40, s57, 2
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v52, v18, s[52:55], 0 offen offset:4
	s_sub_u32 s40, s57, 3
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v53, v18, s[52:55], 0 offen offset:6
	s_sub_u32 s40, s57, 4
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v54, v18, s[52:55], 0 offen offset:8
	s_sub_u32 s40, s57, 5
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v55, v18, s[52:55], 0 offen offset:10
	s_sub_u32 s40, s57, 6
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v56, v18, s[52:55], 0 offen offset:12
	s_sub_u32 s40, s57, 7
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v57, v18, s[52:55], 0 offen offset:14
	s_mov_b64 exec, -1
	v_add_u32 v18, s69, v18
	s_sub_u32 s40, s58, 16
	v_cmp_gt_i32 vcc, s40, v16
	s_and_b64 exec, vcc, s[64:65]
	s_sub_u32 s40, s57, 0
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v66, v18, s[52:55], 0 offen
	s_sub_u32 s40, s57, 1
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v67, v18, s[52:55], 0 offen offset:2
	s_sub_u32 s40, s57, 2
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v68, v18, s[52:55], 0 offen offset:4
	s_sub_u32 s40, s57, 3
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v69, v18, s[52:55], 0 offen offset:6
	s_sub_u32 s40, s57, 4
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v70, v18, s[52:55], 0 offen offset:8
	s_sub_u32 s40, s57, 5
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v71, v18, s[52:55], 0 offen offset:10
	s_sub_u32 s40, s57, 6
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v72, v18, s[52:55], 0 offen offset:12
	s_sub_u32 s40, s57, 7
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v73, v18, s[52:55], 0 offen offset:14
	s_mov_b64 exec, -1
	v_add_u32 v18, s69, v18
	s_sub_u32 s40, s58, 24
	v_cmp_gt_i32 vcc, s40, v16
	s_and_b64 exec, vcc, s[64:65]
	s_sub_u32 s40, s57, 0
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v82, v18, s[52:55], 0 offen
	s_sub_u32 s40, s57, 1
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v83, v18, s[52:55], 0 offen offset:2
	s_sub_u32 s40, s57, 2
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v84, v18, s[52:55], 0 offen offset:4
	s_sub_u32 s40, s57, 3
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v85, v18, s[52:55], 0 offen offset:6
	s_sub_u32 s40, s57, 4
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v86, v18, s[52:55], 0 offen offset:8
	s_sub_u32 s40, s57, 5
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v87, v18, s[52:55], 0 offen offset:10
	s_sub_u32 s40, s57, 6
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v88, v18, s[52:55], 0 offen offset:12
	s_sub_u32 s40, s57, 7
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_load_ushort v89, v18, s[52:55], 0 offen offset:14
	s_mov_b64 exec, -1
	s_waitcnt vmcnt(31)
	v_fma_mix_f32 v34, v34, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v26, s29, v34, v26
	s_waitcnt vmcnt(30)
	v_fma_mix_f32 v35, v35, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v27, s29, v35, v27
	s_waitcnt vmcnt(29)
	v_fma_mix_f32 v36, v36, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v28, s29, v36, v28
	s_waitcnt vmcnt(28)
	v_fma_mix_f32 v37, v37, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v29, s29, v37, v29
	s_waitcnt vmcnt(27)
	v_fma_mix_f32 v38, v38, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v30, s29, v38, v30
	s_waitcnt vmcnt(26)
	v_fma_mix_f32 v39, v39, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v31, s29, v39, v31
	s_waitcnt vmcnt(25)
	v_fma_mix_f32 v40, v40, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v32, s29, v40, v32
	s_waitcnt vmcnt(24)
	v_fma_mix_f32 v41, v41, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v33, s29, v41, v33
	s_waitcnt vmcnt(23)
	v_fma_mix_f32 v50, v50, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v42, s29, v50, v42
	s_waitcnt vmcnt(22)
	v_fma_mix_f32 v51, v51, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v43, s29, v51, v43
	s_waitcnt vmcnt(21)
	v_fma_mix_f32 v52, v52, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v44, s29, v52, v44
	s_waitcnt vmcnt(20)
	v_fma_mix_f32 v53, v53, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v45, s29, v53, v45
	s_waitcnt vmcnt(19)
	v_fma_mix_f32 v54, v54, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v46, s29, v54, v46
	s_waitcnt vmcnt(18)
	v_fma_mix_f32 v55, v55, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v47, s29, v55, v47
	s_waitcnt vmcnt(17)
	v_fma_mix_f32 v56, v56, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v48, s29, v56, v48
	s_waitcnt vmcnt(16)
	v_fma_mix_f32 v57, v57, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v49, s29, v57, v49
	s_waitcnt vmcnt(15)
	v_fma_mix_f32 v66, v66, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v58, s29, v66, v58
	s_waitcnt vmcnt(14)
	v_fma_mix_f32 v67, v67, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v59, s29, v67, v59
	s_waitcnt vmcnt(13)
	v_fma_mix_f32 v68, v68, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v60, s29, v68, v60
	s_waitcnt vmcnt(12)
	v_fma_mix_f32 v69, v69, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v61, s29, v69, v61
	s_waitcnt vmcnt(11)
	v_fma_mix_f32 v70, v70, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v62, s29, v70, v62
	s_waitcnt vmcnt(10)
	v_fma_mix_f32 v71, v71, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v63, s29, v71, v63
	s_waitcnt vmcnt(9)
	v_fma_mix_f32 v72, v72, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v64, s29, v72, v64
	s_waitcnt vmcnt(8)
	v_fma_mix_f32 v73, v73, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v65, s29, v73, v65
	s_waitcnt vmcnt(7)
	v_fma_mix_f32 v82, v82, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v74, s29, v82, v74
	s_waitcnt vmcnt(6)
	v_fma_mix_f32 v83, v83, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v75, s29, v83, v75
	s_waitcnt vmcnt(5)
	v_fma_mix_f32 v84, v84, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v76, s29, v84, v76
	s_waitcnt vmcnt(4)
	v_fma_mix_f32 v85, v85, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v77, s29, v85, v77
	s_waitcnt vmcnt(3)
	v_fma_mix_f32 v86, v86, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v78, s29, v86, v78
	s_waitcnt vmcnt(2)
	v_fma_mix_f32 v87, v87, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v79, s29, v87, v79
	s_waitcnt vmcnt(1)
	v_fma_mix_f32 v88, v88, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v80, s29, v88, v80
	s_waitcnt vmcnt(0)
	v_fma_mix_f32 v89, v89, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v81, s29, v89, v81
.L12:  ; wide
.L10:  ; beta_zero
	v_fma_mixlo_f16 v26, v26, 0x3c00, neg(0)
	v_fma_mixhi_f16 v26, v27, 0x3c00, neg(0)
	v_fma_mixlo_f16 v27, v28, 0x3c00, neg(0)
	v_fma_mixhi_f16 v27, v29, 0x3c00, neg(0)
	v_fma_mixlo_f16 v28, v30, 0x3c00, neg(0)
	v_fma_mixhi_f16 v28, v31, 0x3c00, neg(0)
	v_fma_mixlo_f16 v29, v32, 0x3c00, neg(0)
	v_fma_mixhi_f16 v29, v33, 0x3c00, neg(0)
	v_fma_mixlo_f16 v42, v42, 0x3c00, neg(0)
	v_fma_mixhi_f16 v42, v43, 0x3c00, neg(0)
	v_fma_mixlo_f16 v43, v44, 0x3c00, neg(0)
	v_fma_mixhi_f16 v43, v45, 0x3c00, neg(0)
	v_fma_mixlo_f16 v44, v46, 0x3c00, neg(0)
	v_fma_mixhi_f16 v44, v47, 0x3c00, neg(0)
	v_fma_mixlo_f16 v45, v48, 0x3c00, neg(0)
	v_fma_mixhi_f16 v45, v49, 0x3c00, neg(0)
	v_fma_mixlo_f16 v58, v58, 0x3c00, neg(0)
	v_fma_mixhi_f16 v58, v59, 0x3c00, neg(0)
	v_fma_mixlo_f16 v59, v60, 0x3c00, neg(0)
	v_fma_mixhi_f16 v59, v61, 0x3c00, neg(0)
	v_fma_mixlo_f16 v60, v62, 0x3c00, neg(0)
	v_fma_mixhi_f16 v60, v63, 0x3c00, neg(0)
	v_fma_mixlo_f16 v61, v64, 0x3c00, neg(0)
	v_fma_mixhi_f16 v61, v65, 0x3c00, neg(0)
	v_fma_mixlo_f16 v74, v74, 0x3c00, neg(0)
	v_fma_mixhi_f16 v74, v75, 0x3c00, neg(0)
	v_fma_mixlo_f16 v75, v76, 0x3c00, neg(0)
	v_fma_mixhi_f16 v75, v77, 0x3c00, neg(0)
	v_fma_mixlo_f16 v76, v78, 0x3c00, neg(0)
	v_fma_mixhi_f16 v76, v79, 0x3c00, neg(0)
	v_fma_mixlo_f16 v77, v80, 0x3c00, neg(0)
	v_fma_mixhi_f16 v77, v81, 0x3c00, neg(0)
	s_cmp_lg_u32 s59, 0
	s_cbranch_scc1 .L13
	s_mov_b64 exec, -1
	v_add_u32 v17, s68, v17
	s_sub_u32 s40, s58, 0
	v_cmp_gt_i32 vcc, s40, v16
	s_and_b64 exec, vcc, s[64:65]
	buffer_store_dwordx4 v[26:29], v17, s[44:47], 0 offen
	s_mov_b64 exec, -1
	v_add_u32 v17, s68, v17
	s_sub_u32 s40, s58, 8
	v_cmp_gt_i32 vcc, s40, v16
	s_and_b64 exec, vcc, s[64:65]
	buffer_store_dwordx4 v[42:45], v17, s[44:47], 0 offen
	s_mov_b64 exec, -1
	v_add_u32 v17, s68, v17
	s_sub_u32 s40, s58, 16
	v_cmp_gt_i32 vcc, s40, v16
	s_and_b64 exec, vcc, s[64:65]
	buffer_store_dwordx4 v[58:61], v17, s[44:47], 0 offen
	s_mov_b64 exec, -1
	v_add_u32 v17, s68, v17
	s_sub_u32 s40, s58, 24
	v_cmp_gt_i32 vcc, s40, v16
	s_and_b64 exec, vcc, s[64:65]
	buffer_store_dwordx4 v[74:77], v17, s[44:47], 0 offen
.L13:  ; by_element
	s_cmp_lg_u32 s59, 0
	s_cbranch_scc0 .L14
	s_mov_b64 exec, -1
	v_add_u32 v17, s68, v17
	s_sub_u32 s40, s58, 0
	v_cmp_gt_i32 vcc, s40, v16
	s_and_b64 exec, vcc, s[64:65]
	s_sub_u32 s40, s57, 0
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short v26, v17, s[44:47], 0 offen
	s_sub_u32 s40, s57, 1
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v26, v17, s[44:47], 0 offen offset:2
	s_sub_u32 s40, s57, 2
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short v27, v17, s[44:47], 0 offen offset:4
	s_sub_u32 s40, s57, 3
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v27, v17, s[44:47], 0 offen offset:6
	s_sub_u32 s40, s57, 4
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short v28, v17, s[44:47], 0 offen offset:8
	s_sub_u32 s40, s57, 5
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v28, v17, s[44:47], 0 offen offset:10
	s_sub_u32 s40, s57, 6
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short v29, v17, s[44:47], 0 offen offset:12
	s_sub_u32 s40, s57, 7
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v29, v17, s[44:47], 0 offen offset:14
	s_mov_b64 exec, -1
	v_add_u32 v17, s68, v17
	s_sub_u32 s40, s58, 8
	v_cmp_gt_i32 vcc, s40, v16
	s_and_b64 exec, vcc, s[64:65]
	s_sub_u32 s40, s57, 0
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short v42, v17, s[44:47], 0 offen
	s_sub_u32 s40, s57, 1
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v42, v17, s[44:47], 0 offen offset:2
	s_sub_u32 s40, s57, 2
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short v43, v17, s[44:47], 0 offen offset:4
	s_sub_u32 s40, s57, 3
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v43, v17, s[44:47], 0 offen offset:6
	s_sub_u32 s40, s57, 4
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short v44, v17, s[44:47], 0 offen offset:8
	s_sub_u32 s40, s57, 5
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v44, v17, s[44:47], 0 offen offset:10
	s_sub_u32 s40, s57, 6
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short v45, v17, s[44:47], 0 offen offset:12
	s_sub_u32 s40, s57, 7
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v45, v17, s[44:47], 0 offen offset:14
	s_mov_b64 exec, -1
	v_add_u32 v17, s68, v17
	s_sub_u32 s40, s58, 16
	v_cmp_gt_i32 vcc, s40, v16
	s_and_b64 exec, vcc, s[64:65]
	s_sub_u32 s40, s57, 0
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short v58, v17, s[44:47], 0 offen
	s_sub_u32 s40, s57, 1
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v58, v17, s[44:47], 0 offen offset:2
	s_sub_u32 s40, s57, 2
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short v59, v17, s[44:47], 0 offen offset:4
	s_sub_u32 s40, s57, 3
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v59, v17, s[44:47], 0 offen offset:6
	s_sub_u32 s40, s57, 4
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short v60, v17, s[44:47], 0 offen offset:8
	s_sub_u32 s40, s57, 5
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v60, v17, s[44:47], 0 offen offset:10
	s_sub_u32 s40, s57, 6
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short v61, v17, s[44:47], 0 offen offset:12
	s_sub_u32 s40, s57, 7
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v61, v17, s[44:47], 0 offen offset:14
	s_mov_b64 exec, -1
	v_add_u32 v17, s68, v17
	s_sub_u32 s40, s58, 24
	v_cmp_gt_i32 vcc, s40, v16
	s_and_b64 exec, vcc, s[64:65]
	s_sub_u32 s40, s57, 0
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short v74, v17, s[44:47], 0 offen
	s_sub_u32 s40, s57, 1
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v74, v17, s[44:47], 0 offen offset:2
	s_sub_u32 s40, s57, 2
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short v75, v17, s[44:47], 0 offen offset:4
	s_sub_u32 s40, s57, 3
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v75, v17, s[44:47], 0 offen offset:6
	s_sub_u32 s40, s57, 4
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short v76, v17, s[44:47], 0 offen offset:8
	s_sub_u32 s40, s57, 5
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v76, v17, s[44:47], 0 offen offset:10
	s_sub_u32 s40, s57, 6
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short v77, v17, s[44:47], 0 offen offset:12
	s_sub_u32 s40, s57, 7
	v_cmp_gt_i32 vcc, s40, v15
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v77, v17, s[44:47], 0 offen offset:14
.L14:  ; wide
	s_mov_b64 exec, -1
	s_add_u32 s61, s61, 32
	s_sub_u32 s58, s58, 32
	s_sub_u32 s60, s60, 1
	s_cmp_lg_u32 s60, 0
	s_cbranch_scc1 .L7
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
		.amdhsa_next_free_vgpr 156
		.amdhsa_next_free_sgpr 70
		.amdhsa_accum_offset 92
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
    .sgpr_count:     76
    .sgpr_spill_count: 0
    .symbol:         gemm_f16_f16_tn_128x128x64_2x2.kd
    .uses_dynamic_stack: false
    .vgpr_count:     156
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata

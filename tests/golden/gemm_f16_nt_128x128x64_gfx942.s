	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 5
	.text
	.protected gemm_f16_f16_nt_128x128x64_2x2
	.globl gemm_f16_f16_nt_128x128x64_2x2
	.p2align 8
	.type gemm_f16_f16_nt_128x128x64_2x2,@function
gemm_f16_f16_nt_128x128x64_2x2:
	; registers
	;   v0         work-item id
	;   v1         lane
	;   v2         scratch x
	;   v3         scratch y
	;   v4         lane's first k in the rest of K
	;   v5         A load address
	;   v6         A load address
	;   v7         A load address
	;   v8         A load address
	;   v9         A LDS store address
	;   v10        A LDS store address
	;   v11        A LDS store address
	;   v12        A LDS store address
	;   v13        A LDS store address
	;   v14        A LDS store address
	;   v15        A LDS store address
	;   v16        A LDS store address
	;   v17        A LDS read address
	;   v18        A LDS read address
	;   v19        A LDS read address
	;   v20        A LDS read address
	;   v21        B load address
	;   v22        B load address
	;   v23        B load address
	;   v24        B load address
	;   v25        B LDS store address
	;   v26        B LDS store address
	;   v27        B LDS store address
	;   v28        B LDS store address
	;   v29        B LDS store address
	;   v30        B LDS store address
	;   v31        B LDS store address
	;   v32        B LDS store address
	;   v33        B LDS read address
	;   v34        B LDS read address
	;   v35        B LDS read address
	;   v36        B LDS read address
	;   v37        first row; row; row in the wave's part of D
	;   v38        first k; chunk
	;   v[38:45]   transposed runs of k, elements of the rest of K
	;   v38        column of register 0 in the wave's part of D
	;   v39        first row that is loaded
	;   v[40:47]   results
	;   v[48:55]   A on its way to LDS; C values
	;   v[56:59]   A fragment
	;   v[60:63]   A fragment
	;   v[64:67]   A fragment
	;   v[68:71]   A fragment
	;   v[72:79]   B on its way to LDS
	;   v[80:83]   B fragment
	;   v[84:87]   B fragment
	;   v[88:91]   B fragment
	;   v[92:95]   B fragment
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
	;   s37        v_perm selector: low halves
	;   s[38:39]   scratch mask
	;   s[40:43]   scratch
	;   s44        v_perm selector: high halves
	;   s45        A bytes per row
	;   s46        A bytes per k
	;   s47        A bytes per 64 k
	;   s[48:51]   A buffer resource; D buffer resource
	;   s52        A rows left
	;   s53        B bytes per row
	;   s54        B bytes per k
	;   s55        B bytes per 64 k
	;   s[56:59]   B buffer resource; C buffer resource
	;   s60        B rows left
	;   s61        D rows left
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
	s_mov_b32 s37, 0x5040100
	s_mov_b32 s44, 0x7060302
	s_lshl_b32 s46, s27, 1  ; A: strides, block base, lane addresses
	s_mov_b32 s45, 2
	s_lshl_b32 s47, s46, 6
	s_sub_u32 s52, s24, s33
	v_and_b32 v37, 7, v0
	v_lshlrev_b32 v37, 2, v37
	v_and_or_b32 v37, v0, 32, v37
	v_lshlrev_b32 v37, 1, v37
	v_and_b32 v38, 0xc0, v0
	v_lshrrev_b32 v38, 3, v38
	v_bfe_u32 v2, v0, 3, 2
	v_lshl_or_b32 v38, v2, 1, v38
	s_sub_u32 s40, s52, 1
	s_and_b32 s40, s40, -8
	v_min_u32 v39, s40, v37
	v_add_u32 v2, 0, v38
	v_mul_lo_u32 v2, v2, s46
	v_lshl_add_u32 v5, v39, 1, v2
	v_add_u32 v2, 1, v38
	v_mul_lo_u32 v2, v2, s46
	v_lshl_add_u32 v6, v39, 1, v2
	v_add_u32 v2, 32, v38
	v_mul_lo_u32 v2, v2, s46
	v_lshl_add_u32 v7, v39, 1, v2
	v_add_u32 v2, 33, v38
	v_mul_lo_u32 v2, v2, s46
	v_lshl_add_u32 v8, v39, 1, v2
	v_and_b32 v9, 24, v0
	v_lshrrev_b32 v9, 1, v9
	v_and_b32 v2, 7, v0
	v_lshlrev_b32 v2, 2, v2
	v_and_or_b32 v2, v0, 32, v2
	v_lshlrev_b32 v2, 3, v2
	v_and_or_b32 v2, v0, 7, v2
	v_lshl_or_b32 v9, v2, 4, v9
	v_and_b32 v2, 0xc0, v0
	v_lshrrev_b32 v2, 2, v2
	v_xor_b32 v9, v9, v2
	v_xor_b32 v10, 64, v9
	v_xor_b32 v11, 0x90, v9
	v_xor_b32 v12, 0xd0, v9
	v_add_u32 v9, 0, v9
	v_add_u32 v13, 0x2000, v9
	v_add_u32 v10, 0, v10
	v_add_u32 v14, 0x2000, v10
	v_add_u32 v11, 0, v11
	v_add_u32 v15, 0x2000, v11
	v_add_u32 v12, 0, v12
	v_add_u32 v16, 0x2000, v12
	s_mul_i32 s40, s20, s4
	s_mul_hi_u32 s41, s20, s4
	s_mul_i32 s42, s21, s4
	s_add_u32 s41, s41, s42
	s_lshl_b64 s[40:41], s[40:41], 1
	s_add_u32 s12, s12, s40
	s_addc_u32 s13, s13, s41
	s_mul_i32 s40, s33, s45
	s_mul_hi_u32 s41, s33, s45
	s_add_u32 s12, s12, s40
	s_addc_u32 s13, s13, s41
	s_mov_b32 s48, s12
	s_and_b32 s49, s13, 0xffff
	s_mov_b32 s50, -16
	s_mov_b32 s51, 0x20000
	s_sub_u32 s48, s48, s47
	s_subb_u32 s49, s49, 0
	v_and_b32 v37, 31, v1
	s_mul_i32 s40, s35, 64
	v_add_u32 v37, s40, v37
	v_lshrrev_b32 v38, 5, v1
	v_and_b32 v17, 2, v37
	v_lshlrev_b32 v17, 3, v17
	v_lshlrev_b32 v3, 6, v37
	v_lshl_or_b32 v3, v38, 4, v3
	v_xor_b32 v17, v3, v17
	v_and_b32 v3, 56, v37
	v_lshlrev_b32 v3, 1, v3
	v_xor_b32 v17, v17, v3
	v_add_u32 v17, 0, v17
	v_xor_b32 v18, 32, v17
	v_xor_b32 v19, 64, v17
	v_xor_b32 v20, 0x60, v17
	s_lshl_b32 s54, s28, 1  ; B: strides, block base, lane addresses
	s_mov_b32 s53, 2
	s_lshl_b32 s55, s54, 6
	s_sub_u32 s60, s25, s34
	v_and_b32 v37, 7, v0
	v_lshlrev_b32 v37, 2, v37
	v_and_or_b32 v37, v0, 32, v37
	v_lshlrev_b32 v37, 1, v37
	v_and_b32 v38, 0xc0, v0
	v_lshrrev_b32 v38, 3, v38
	v_bfe_u32 v2, v0, 3, 2
	v_lshl_or_b32 v38, v2, 1, v38
	s_sub_u32 s40, s60, 1
	s_and_b32 s40, s40, -8
	v_min_u32 v39, s40, v37
	v_add_u32 v2, 0, v38
	v_mul_lo_u32 v2, v2, s54
	v_lshl_add_u32 v21, v39, 1, v2
	v_add_u32 v2, 1, v38
	v_mul_lo_u32 v2, v2, s54
	v_lshl_add_u32 v22, v39, 1, v2
	v_add_u32 v2, 32, v38
	v_mul_lo_u32 v2, v2, s54
	v_lshl_add_u32 v23, v39, 1, v2
	v_add_u32 v2, 33, v38
	v_mul_lo_u32 v2, v2, s54
	v_lshl_add_u32 v24, v39, 1, v2
	v_and_b32 v25, 24, v0
	v_lshrrev_b32 v25, 1, v25
	v_and_b32 v2, 7, v0
	v_lshlrev_b32 v2, 2, v2
	v_and_or_b32 v2, v0, 32, v2
	v_lshlrev_b32 v2, 3, v2
	v_and_or_b32 v2, v0, 7, v2
	v_lshl_or_b32 v25, v2, 4, v25
	v_and_b32 v2, 0xc0, v0
	v_lshrrev_b32 v2, 2, v2
	v_xor_b32 v25, v25, v2
	v_xor_b32 v26, 64, v25
	v_xor_b32 v27, 0x90, v25
	v_xor_b32 v28, 0xd0, v25
	v_add_u32 v25, 0x4000, v25
	v_add_u32 v29, 0x2000, v25
	v_add_u32 v26, 0x4000, v26
	v_add_u32 v30, 0x2000, v26
	v_add_u32 v27, 0x4000, v27
	v_add_u32 v31, 0x2000, v27
	v_add_u32 v28, 0x4000, v28
	v_add_u32 v32, 0x2000, v28
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
	v_and_b32 v37, 31, v1
	s_mul_i32 s40, s36, 64
	v_add_u32 v37, s40, v37
	v_lshrrev_b32 v38, 5, v1
	v_and_b32 v33, 2, v37
	v_lshlrev_b32 v33, 3, v33
	v_lshlrev_b32 v3, 6, v37
	v_lshl_or_b32 v3, v38, 4, v3
	v_xor_b32 v33, v3, v33
	v_and_b32 v3, 56, v37
	v_lshlrev_b32 v3, 1, v3
	v_xor_b32 v33, v33, v3
	v_add_u32 v33, 0x4000, v33
	v_xor_b32 v34, 32, v33
	v_xor_b32 v35, 64, v33
	v_xor_b32 v36, 0x60, v33
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
	buffer_load_dwordx4 v[48:51], v5, s[48:51], 0 offen
	buffer_load_dwordx4 v[52:55], v6, s[48:51], 0 offen
	buffer_load_dwordx4 v[72:75], v21, s[56:59], 0 offen
	buffer_load_dwordx4 v[76:79], v22, s[56:59], 0 offen
	; -- store, iteration 0
	s_waitcnt vmcnt(2)
	v_perm_b32 v38, v52, v48, s37
	v_perm_b32 v39, v54, v50, s37
	ds_write2_b32 v9, v38, v39 offset1:64
	v_perm_b32 v42, v52, v48, s44
	v_perm_b32 v43, v54, v50, s44
	ds_write2_b32 v10, v42, v43 offset1:64
	v_perm_b32 v38, v53, v49, s37
	v_perm_b32 v39, v55, v51, s37
	ds_write2_b32 v11, v38, v39 offset1:64
	v_perm_b32 v42, v53, v49, s44
	v_perm_b32 v43, v55, v51, s44
	ds_write2_b32 v12, v42, v43 offset1:64
	s_waitcnt vmcnt(0)
	v_perm_b32 v38, v76, v72, s37
	v_perm_b32 v39, v78, v74, s37
	ds_write2_b32 v25, v38, v39 offset1:64
	v_perm_b32 v42, v76, v72, s44
	v_perm_b32 v43, v78, v74, s44
	ds_write2_b32 v26, v42, v43 offset1:64
	v_perm_b32 v38, v77, v73, s37
	v_perm_b32 v39, v79, v75, s37
	ds_write2_b32 v27, v38, v39 offset1:64
	v_perm_b32 v42, v77, v73, s44
	v_perm_b32 v43, v79, v75, s44
	ds_write2_b32 v28, v42, v43 offset1:64
	; -- load, iteration 0
	buffer_load_dwordx4 v[48:51], v7, s[48:51], 0 offen
	buffer_load_dwordx4 v[52:55], v8, s[48:51], 0 offen
	buffer_load_dwordx4 v[72:75], v23, s[56:59], 0 offen
	buffer_load_dwordx4 v[76:79], v24, s[56:59], 0 offen
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- read_fragments, iteration 0
	ds_read_b128 v[80:83], v33
	ds_read_b128 v[84:87], v35 offset:2048
	ds_read_b128 v[56:59], v17
	ds_read_b128 v[60:63], v19 offset:2048
.L5:  ; pipeline
	s_waitcnt lgkmcnt(0)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[80:81], v[56:57], a[0:15]
	ds_read_b128 v[88:91], v34  ; -- read_fragments
	ds_read_b128 v[92:95], v36 offset:2048
	ds_read_b128 v[64:67], v18
	v_mfma_f32_32x32x8_f16 a[16:31], v[80:81], v[60:61], a[16:31]  ; -- multiply
	ds_read_b128 v[68:71], v20 offset:2048  ; -- read_fragments
	; -- store
	s_waitcnt vmcnt(2)
	v_perm_b32 v38, v52, v48, s37
	v_perm_b32 v39, v54, v50, s37
	ds_write2_b32 v13, v38, v39 offset1:64
	v_mfma_f32_32x32x8_f16 a[32:47], v[84:85], v[56:57], a[32:47]  ; -- multiply
	v_perm_b32 v42, v52, v48, s44  ; -- store
	v_perm_b32 v43, v54, v50, s44
	ds_write2_b32 v14, v42, v43 offset1:64
	v_mfma_f32_32x32x8_f16 a[48:63], v[84:85], v[60:61], a[48:63]  ; -- multiply
	; -- store
	v_perm_b32 v38, v53, v49, s37
	v_perm_b32 v39, v55, v51, s37
	ds_write2_b32 v15, v38, v39 offset1:64
	v_perm_b32 v42, v53, v49, s44
	v_mfma_f32_32x32x8_f16 a[0:15], v[82:83], v[58:59], a[0:15]  ; -- multiply
	; -- store
	v_perm_b32 v43, v55, v51, s44
	ds_write2_b32 v16, v42, v43 offset1:64
	s_waitcnt vmcnt(0)
	v_perm_b32 v38, v76, v72, s37
	v_mfma_f32_32x32x8_f16 a[16:31], v[82:83], v[62:63], a[16:31]  ; -- multiply
	; -- store
	v_perm_b32 v39, v78, v74, s37
	ds_write2_b32 v29, v38, v39 offset1:64
	v_perm_b32 v42, v76, v72, s44
	v_perm_b32 v43, v78, v74, s44
	v_mfma_f32_32x32x8_f16 a[32:47], v[86:87], v[58:59], a[32:47]  ; -- multiply
	ds_write2_b32 v30, v42, v43 offset1:64  ; -- store
	v_perm_b32 v38, v77, v73, s37
	v_perm_b32 v39, v79, v75, s37
	v_mfma_f32_32x32x8_f16 a[48:63], v[86:87], v[62:63], a[48:63]  ; -- multiply
	; -- store
	ds_write2_b32 v31, v38, v39 offset1:64
	v_perm_b32 v42, v77, v73, s44
	v_perm_b32 v43, v79, v75, s44
	ds_write2_b32 v32, v42, v43 offset1:64
	s_waitcnt lgkmcnt(8)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[88:89], v[64:65], a[0:15]
	s_add_u32 s48, s48, s47  ; -- next_block +1
	s_addc_u32 s49, s49, 0
	v_mfma_f32_32x32x8_f16 a[16:31], v[88:89], v[68:69], a[16:31]  ; -- multiply
	s_add_u32 s56, s56, s55  ; -- next_block +1
	s_addc_u32 s57, s57, 0
	v_mfma_f32_32x32x8_f16 a[32:47], v[92:93], v[64:65], a[32:47]  ; -- multiply
	buffer_load_dwordx4 v[48:51], v5, s[48:51], 0 offen  ; -- load +1
	buffer_load_dwordx4 v[52:55], v6, s[48:51], 0 offen
	v_mfma_f32_32x32x8_f16 a[48:63], v[92:93], v[68:69], a[48:63]  ; -- multiply
	buffer_load_dwordx4 v[72:75], v21, s[56:59], 0 offen  ; -- load +1
	buffer_load_dwordx4 v[76:79], v22, s[56:59], 0 offen
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier
	s_barrier
	v_mfma_f32_32x32x8_f16 a[0:15], v[90:91], v[66:67], a[0:15]  ; -- multiply
	ds_read_b128 v[80:83], v33 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[16:31], v[90:91], v[70:71], a[16:31]  ; -- multiply
	ds_read_b128 v[84:87], v35 offset:10240  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[32:47], v[94:95], v[66:67], a[32:47]  ; -- multiply
	ds_read_b128 v[56:59], v17 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[48:63], v[94:95], v[70:71], a[48:63]  ; -- multiply
	ds_read_b128 v[60:63], v19 offset:10240  ; -- read_fragments
	s_waitcnt lgkmcnt(0)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[80:81], v[56:57], a[0:15]
	ds_read_b128 v[88:91], v34 offset:8192  ; -- read_fragments
	ds_read_b128 v[92:95], v36 offset:10240
	ds_read_b128 v[64:67], v18 offset:8192
	v_mfma_f32_32x32x8_f16 a[16:31], v[80:81], v[60:61], a[16:31]  ; -- multiply
	ds_read_b128 v[68:71], v20 offset:10240  ; -- read_fragments
	; -- store +1
	s_waitcnt vmcnt(2)
	v_perm_b32 v38, v52, v48, s37
	v_perm_b32 v39, v54, v50, s37
	ds_write2_b32 v9, v38, v39 offset1:64
	v_mfma_f32_32x32x8_f16 a[32:47], v[84:85], v[56:57], a[32:47]  ; -- multiply
	v_perm_b32 v42, v52, v48, s44  ; -- store +1
	v_perm_b32 v43, v54, v50, s44
	ds_write2_b32 v10, v42, v43 offset1:64
	v_mfma_f32_32x32x8_f16 a[48:63], v[84:85], v[60:61], a[48:63]  ; -- multiply
	; -- store +1
	v_perm_b32 v38, v53, v49, s37
	v_perm_b32 v39, v55, v51, s37
	ds_write2_b32 v11, v38, v39 offset1:64
	v_perm_b32 v42, v53, v49, s44
	v_mfma_f32_32x32x8_f16 a[0:15], v[82:83], v[58:59], a[0:15]  ; -- multiply
	; -- store +1
	v_perm_b32 v43, v55, v51, s44
	ds_write2_b32 v12, v42, v43 offset1:64
	s_waitcnt vmcnt(0)
	v_perm_b32 v38, v76, v72, s37
	v_mfma_f32_32x32x8_f16 a[16:31], v[82:83], v[62:63], a[16:31]  ; -- multiply
	; -- store +1
	v_perm_b32 v39, v78, v74, s37
	ds_write2_b32 v25, v38, v39 offset1:64
	v_perm_b32 v42, v76, v72, s44
	v_perm_b32 v43, v78, v74, s44
	v_mfma_f32_32x32x8_f16 a[32:47], v[86:87], v[58:59], a[32:47]  ; -- multiply
	ds_write2_b32 v26, v42, v43 offset1:64  ; -- store +1
	v_perm_b32 v38, v77, v73, s37
	v_perm_b32 v39, v79, v75, s37
	v_mfma_f32_32x32x8_f16 a[48:63], v[86:87], v[62:63], a[48:63]  ; -- multiply
	; -- store +1
	ds_write2_b32 v27, v38, v39 offset1:64
	v_perm_b32 v42, v77, v73, s44
	v_perm_b32 v43, v79, v75, s44
	ds_write2_b32 v28, v42, v43 offset1:64
	s_waitcnt lgkmcnt(8)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[88:89], v[64:65], a[0:15]
	buffer_load_dwordx4 v[48:51], v7, s[48:51], 0 offen  ; -- load +1
	v_mfma_f32_32x32x8_f16 a[16:31], v[88:89], v[68:69], a[16:31]  ; -- multiply
	buffer_load_dwordx4 v[52:55], v8, s[48:51], 0 offen  ; -- load +1
	v_mfma_f32_32x32x8_f16 a[32:47], v[92:93], v[64:65], a[32:47]  ; -- multiply
	buffer_load_dwordx4 v[72:75], v23, s[56:59], 0 offen  ; -- load +1
	v_mfma_f32_32x32x8_f16 a[48:63], v[92:93], v[68:69], a[48:63]  ; -- multiply
	buffer_load_dwordx4 v[76:79], v24, s[56:59], 0 offen  ; -- load +1
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier +1
	s_barrier
	v_mfma_f32_32x32x8_f16 a[0:15], v[90:91], v[66:67], a[0:15]  ; -- multiply
	ds_read_b128 v[80:83], v33  ; -- read_fragments +1
	v_mfma_f32_32x32x8_f16 a[16:31], v[90:91], v[70:71], a[16:31]  ; -- multiply
	ds_read_b128 v[84:87], v35 offset:2048  ; -- read_fragments +1
	v_mfma_f32_32x32x8_f16 a[32:47], v[94:95], v[66:67], a[32:47]  ; -- multiply
	ds_read_b128 v[56:59], v17  ; -- read_fragments +1
	v_mfma_f32_32x32x8_f16 a[48:63], v[94:95], v[70:71], a[48:63]  ; -- multiply
	ds_read_b128 v[60:63], v19 offset:2048  ; -- read_fragments +1
	s_sub_u32 s6, s6, 1
	s_cbranch_scc0 .L5
.L3:  ; pipeline_exit_0
	s_waitcnt lgkmcnt(0)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[80:81], v[56:57], a[0:15]
	ds_read_b128 v[88:91], v34  ; -- read_fragments
	ds_read_b128 v[92:95], v36 offset:2048
	ds_read_b128 v[64:67], v18
	v_mfma_f32_32x32x8_f16 a[16:31], v[80:81], v[60:61], a[16:31]  ; -- multiply
	ds_read_b128 v[68:71], v20 offset:2048  ; -- read_fragments
	; -- store
	s_waitcnt vmcnt(2)
	v_perm_b32 v38, v52, v48, s37
	v_perm_b32 v39, v54, v50, s37
	ds_write2_b32 v13, v38, v39 offset1:64
	v_mfma_f32_32x32x8_f16 a[32:47], v[84:85], v[56:57], a[32:47]  ; -- multiply
	v_perm_b32 v42, v52, v48, s44  ; -- store
	v_perm_b32 v43, v54, v50, s44
	ds_write2_b32 v14, v42, v43 offset1:64
	v_mfma_f32_32x32x8_f16 a[48:63], v[84:85], v[60:61], a[48:63]  ; -- multiply
	; -- store
	v_perm_b32 v38, v53, v49, s37
	v_perm_b32 v39, v55, v51, s37
	ds_write2_b32 v15, v38, v39 offset1:64
	v_perm_b32 v42, v53, v49, s44
	v_mfma_f32_32x32x8_f16 a[0:15], v[82:83], v[58:59], a[0:15]  ; -- multiply
	; -- store
	v_perm_b32 v43, v55, v51, s44
	ds_write2_b32 v16, v42, v43 offset1:64
	s_waitcnt vmcnt(0)
	v_perm_b32 v38, v76, v72, s37
	v_mfma_f32_32x32x8_f16 a[16:31], v[82:83], v[62:63], a[16:31]  ; -- multiply
	; -- store
	v_perm_b32 v39, v78, v74, s37
	ds_write2_b32 v29, v38, v39 offset1:64
	v_perm_b32 v42, v76, v72, s44
	v_perm_b32 v43, v78, v74, s44
	v_mfma_f32_32x32x8_f16 a[32:47], v[86:87], v[58:59], a[32:47]  ; -- multiply
	ds_write2_b32 v30, v42, v43 offset1:64  ; -- store
	v_perm_b32 v38, v77, v73, s37
	v_perm_b32 v39, v79, v75, s37
	v_mfma_f32_32x32x8_f16 a[48:63], v[86:87], v[62:63], a[48:63]  ; -- multiply
	; -- store
	ds_write2_b32 v31, v38, v39 offset1:64
	v_perm_b32 v42, v77, v73, s44
	v_perm_b32 v43, v79, v75, s44
	ds_write2_b32 v32, v42, v43 offset1:64
	; -- multiply
	s_waitcnt lgkmcnt(8)
	v_mfma_f32_32x32x8_f16 a[0:15], v[88:89], v[64:65], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[88:89], v[68:69], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[92:93], v[64:65], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[92:93], v[68:69], a[48:63]
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier
	s_barrier
	v_mfma_f32_32x32x8_f16 a[0:15], v[90:91], v[66:67], a[0:15]  ; -- multiply
	ds_read_b128 v[80:83], v33 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[16:31], v[90:91], v[70:71], a[16:31]  ; -- multiply
	ds_read_b128 v[84:87], v35 offset:10240  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[32:47], v[94:95], v[66:67], a[32:47]  ; -- multiply
	ds_read_b128 v[56:59], v17 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[48:63], v[94:95], v[70:71], a[48:63]  ; -- multiply
	ds_read_b128 v[60:63], v19 offset:10240  ; -- read_fragments
	s_waitcnt lgkmcnt(0)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[80:81], v[56:57], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[80:81], v[60:61], a[16:31]
	ds_read_b128 v[88:91], v34 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[32:47], v[84:85], v[56:57], a[32:47]  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[48:63], v[84:85], v[60:61], a[48:63]
	ds_read_b128 v[92:95], v36 offset:10240  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[0:15], v[82:83], v[58:59], a[0:15]  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[16:31], v[82:83], v[62:63], a[16:31]
	ds_read_b128 v[64:67], v18 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[32:47], v[86:87], v[58:59], a[32:47]  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[48:63], v[86:87], v[62:63], a[48:63]
	ds_read_b128 v[68:71], v20 offset:10240  ; -- read_fragments
	; -- multiply
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[0:15], v[88:89], v[64:65], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[88:89], v[68:69], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[92:93], v[64:65], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[92:93], v[68:69], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[90:91], v[66:67], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[90:91], v[70:71], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[94:95], v[66:67], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[94:95], v[70:71], a[48:63]
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
	buffer_load_dwordx4 v[48:51], v5, s[48:51], 0 offen
	buffer_load_dwordx4 v[52:55], v6, s[48:51], 0 offen
	buffer_load_dwordx4 v[72:75], v21, s[56:59], 0 offen
	buffer_load_dwordx4 v[76:79], v22, s[56:59], 0 offen
	; -- store, iteration 0
	s_waitcnt vmcnt(2)
	v_perm_b32 v38, v52, v48, s37
	v_perm_b32 v39, v54, v50, s37
	ds_write2_b32 v9, v38, v39 offset1:64
	v_perm_b32 v42, v52, v48, s44
	v_perm_b32 v43, v54, v50, s44
	ds_write2_b32 v10, v42, v43 offset1:64
	v_perm_b32 v38, v53, v49, s37
	v_perm_b32 v39, v55, v51, s37
	ds_write2_b32 v11, v38, v39 offset1:64
	v_perm_b32 v42, v53, v49, s44
	v_perm_b32 v43, v55, v51, s44
	ds_write2_b32 v12, v42, v43 offset1:64
	s_waitcnt vmcnt(0)
	v_perm_b32 v38, v76, v72, s37
	v_perm_b32 v39, v78, v74, s37
	ds_write2_b32 v25, v38, v39 offset1:64
	v_perm_b32 v42, v76, v72, s44
	v_perm_b32 v43, v78, v74, s44
	ds_write2_b32 v26, v42, v43 offset1:64
	v_perm_b32 v38, v77, v73, s37
	v_perm_b32 v39, v79, v75, s37
	ds_write2_b32 v27, v38, v39 offset1:64
	v_perm_b32 v42, v77, v73, s44
	v_perm_b32 v43, v79, v75, s44
	ds_write2_b32 v28, v42, v43 offset1:64
	; -- load, iteration 0
	buffer_load_dwordx4 v[48:51], v7, s[48:51], 0 offen
	buffer_load_dwordx4 v[52:55], v8, s[48:51], 0 offen
	buffer_load_dwordx4 v[72:75], v23, s[56:59], 0 offen
	buffer_load_dwordx4 v[76:79], v24, s[56:59], 0 offen
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- read_fragments, iteration 0
	ds_read_b128 v[80:83], v33
	ds_read_b128 v[84:87], v35 offset:2048
	ds_read_b128 v[56:59], v17
	ds_read_b128 v[60:63], v19 offset:2048
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[0:15], v[80:81], v[56:57], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[80:81], v[60:61], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[84:85], v[56:57], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[84:85], v[60:61], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[82:83], v[58:59], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[82:83], v[62:63], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[86:87], v[58:59], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[86:87], v[62:63], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[88:91], v34
	ds_read_b128 v[92:95], v36 offset:2048
	ds_read_b128 v[64:67], v18
	ds_read_b128 v[68:71], v20 offset:2048
	; -- store, iteration 0
	s_waitcnt vmcnt(2)
	v_perm_b32 v38, v52, v48, s37
	v_perm_b32 v39, v54, v50, s37
	ds_write2_b32 v13, v38, v39 offset1:64
	v_perm_b32 v42, v52, v48, s44
	v_perm_b32 v43, v54, v50, s44
	ds_write2_b32 v14, v42, v43 offset1:64
	v_perm_b32 v38, v53, v49, s37
	v_perm_b32 v39, v55, v51, s37
	ds_write2_b32 v15, v38, v39 offset1:64
	v_perm_b32 v42, v53, v49, s44
	v_perm_b32 v43, v55, v51, s44
	ds_write2_b32 v16, v42, v43 offset1:64
	s_waitcnt vmcnt(0)
	v_perm_b32 v38, v76, v72, s37
	v_perm_b32 v39, v78, v74, s37
	ds_write2_b32 v29, v38, v39 offset1:64
	v_perm_b32 v42, v76, v72, s44
	v_perm_b32 v43, v78, v74, s44
	ds_write2_b32 v30, v42, v43 offset1:64
	v_perm_b32 v38, v77, v73, s37
	v_perm_b32 v39, v79, v75, s37
	ds_write2_b32 v31, v38, v39 offset1:64
	v_perm_b32 v42, v77, v73, s44
	v_perm_b32 v43, v79, v75, s44
	ds_write2_b32 v32, v42, v43 offset1:64
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(8)
	v_mfma_f32_32x32x8_f16 a[0:15], v[88:89], v[64:65], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[88:89], v[68:69], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[92:93], v[64:65], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[92:93], v[68:69], a[48:63]
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- multiply, iteration 0
	v_mfma_f32_32x32x8_f16 a[0:15], v[90:91], v[66:67], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[90:91], v[70:71], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[94:95], v[66:67], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[94:95], v[70:71], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[80:83], v33 offset:8192
	ds_read_b128 v[84:87], v35 offset:10240
	ds_read_b128 v[56:59], v17 offset:8192
	ds_read_b128 v[60:63], v19 offset:10240
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[0:15], v[80:81], v[56:57], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[80:81], v[60:61], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[84:85], v[56:57], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[84:85], v[60:61], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[82:83], v[58:59], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[82:83], v[62:63], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[86:87], v[58:59], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[86:87], v[62:63], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[88:91], v34 offset:8192
	ds_read_b128 v[92:95], v36 offset:10240
	ds_read_b128 v[64:67], v18 offset:8192
	ds_read_b128 v[68:71], v20 offset:10240
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[0:15], v[88:89], v[64:65], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[88:89], v[68:69], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[92:93], v[64:65], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[92:93], v[68:69], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[90:91], v[66:67], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[90:91], v[70:71], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[94:95], v[66:67], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[94:95], v[70:71], a[48:63]
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
	v_and_b32 v4, 3, v0
	v_lshlrev_b32 v4, 3, v4
	buffer_load_ushort v38, v5, s[48:51], 0 offen
	buffer_load_ushort v39, v5, s[48:51], 0 offen offset:2
	buffer_load_ushort v40, v5, s[48:51], 0 offen offset:4
	buffer_load_ushort v41, v5, s[48:51], 0 offen offset:6
	buffer_load_ushort v42, v5, s[48:51], 0 offen offset:8
	buffer_load_ushort v43, v5, s[48:51], 0 offen offset:10
	buffer_load_ushort v44, v5, s[48:51], 0 offen offset:12
	buffer_load_ushort v45, v5, s[48:51], 0 offen offset:14
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v48, v39, 16, v38
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v49, v41, 16, v40
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v50, v43, 16, v42
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v51, v45, 16, v44
	buffer_load_ushort v38, v6, s[48:51], 0 offen
	buffer_load_ushort v39, v6, s[48:51], 0 offen offset:2
	buffer_load_ushort v40, v6, s[48:51], 0 offen offset:4
	buffer_load_ushort v41, v6, s[48:51], 0 offen offset:6
	buffer_load_ushort v42, v6, s[48:51], 0 offen offset:8
	buffer_load_ushort v43, v6, s[48:51], 0 offen offset:10
	buffer_load_ushort v44, v6, s[48:51], 0 offen offset:12
	buffer_load_ushort v45, v6, s[48:51], 0 offen offset:14
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v52, v39, 16, v38
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v53, v41, 16, v40
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v54, v43, 16, v42
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v55, v45, 16, v44
	s_min_u32 s40, s32, 64
	s_sub_u32 s40, s40, 1
	s_mul_i32 s40, s40, s54
	s_lshl_b32 s41, s60, 1
	s_add_u32 s58, s40, s41
	v_and_b32 v4, 3, v0
	v_lshlrev_b32 v4, 3, v4
	buffer_load_ushort v38, v21, s[56:59], 0 offen
	buffer_load_ushort v39, v21, s[56:59], 0 offen offset:2
	buffer_load_ushort v40, v21, s[56:59], 0 offen offset:4
	buffer_load_ushort v41, v21, s[56:59], 0 offen offset:6
	buffer_load_ushort v42, v21, s[56:59], 0 offen offset:8
	buffer_load_ushort v43, v21, s[56:59], 0 offen offset:10
	buffer_load_ushort v44, v21, s[56:59], 0 offen offset:12
	buffer_load_ushort v45, v21, s[56:59], 0 offen offset:14
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v72, v39, 16, v38
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v73, v41, 16, v40
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v74, v43, 16, v42
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v75, v45, 16, v44
	buffer_load_ushort v38, v22, s[56:59], 0 offen
	buffer_load_ushort v39, v22, s[56:59], 0 offen offset:2
	buffer_load_ushort v40, v22, s[56:59], 0 offen offset:4
	buffer_load_ushort v41, v22, s[56:59], 0 offen offset:6
	buffer_load_ushort v42, v22, s[56:59], 0 offen offset:8
	buffer_load_ushort v43, v22, s[56:59], 0 offen offset:10
	buffer_load_ushort v44, v22, s[56:59], 0 offen offset:12
	buffer_load_ushort v45, v22, s[56:59], 0 offen offset:14
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v76, v39, 16, v38
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v77, v41, 16, v40
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v78, v43, 16, v42
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v79, v45, 16, v44
	; -- store, iteration 0
	v_perm_b32 v38, v52, v48, s37
	v_perm_b32 v39, v54, v50, s37
	ds_write2_b32 v9, v38, v39 offset1:64
	v_perm_b32 v42, v52, v48, s44
	v_perm_b32 v43, v54, v50, s44
	ds_write2_b32 v10, v42, v43 offset1:64
	v_perm_b32 v38, v53, v49, s37
	v_perm_b32 v39, v55, v51, s37
	ds_write2_b32 v11, v38, v39 offset1:64
	v_perm_b32 v42, v53, v49, s44
	v_perm_b32 v43, v55, v51, s44
	ds_write2_b32 v12, v42, v43 offset1:64
	v_perm_b32 v38, v76, v72, s37
	v_perm_b32 v39, v78, v74, s37
	ds_write2_b32 v25, v38, v39 offset1:64
	v_perm_b32 v42, v76, v72, s44
	v_perm_b32 v43, v78, v74, s44
	ds_write2_b32 v26, v42, v43 offset1:64
	v_perm_b32 v38, v77, v73, s37
	v_perm_b32 v39, v79, v75, s37
	ds_write2_b32 v27, v38, v39 offset1:64
	v_perm_b32 v42, v77, v73, s44
	v_perm_b32 v43, v79, v75, s44
	ds_write2_b32 v28, v42, v43 offset1:64
	; -- load_rest, iteration 0
	s_min_u32 s40, s32, 64
	s_sub_u32 s40, s40, 1
	s_mul_i32 s40, s40, s46
	s_lshl_b32 s41, s52, 1
	s_add_u32 s50, s40, s41
	v_and_b32 v4, 3, v0
	v_lshlrev_b32 v4, 3, v4
	buffer_load_ushort v38, v7, s[48:51], 0 offen
	buffer_load_ushort v39, v7, s[48:51], 0 offen offset:2
	buffer_load_ushort v40, v7, s[48:51], 0 offen offset:4
	buffer_load_ushort v41, v7, s[48:51], 0 offen offset:6
	buffer_load_ushort v42, v7, s[48:51], 0 offen offset:8
	buffer_load_ushort v43, v7, s[48:51], 0 offen offset:10
	buffer_load_ushort v44, v7, s[48:51], 0 offen offset:12
	buffer_load_ushort v45, v7, s[48:51], 0 offen offset:14
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v48, v39, 16, v38
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v49, v41, 16, v40
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v50, v43, 16, v42
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v51, v45, 16, v44
	buffer_load_ushort v38, v8, s[48:51], 0 offen
	buffer_load_ushort v39, v8, s[48:51], 0 offen offset:2
	buffer_load_ushort v40, v8, s[48:51], 0 offen offset:4
	buffer_load_ushort v41, v8, s[48:51], 0 offen offset:6
	buffer_load_ushort v42, v8, s[48:51], 0 offen offset:8
	buffer_load_ushort v43, v8, s[48:51], 0 offen offset:10
	buffer_load_ushort v44, v8, s[48:51], 0 offen offset:12
	buffer_load_ushort v45, v8, s[48:51], 0 offen offset:14
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v52, v39, 16, v38
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v53, v41, 16, v40
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v54, v43, 16, v42
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v55, v45, 16, v44
	s_min_u32 s40, s32, 64
	s_sub_u32 s40, s40, 1
	s_mul_i32 s40, s40, s54
	s_lshl_b32 s41, s60, 1
	s_add_u32 s58, s40, s41
	v_and_b32 v4, 3, v0
	v_lshlrev_b32 v4, 3, v4
	buffer_load_ushort v38, v23, s[56:59], 0 offen
	buffer_load_ushort v39, v23, s[56:59], 0 offen offset:2
	buffer_load_ushort v40, v23, s[56:59], 0 offen offset:4
	buffer_load_ushort v41, v23, s[56:59], 0 offen offset:6
	buffer_load_ushort v42, v23, s[56:59], 0 offen offset:8
	buffer_load_ushort v43, v23, s[56:59], 0 offen offset:10
	buffer_load_ushort v44, v23, s[56:59], 0 offen offset:12
	buffer_load_ushort v45, v23, s[56:59], 0 offen offset:14
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v72, v39, 16, v38
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v73, v41, 16, v40
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v74, v43, 16, v42
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v75, v45, 16, v44
	buffer_load_ushort v38, v24, s[56:59], 0 offen
	buffer_load_ushort v39, v24, s[56:59], 0 offen offset:2
	buffer_load_ushort v40, v24, s[56:59], 0 offen offset:4
	buffer_load_ushort v41, v24, s[56:59], 0 offen offset:6
	buffer_load_ushort v42, v24, s[56:59], 0 offen offset:8
	buffer_load_ushort v43, v24, s[56:59], 0 offen offset:10
	buffer_load_ushort v44, v24, s[56:59], 0 offen offset:12
	buffer_load_ushort v45, v24, s[56:59], 0 offen offset:14
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v76, v39, 16, v38
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v77, v41, 16, v40
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v78, v43, 16, v42
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v79, v45, 16, v44
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- read_fragments, iteration 0
	ds_read_b128 v[80:83], v33
	ds_read_b128 v[84:87], v35 offset:2048
	ds_read_b128 v[56:59], v17
	ds_read_b128 v[60:63], v19 offset:2048
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[0:15], v[80:81], v[56:57], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[80:81], v[60:61], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[84:85], v[56:57], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[84:85], v[60:61], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[82:83], v[58:59], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[82:83], v[62:63], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[86:87], v[58:59], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[86:87], v[62:63], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[88:91], v34
	ds_read_b128 v[92:95], v36 offset:2048
	ds_read_b128 v[64:67], v18
	ds_read_b128 v[68:71], v20 offset:2048
	; -- store, iteration 0
	v_perm_b32 v38, v52, v48, s37
	v_perm_b32 v39, v54, v50, s37
	ds_write2_b32 v13, v38, v39 offset1:64
	v_perm_b32 v42, v52, v48, s44
	v_perm_b32 v43, v54, v50, s44
	ds_write2_b32 v14, v42, v43 offset1:64
	v_perm_b32 v38, v53, v49, s37
	v_perm_b32 v39, v55, v51, s37
	ds_write2_b32 v15, v38, v39 offset1:64
	v_perm_b32 v42, v53, v49, s44
	v_perm_b32 v43, v55, v51, s44
	ds_write2_b32 v16, v42, v43 offset1:64
	v_perm_b32 v38, v76, v72, s37
	v_perm_b32 v39, v78, v74, s37
	ds_write2_b32 v29, v38, v39 offset1:64
	v_perm_b32 v42, v76, v72, s44
	v_perm_b32 v43, v78, v74, s44
	ds_write2_b32 v30, v42, v43 offset1:64
	v_perm_b32 v38, v77, v73, s37
	v_perm_b32 v39, v79, v75, s37
	ds_write2_b32 v31, v38, v39 offset1:64
	v_perm_b32 v42, v77, v73, s44
	v_perm_b32 v43, v79, v75, s44
	ds_write2_b32 v32, v42, v43 offset1:64
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(8)
	v_mfma_f32_32x32x8_f16 a[0:15], v[88:89], v[64:65], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[88:89], v[68:69], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[92:93], v[64:65], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[92:93], v[68:69], a[48:63]
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- multiply, iteration 0
	v_mfma_f32_32x32x8_f16 a[0:15], v[90:91], v[66:67], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[90:91], v[70:71], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[94:95], v[66:67], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[94:95], v[70:71], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[80:83], v33 offset:8192
	ds_read_b128 v[84:87], v35 offset:10240
	ds_read_b128 v[56:59], v17 offset:8192
	ds_read_b128 v[60:63], v19 offset:10240
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[0:15], v[80:81], v[56:57], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[80:81], v[60:61], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[84:85], v[56:57], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[84:85], v[60:61], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[82:83], v[58:59], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[82:83], v[62:63], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[86:87], v[58:59], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[86:87], v[62:63], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[88:91], v34 offset:8192
	ds_read_b128 v[92:95], v36 offset:10240
	ds_read_b128 v[64:67], v18 offset:8192
	ds_read_b128 v[68:71], v20 offset:10240
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[0:15], v[88:89], v[64:65], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[88:89], v[68:69], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[92:93], v[64:65], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[92:93], v[68:69], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[90:91], v[66:67], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[90:91], v[70:71], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[94:95], v[66:67], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[94:95], v[70:71], a[48:63]
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
	s_sub_u32 s61, s24, s33
	v_and_b32 v37, 31, v1
	v_and_b32 v38, 32, v1
	v_lshrrev_b32 v38, 3, v38
	v_add_u32 v2, 0, v37
	v_cmp_gt_i32 vcc, s61, v2
	s_mov_b64 s[38:39], exec
	s_and_b64 exec, exec, vcc
	s_cbranch_execz .L7
	v_accvgpr_read_b32 v40, a0
	v_mul_f32 v40, s31, v40
	v_accvgpr_read_b32 v41, a1
	v_mul_f32 v41, s31, v41
	v_accvgpr_read_b32 v42, a2
	v_mul_f32 v42, s31, v42
	v_accvgpr_read_b32 v43, a3
	v_mul_f32 v43, s31, v43
	v_accvgpr_read_b32 v44, a4
	v_mul_f32 v44, s31, v44
	v_accvgpr_read_b32 v45, a5
	v_mul_f32 v45, s31, v45
	v_accvgpr_read_b32 v46, a6
	v_mul_f32 v46, s31, v46
	v_accvgpr_read_b32 v47, a7
	v_mul_f32 v47, s31, v47
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L8
	v_add_u32 v2, 0, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v48, v2, s[56:59], 0 offen
	v_add_u32 v2, 1, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v49, v2, s[56:59], 0 offen
	v_add_u32 v2, 2, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v50, v2, s[56:59], 0 offen
	v_add_u32 v2, 3, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v51, v2, s[56:59], 0 offen
	v_add_u32 v2, 8, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v52, v2, s[56:59], 0 offen
	v_add_u32 v2, 9, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v53, v2, s[56:59], 0 offen
	v_add_u32 v2, 10, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v54, v2, s[56:59], 0 offen
	v_add_u32 v2, 11, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v55, v2, s[56:59], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v48, v48
	v_fma_f32 v40, s5, v48, v40
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v49, v49
	v_fma_f32 v41, s5, v49, v41
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v50, v50
	v_fma_f32 v42, s5, v50, v42
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v51, v51
	v_fma_f32 v43, s5, v51, v43
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v52, v52
	v_fma_f32 v44, s5, v52, v44
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v53, v53
	v_fma_f32 v45, s5, v53, v45
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v54, v54
	v_fma_f32 v46, s5, v54, v46
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v55, v55
	v_fma_f32 v47, s5, v55, v47
.L8:  ; beta_zero
	v_cvt_f16_f32 v40, v40
	v_cvt_f16_f32 v41, v41
	v_add_u32 v2, 0, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v40, v2, s[48:51], 0 offen
	v_add_u32 v2, 1, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v41, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v42, v42
	v_cvt_f16_f32 v43, v43
	v_add_u32 v2, 2, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v42, v2, s[48:51], 0 offen
	v_add_u32 v2, 3, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v43, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v44, v44
	v_cvt_f16_f32 v45, v45
	v_add_u32 v2, 8, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v44, v2, s[48:51], 0 offen
	v_add_u32 v2, 9, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v45, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v46, v46
	v_cvt_f16_f32 v47, v47
	v_add_u32 v2, 10, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v46, v2, s[48:51], 0 offen
	v_add_u32 v2, 11, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v47, v2, s[48:51], 0 offen
	v_accvgpr_read_b32 v40, a8
	v_mul_f32 v40, s31, v40
	v_accvgpr_read_b32 v41, a9
	v_mul_f32 v41, s31, v41
	v_accvgpr_read_b32 v42, a10
	v_mul_f32 v42, s31, v42
	v_accvgpr_read_b32 v43, a11
	v_mul_f32 v43, s31, v43
	v_accvgpr_read_b32 v44, a12
	v_mul_f32 v44, s31, v44
	v_accvgpr_read_b32 v45, a13
	v_mul_f32 v45, s31, v45
	v_accvgpr_read_b32 v46, a14
	v_mul_f32 v46, s31, v46
	v_accvgpr_read_b32 v47, a15
	v_mul_f32 v47, s31, v47
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L9
	v_add_u32 v2, 16, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v48, v2, s[56:59], 0 offen
	v_add_u32 v2, 17, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v49, v2, s[56:59], 0 offen
	v_add_u32 v2, 18, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v50, v2, s[56:59], 0 offen
	v_add_u32 v2, 19, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v51, v2, s[56:59], 0 offen
	v_add_u32 v2, 24, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v52, v2, s[56:59], 0 offen
	v_add_u32 v2, 25, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v53, v2, s[56:59], 0 offen
	v_add_u32 v2, 26, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v54, v2, s[56:59], 0 offen
	v_add_u32 v2, 27, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v55, v2, s[56:59], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v48, v48
	v_fma_f32 v40, s5, v48, v40
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v49, v49
	v_fma_f32 v41, s5, v49, v41
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v50, v50
	v_fma_f32 v42, s5, v50, v42
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v51, v51
	v_fma_f32 v43, s5, v51, v43
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v52, v52
	v_fma_f32 v44, s5, v52, v44
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v53, v53
	v_fma_f32 v45, s5, v53, v45
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v54, v54
	v_fma_f32 v46, s5, v54, v46
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v55, v55
	v_fma_f32 v47, s5, v55, v47
.L9:  ; beta_zero
	v_cvt_f16_f32 v40, v40
	v_cvt_f16_f32 v41, v41
	v_add_u32 v2, 16, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v40, v2, s[48:51], 0 offen
	v_add_u32 v2, 17, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v41, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v42, v42
	v_cvt_f16_f32 v43, v43
	v_add_u32 v2, 18, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v42, v2, s[48:51], 0 offen
	v_add_u32 v2, 19, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v43, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v44, v44
	v_cvt_f16_f32 v45, v45
	v_add_u32 v2, 24, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v44, v2, s[48:51], 0 offen
	v_add_u32 v2, 25, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v45, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v46, v46
	v_cvt_f16_f32 v47, v47
	v_add_u32 v2, 26, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v46, v2, s[48:51], 0 offen
	v_add_u32 v2, 27, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v47, v2, s[48:51], 0 offen
	v_accvgpr_read_b32 v40, a32
	v_mul_f32 v40, s31, v40
	v_accvgpr_read_b32 v41, a33
	v_mul_f32 v41, s31, v41
	v_accvgpr_read_b32 v42, a34
	v_mul_f32 v42, s31, v42
	v_accvgpr_read_b32 v43, a35
	v_mul_f32 v43, s31, v43
	v_accvgpr_read_b32 v44, a36
	v_mul_f32 v44, s31, v44
	v_accvgpr_read_b32 v45, a37
	v_mul_f32 v45, s31, v45
	v_accvgpr_read_b32 v46, a38
	v_mul_f32 v46, s31, v46
	v_accvgpr_read_b32 v47, a39
	v_mul_f32 v47, s31, v47
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L10
	v_add_u32 v2, 32, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v48, v2, s[56:59], 0 offen
	v_add_u32 v2, 33, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v49, v2, s[56:59], 0 offen
	v_add_u32 v2, 34, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v50, v2, s[56:59], 0 offen
	v_add_u32 v2, 35, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v51, v2, s[56:59], 0 offen
	v_add_u32 v2, 40, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v52, v2, s[56:59], 0 offen
	v_add_u32 v2, 41, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v53, v2, s[56:59], 0 offen
	v_add_u32 v2, 42, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v54, v2, s[56:59], 0 offen
	v_add_u32 v2, 43, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v55, v2, s[56:59], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v48, v48
	v_fma_f32 v40, s5, v48, v40
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v49, v49
	v_fma_f32 v41, s5, v49, v41
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v50, v50
	v_fma_f32 v42, s5, v50, v42
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v51, v51
	v_fma_f32 v43, s5, v51, v43
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v52, v52
	v_fma_f32 v44, s5, v52, v44
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v53, v53
	v_fma_f32 v45, s5, v53, v45
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v54, v54
	v_fma_f32 v46, s5, v54, v46
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v55, v55
	v_fma_f32 v47, s5, v55, v47
.L10:  ; beta_zero
	v_cvt_f16_f32 v40, v40
	v_cvt_f16_f32 v41, v41
	v_add_u32 v2, 32, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v40, v2, s[48:51], 0 offen
	v_add_u32 v2, 33, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v41, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v42, v42
	v_cvt_f16_f32 v43, v43
	v_add_u32 v2, 34, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v42, v2, s[48:51], 0 offen
	v_add_u32 v2, 35, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v43, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v44, v44
	v_cvt_f16_f32 v45, v45
	v_add_u32 v2, 40, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v44, v2, s[48:51], 0 offen
	v_add_u32 v2, 41, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v45, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v46, v46
	v_cvt_f16_f32 v47, v47
	v_add_u32 v2, 42, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v46, v2, s[48:51], 0 offen
	v_add_u32 v2, 43, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v47, v2, s[48:51], 0 offen
	v_accvgpr_read_b32 v40, a40
	v_mul_f32 v40, s31, v40
	v_accvgpr_read_b32 v41, a41
	v_mul_f32 v41, s31, v41
	v_accvgpr_read_b32 v42, a42
	v_mul_f32 v42, s31, v42
	v_accvgpr_read_b32 v43, a43
	v_mul_f32 v43, s31, v43
	v_accvgpr_read_b32 v44, a44
	v_mul_f32 v44, s31, v44
	v_accvgpr_read_b32 v45, a45
	v_mul_f32 v45, s31, v45
	v_accvgpr_read_b32 v46, a46
	v_mul_f32 v46, s31, v46
	v_accvgpr_read_b32 v47, a47
	v_mul_f32 v47, s31, v47
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L11
	v_add_u32 v2, 48, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v48, v2, s[56:59], 0 offen
	v_add_u32 v2, 49, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v49, v2, s[56:59], 0 offen
	v_add_u32 v2, 50, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v50, v2, s[56:59], 0 offen
	v_add_u32 v2, 51, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v51, v2, s[56:59], 0 offen
	v_add_u32 v2, 56, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v52, v2, s[56:59], 0 offen
	v_add_u32 v2, 57, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v53, v2, s[56:59], 0 offen
	v_add_u32 v2, 58, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v54, v2, s[56:59], 0 offen
	v_add_u32 v2, 59, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v55, v2, s[56:59], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v48, v48
	v_fma_f32 v40, s5, v48, v40
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v49, v49
	v_fma_f32 v41, s5, v49, v41
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v50, v50
	v_fma_f32 v42, s5, v50, v42
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v51, v51
	v_fma_f32 v43, s5, v51, v43
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v52, v52
	v_fma_f32 v44, s5, v52, v44
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v53, v53
	v_fma_f32 v45, s5, v53, v45
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v54, v54
	v_fma_f32 v46, s5, v54, v46
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v55, v55
	v_fma_f32 v47, s5, v55, v47
.L11:  ; beta_zero
	v_cvt_f16_f32 v40, v40
	v_cvt_f16_f32 v41, v41
	v_add_u32 v2, 48, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v40, v2, s[48:51], 0 offen
	v_add_u32 v2, 49, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v41, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v42, v42
	v_cvt_f16_f32 v43, v43
	v_add_u32 v2, 50, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v42, v2, s[48:51], 0 offen
	v_add_u32 v2, 51, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v43, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v44, v44
	v_cvt_f16_f32 v45, v45
	v_add_u32 v2, 56, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v44, v2, s[48:51], 0 offen
	v_add_u32 v2, 57, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v45, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v46, v46
	v_cvt_f16_f32 v47, v47
	v_add_u32 v2, 58, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v46, v2, s[48:51], 0 offen
	v_add_u32 v2, 59, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 0, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v47, v2, s[48:51], 0 offen
.L7:  ; past_rows
	s_mov_b64 exec, s[38:39]
	v_add_u32 v2, 32, v37
	v_cmp_gt_i32 vcc, s61, v2
	s_mov_b64 s[38:39], exec
	s_and_b64 exec, exec, vcc
	s_cbranch_execz .L12
	v_accvgpr_read_b32 v40, a16
	v_mul_f32 v40, s31, v40
	v_accvgpr_read_b32 v41, a17
	v_mul_f32 v41, s31, v41
	v_accvgpr_read_b32 v42, a18
	v_mul_f32 v42, s31, v42
	v_accvgpr_read_b32 v43, a19
	v_mul_f32 v43, s31, v43
	v_accvgpr_read_b32 v44, a20
	v_mul_f32 v44, s31, v44
	v_accvgpr_read_b32 v45, a21
	v_mul_f32 v45, s31, v45
	v_accvgpr_read_b32 v46, a22
	v_mul_f32 v46, s31, v46
	v_accvgpr_read_b32 v47, a23
	v_mul_f32 v47, s31, v47
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L13
	v_add_u32 v2, 0, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v48, v2, s[56:59], 0 offen
	v_add_u32 v2, 1, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v49, v2, s[56:59], 0 offen
	v_add_u32 v2, 2, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v50, v2, s[56:59], 0 offen
	v_add_u32 v2, 3, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v51, v2, s[56:59], 0 offen
	v_add_u32 v2, 8, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v52, v2, s[56:59], 0 offen
	v_add_u32 v2, 9, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v53, v2, s[56:59], 0 offen
	v_add_u32 v2, 10, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v54, v2, s[56:59], 0 offen
	v_add_u32 v2, 11, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v55, v2, s[56:59], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v48, v48
	v_fma_f32 v40, s5, v48, v40
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v49, v49
	v_fma_f32 v41, s5, v49, v41
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v50, v50
	v_fma_f32 v42, s5, v50, v42
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v51, v51
	v_fma_f32 v43, s5, v51, v43
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v52, v52
	v_fma_f32 v44, s5, v52, v44
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v53, v53
	v_fma_f32 v45, s5, v53, v45
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v54, v54
	v_fma_f32 v46, s5, v54, v46
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v55, v55
	v_fma_f32 v47, s5, v55, v47
.L13:  ; beta_zero
	v_cvt_f16_f32 v40, v40
	v_cvt_f16_f32 v41, v41
	v_add_u32 v2, 0, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v40, v2, s[48:51], 0 offen
	v_add_u32 v2, 1, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v41, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v42, v42
	v_cvt_f16_f32 v43, v43
	v_add_u32 v2, 2, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v42, v2, s[48:51], 0 offen
	v_add_u32 v2, 3, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v43, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v44, v44
	v_cvt_f16_f32 v45, v45
	v_add_u32 v2, 8, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v44, v2, s[48:51], 0 offen
	v_add_u32 v2, 9, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v45, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v46, v46
	v_cvt_f16_f32 v47, v47
	v_add_u32 v2, 10, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v46, v2, s[48:51], 0 offen
	v_add_u32 v2, 11, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v47, v2, s[48:51], 0 offen
	v_accvgpr_read_b32 v40, a24
	v_mul_f32 v40, s31, v40
	v_accvgpr_read_b32 v41, a25
	v_mul_f32 v41, s31, v41
	v_accvgpr_read_b32 v42, a26
	v_mul_f32 v42, s31, v42
	v_accvgpr_read_b32 v43, a27
	v_mul_f32 v43, s31, v43
	v_accvgpr_read_b32 v44, a28
	v_mul_f32 v44, s31, v44
	v_accvgpr_read_b32 v45, a29
	v_mul_f32 v45, s31, v45
	v_accvgpr_read_b32 v46, a30
	v_mul_f32 v46, s31, v46
	v_accvgpr_read_b32 v47, a31
	v_mul_f32 v47, s31, v47
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L14
	v_add_u32 v2, 16, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v48, v2, s[56:59], 0 offen
	v_add_u32 v2, 17, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v49, v2, s[56:59], 0 offen
	v_add_u32 v2, 18, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v50, v2, s[56:59], 0 offen
	v_add_u32 v2, 19, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v51, v2, s[56:59], 0 offen
	v_add_u32 v2, 24, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v52, v2, s[56:59], 0 offen
	v_add_u32 v2, 25, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v53, v2, s[56:59], 0 offen
	v_add_u32 v2, 26, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v54, v2, s[56:59], 0 offen
	v_add_u32 v2, 27, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v55, v2, s[56:59], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v48, v48
	v_fma_f32 v40, s5, v48, v40
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v49, v49
	v_fma_f32 v41, s5, v49, v41
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v50, v50
	v_fma_f32 v42, s5, v50, v42
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v51, v51
	v_fma_f32 v43, s5, v51, v43
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v52, v52
	v_fma_f32 v44, s5, v52, v44
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v53, v53
	v_fma_f32 v45, s5, v53, v45
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v54, v54
	v_fma_f32 v46, s5, v54, v46
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v55, v55
	v_fma_f32 v47, s5, v55, v47
.L14:  ; beta_zero
	v_cvt_f16_f32 v40, v40
	v_cvt_f16_f32 v41, v41
	v_add_u32 v2, 16, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v40, v2, s[48:51], 0 offen
	v_add_u32 v2, 17, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v41, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v42, v42
	v_cvt_f16_f32 v43, v43
	v_add_u32 v2, 18, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v42, v2, s[48:51], 0 offen
	v_add_u32 v2, 19, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v43, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v44, v44
	v_cvt_f16_f32 v45, v45
	v_add_u32 v2, 24, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v44, v2, s[48:51], 0 offen
	v_add_u32 v2, 25, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v45, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v46, v46
	v_cvt_f16_f32 v47, v47
	v_add_u32 v2, 26, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v46, v2, s[48:51], 0 offen
	v_add_u32 v2, 27, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v47, v2, s[48:51], 0 offen
	v_accvgpr_read_b32 v40, a48
	v_mul_f32 v40, s31, v40
	v_accvgpr_read_b32 v41, a49
	v_mul_f32 v41, s31, v41
	v_accvgpr_read_b32 v42, a50
	v_mul_f32 v42, s31, v42
	v_accvgpr_read_b32 v43, a51
	v_mul_f32 v43, s31, v43
	v_accvgpr_read_b32 v44, a52
	v_mul_f32 v44, s31, v44
	v_accvgpr_read_b32 v45, a53
	v_mul_f32 v45, s31, v45
	v_accvgpr_read_b32 v46, a54
	v_mul_f32 v46, s31, v46
	v_accvgpr_read_b32 v47, a55
	v_mul_f32 v47, s31, v47
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L15
	v_add_u32 v2, 32, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v48, v2, s[56:59], 0 offen
	v_add_u32 v2, 33, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v49, v2, s[56:59], 0 offen
	v_add_u32 v2, 34, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v50, v2, s[56:59], 0 offen
	v_add_u32 v2, 35, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v51, v2, s[56:59], 0 offen
	v_add_u32 v2, 40, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v52, v2, s[56:59], 0 offen
	v_add_u32 v2, 41, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v53, v2, s[56:59], 0 offen
	v_add_u32 v2, 42, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v54, v2, s[56:59], 0 offen
	v_add_u32 v2, 43, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v55, v2, s[56:59], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v48, v48
	v_fma_f32 v40, s5, v48, v40
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v49, v49
	v_fma_f32 v41, s5, v49, v41
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v50, v50
	v_fma_f32 v42, s5, v50, v42
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v51, v51
	v_fma_f32 v43, s5, v51, v43
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v52, v52
	v_fma_f32 v44, s5, v52, v44
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v53, v53
	v_fma_f32 v45, s5, v53, v45
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v54, v54
	v_fma_f32 v46, s5, v54, v46
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v55, v55
	v_fma_f32 v47, s5, v55, v47
.L15:  ; beta_zero
	v_cvt_f16_f32 v40, v40
	v_cvt_f16_f32 v41, v41
	v_add_u32 v2, 32, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v40, v2, s[48:51], 0 offen
	v_add_u32 v2, 33, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v41, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v42, v42
	v_cvt_f16_f32 v43, v43
	v_add_u32 v2, 34, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v42, v2, s[48:51], 0 offen
	v_add_u32 v2, 35, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v43, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v44, v44
	v_cvt_f16_f32 v45, v45
	v_add_u32 v2, 40, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v44, v2, s[48:51], 0 offen
	v_add_u32 v2, 41, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v45, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v46, v46
	v_cvt_f16_f32 v47, v47
	v_add_u32 v2, 42, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v46, v2, s[48:51], 0 offen
	v_add_u32 v2, 43, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v47, v2, s[48:51], 0 offen
	v_accvgpr_read_b32 v40, a56
	v_mul_f32 v40, s31, v40
	v_accvgpr_read_b32 v41, a57
	v_mul_f32 v41, s31, v41
	v_accvgpr_read_b32 v42, a58
	v_mul_f32 v42, s31, v42
	v_accvgpr_read_b32 v43, a59
	v_mul_f32 v43, s31, v43
	v_accvgpr_read_b32 v44, a60
	v_mul_f32 v44, s31, v44
	v_accvgpr_read_b32 v45, a61
	v_mul_f32 v45, s31, v45
	v_accvgpr_read_b32 v46, a62
	v_mul_f32 v46, s31, v46
	v_accvgpr_read_b32 v47, a63
	v_mul_f32 v47, s31, v47
	s_lshl_b32 s40, s5, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L16
	v_add_u32 v2, 48, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v48, v2, s[56:59], 0 offen
	v_add_u32 v2, 49, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v49, v2, s[56:59], 0 offen
	v_add_u32 v2, 50, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v50, v2, s[56:59], 0 offen
	v_add_u32 v2, 51, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v51, v2, s[56:59], 0 offen
	v_add_u32 v2, 56, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v52, v2, s[56:59], 0 offen
	v_add_u32 v2, 57, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v53, v2, s[56:59], 0 offen
	v_add_u32 v2, 58, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v54, v2, s[56:59], 0 offen
	v_add_u32 v2, 59, v38
	v_mul_lo_u32 v2, v2, s29
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_load_ushort v55, v2, s[56:59], 0 offen
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16 v48, v48
	v_fma_f32 v40, s5, v48, v40
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16 v49, v49
	v_fma_f32 v41, s5, v49, v41
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16 v50, v50
	v_fma_f32 v42, s5, v50, v42
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16 v51, v51
	v_fma_f32 v43, s5, v51, v43
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16 v52, v52
	v_fma_f32 v44, s5, v52, v44
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16 v53, v53
	v_fma_f32 v45, s5, v53, v45
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16 v54, v54
	v_fma_f32 v46, s5, v54, v46
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16 v55, v55
	v_fma_f32 v47, s5, v55, v47
.L16:  ; beta_zero
	v_cvt_f16_f32 v40, v40
	v_cvt_f16_f32 v41, v41
	v_add_u32 v2, 48, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v40, v2, s[48:51], 0 offen
	v_add_u32 v2, 49, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v41, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v42, v42
	v_cvt_f16_f32 v43, v43
	v_add_u32 v2, 50, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v42, v2, s[48:51], 0 offen
	v_add_u32 v2, 51, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v43, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v44, v44
	v_cvt_f16_f32 v45, v45
	v_add_u32 v2, 56, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v44, v2, s[48:51], 0 offen
	v_add_u32 v2, 57, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v45, v2, s[48:51], 0 offen
	v_cvt_f16_f32 v46, v46
	v_cvt_f16_f32 v47, v47
	v_add_u32 v2, 58, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v46, v2, s[48:51], 0 offen
	v_add_u32 v2, 59, v38
	v_mul_lo_u32 v2, v2, s30
	v_add_u32 v3, 32, v37
	v_add_u32 v2, v2, v3
	v_lshlrev_b32 v2, 1, v2
	buffer_store_short v47, v2, s[48:51], 0 offen
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
		.amdhsa_next_free_vgpr 160
		.amdhsa_next_free_sgpr 62
		.amdhsa_accum_offset 96
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
    .sgpr_count:     68
    .sgpr_spill_count: 0
    .symbol:         gemm_f16_f16_nt_128x128x64_2x2.kd
    .uses_dynamic_stack: false
    .vgpr_count:     160
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata

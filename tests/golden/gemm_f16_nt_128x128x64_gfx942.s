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
	;   v37        first row; row; first row in the wave's part of D
	;   v38        first k
	;   v[38:45]   transposed runs of k, elements of the rest of K
	;   v38        column in a step
	;   v39        first row that is loaded; byte offset in D
	;   v40        byte offset in C
	;   v41        LDS address of results written
	;   v42        LDS address of results written
	;   v43        LDS address of results written
	;   v44        LDS address of results written
	;   v45        LDS address of results read
	;   v46        chunk; LDS address of results read
	;   v[48:55]   A on its way to LDS; results
	;   v[56:59]   A fragment
	;   v[56:63]   values of C
	;   v[60:63]   A fragment
	;   v[64:67]   A fragment
	;   v[64:71]   results
	;   v[68:71]   A fragment
	;   v[72:79]   B on its way to LDS; values of C
	;   v[80:83]   B fragment
	;   v[80:87]   results
	;   v[84:87]   B fragment
	;   v[88:91]   B fragment
	;   v[88:95]   values of C
	;   v[92:95]   B fragment
	;   v[96:103]  results
	;   v[104:111] values of C
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
	;   s37        v_perm selector: low halves
	;   s38        v_perm selector: high halves
	;   s39        A bytes per row
	;   s[40:43]   scratch
	;   s[44:47]   A buffer resource; D buffer resource
	;   s48        A bytes per k
	;   s49        A bytes per iteration
	;   s50        A rows left
	;   s51        B bytes per row
	;   s[52:55]   B buffer resource; C buffer resource
	;   s56        B bytes per k
	;   s57        B bytes per iteration
	;   s58        B rows left
	;   s59        rows of D in the wave's part
	;   s60        columns of D in the wave's part
	;   s61        0: whole 16 bytes at once
	;   s62        passes left
	;   s63        of the pass
	;   s[64:65]   alpha, of f32 twice
	;   s[66:69]   lanes with rows of D
	;   s70        bytes of D between steps
	;   s71        bytes of C between steps
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
	s_mov_b32 s37, 0x5040100
	s_mov_b32 s38, 0x7060302
	s_sub_u32 s50, s24, s33
	s_sub_u32 s58, s25, s34
	s_sub_u32 s40, s26, 8
	s_cselect_b32 s40, 0, s40
	s_mov_b32 s30, s26
	s_cmp_ge_u32 s50, 0x80
	s_cselect_b32 s30, s30, s40
	s_cmp_ge_u32 s58, 0x80
	s_cselect_b32 s30, s30, s40
	s_lshr_b32 s30, s30, 6
	s_lshl_b32 s40, s30, 6
	s_sub_u32 s32, s26, s40
	s_add_u32 s31, s32, 63
	s_lshr_b32 s31, s31, 6
	s_lshl_b32 s48, s27, 1  ; A: strides, block base, lane addresses
	s_mov_b32 s39, 2
	s_lshl_b32 s49, s48, 6
	v_and_b32 v37, 7, v0
	v_lshlrev_b32 v37, 2, v37
	v_and_or_b32 v37, v0, 32, v37
	v_lshlrev_b32 v37, 1, v37
	v_and_b32 v38, 0xc0, v0
	v_lshrrev_b32 v38, 3, v38
	v_bfe_u32 v2, v0, 3, 2
	v_lshl_or_b32 v38, v2, 1, v38
	s_sub_u32 s40, s50, 1
	s_and_b32 s40, s40, -8
	v_min_u32 v39, s40, v37
	v_add_u32 v2, 0, v38
	v_mul_lo_u32 v2, v2, s48
	v_lshl_add_u32 v5, v39, 1, v2
	v_add_u32 v2, 1, v38
	v_mul_lo_u32 v2, v2, s48
	v_lshl_add_u32 v6, v39, 1, v2
	v_add_u32 v2, 32, v38
	v_mul_lo_u32 v2, v2, s48
	v_lshl_add_u32 v7, v39, 1, v2
	v_add_u32 v2, 33, v38
	v_mul_lo_u32 v2, v2, s48
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
	v_xor_b32 v11, 16, v9
	v_xor_b32 v12, 0x50, v9
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
	s_mul_i32 s40, s33, s39
	s_mul_hi_u32 s41, s33, s39
	s_add_u32 s12, s12, s40
	s_addc_u32 s13, s13, s41
	s_mov_b32 s44, s12
	s_and_b32 s45, s13, 0xffff
	s_mov_b32 s46, -16
	s_mov_b32 s47, 0x20000
	s_sub_u32 s44, s44, s49
	s_subb_u32 s45, s45, 0
	s_lshl_b32 s56, s6, 1  ; B: strides, block base, lane addresses
	s_mov_b32 s51, 2
	s_lshl_b32 s57, s56, 6
	v_and_b32 v37, 7, v0
	v_lshlrev_b32 v37, 2, v37
	v_and_or_b32 v37, v0, 32, v37
	v_lshlrev_b32 v37, 1, v37
	v_and_b32 v38, 0xc0, v0
	v_lshrrev_b32 v38, 3, v38
	v_bfe_u32 v2, v0, 3, 2
	v_lshl_or_b32 v38, v2, 1, v38
	s_sub_u32 s40, s58, 1
	s_and_b32 s40, s40, -8
	v_min_u32 v39, s40, v37
	v_add_u32 v2, 0, v38
	v_mul_lo_u32 v2, v2, s56
	v_lshl_add_u32 v21, v39, 1, v2
	v_add_u32 v2, 1, v38
	v_mul_lo_u32 v2, v2, s56
	v_lshl_add_u32 v22, v39, 1, v2
	v_add_u32 v2, 32, v38
	v_mul_lo_u32 v2, v2, s56
	v_lshl_add_u32 v23, v39, 1, v2
	v_add_u32 v2, 33, v38
	v_mul_lo_u32 v2, v2, s56
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
	v_xor_b32 v27, 16, v25
	v_xor_b32 v28, 0x50, v25
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
	s_cmp_gt_u32 s30, 1
	s_cbranch_scc0 .L0
.L1:  ; pipeline_starts
	s_add_u32 s30, s30, -2
	s_add_u32 s44, s44, s49  ; -- next_block, iteration 0
	s_addc_u32 s45, s45, 0
	buffer_load_dwordx4 v[48:51], v5, s[44:47], 0 offen  ; -- load, iteration 0
	buffer_load_dwordx4 v[52:55], v6, s[44:47], 0 offen
	s_add_u32 s52, s52, s57  ; -- next_block, iteration 0
	s_addc_u32 s53, s53, 0
	buffer_load_dwordx4 v[72:75], v21, s[52:55], 0 offen  ; -- load, iteration 0
	buffer_load_dwordx4 v[76:79], v22, s[52:55], 0 offen
	v_and_b32 v37, 31, v1
	s_mul_i32 s40, s35, 64
	v_add_u32 v37, s40, v37
	v_lshrrev_b32 v46, 5, v1
	v_and_b32 v17, 2, v37
	v_lshlrev_b32 v17, 3, v17
	v_lshlrev_b32 v3, 6, v37
	v_lshl_or_b32 v3, v46, 4, v3
	v_xor_b32 v17, v3, v17
	v_and_b32 v3, 56, v37
	v_lshlrev_b32 v3, 1, v3
	v_xor_b32 v17, v17, v3
	v_add_u32 v17, 0, v17
	v_xor_b32 v18, 32, v17
	v_xor_b32 v19, 64, v17
	v_xor_b32 v20, 0x60, v17
	v_and_b32 v37, 31, v1
	s_mul_i32 s40, s36, 64
	v_add_u32 v37, s40, v37
	v_lshrrev_b32 v46, 5, v1
	v_and_b32 v33, 2, v37
	v_lshlrev_b32 v33, 3, v33
	v_lshlrev_b32 v3, 6, v37
	v_lshl_or_b32 v3, v46, 4, v3
	v_xor_b32 v33, v3, v33
	v_and_b32 v3, 56, v37
	v_lshlrev_b32 v3, 1, v3
	v_xor_b32 v33, v33, v3
	v_add_u32 v33, 0x4000, v33
	v_xor_b32 v34, 32, v33
	v_xor_b32 v35, 64, v33
	v_xor_b32 v36, 0x60, v33
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
	s_waitcnt vmcnt(2)
	v_perm_b32 v38, v52, v48, s37
	v_perm_b32 v39, v54, v50, s37
	ds_write2_b32 v9, v38, v39 offset1:64
	v_perm_b32 v42, v52, v48, s38
	v_perm_b32 v43, v54, v50, s38
	ds_write2_b32 v10, v42, v43 offset1:64
	v_perm_b32 v38, v53, v49, s37
	v_perm_b32 v39, v55, v51, s37
	ds_write2_b32 v11, v38, v39 offset0:32 offset1:96
	v_perm_b32 v42, v53, v49, s38
	v_perm_b32 v43, v55, v51, s38
	ds_write2_b32 v12, v42, v43 offset0:32 offset1:96
	s_waitcnt vmcnt(0)
	v_perm_b32 v38, v76, v72, s37
	v_perm_b32 v39, v78, v74, s37
	ds_write2_b32 v25, v38, v39 offset1:64
	v_perm_b32 v42, v76, v72, s38
	v_perm_b32 v43, v78, v74, s38
	ds_write2_b32 v26, v42, v43 offset1:64
	v_perm_b32 v38, v77, v73, s37
	v_perm_b32 v39, v79, v75, s37
	ds_write2_b32 v27, v38, v39 offset0:32 offset1:96
	v_perm_b32 v42, v77, v73, s38
	v_perm_b32 v43, v79, v75, s38
	ds_write2_b32 v28, v42, v43 offset0:32 offset1:96
	; -- load, iteration 0
	buffer_load_dwordx4 v[48:51], v7, s[44:47], 0 offen
	buffer_load_dwordx4 v[52:55], v8, s[44:47], 0 offen
	buffer_load_dwordx4 v[72:75], v23, s[52:55], 0 offen
	buffer_load_dwordx4 v[76:79], v24, s[52:55], 0 offen
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- read_fragments, iteration 0
	ds_read_b128 v[80:83], v33
	ds_read_b128 v[56:59], v17
	ds_read_b128 v[60:63], v19 offset:2048
	ds_read_b128 v[84:87], v35 offset:2048
.L5:  ; pipeline
	s_waitcnt lgkmcnt(2)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[56:57], v[80:81], a[0:15]
	ds_read_b128 v[88:91], v34  ; -- read_fragments
	ds_read_b128 v[64:67], v18
	ds_read_b128 v[68:71], v20 offset:2048
	s_waitcnt lgkmcnt(4)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[16:31], v[60:61], v[80:81], a[16:31]
	ds_read_b128 v[92:95], v36 offset:2048  ; -- read_fragments
	; -- store
	s_waitcnt vmcnt(2)
	v_perm_b32 v38, v52, v48, s37
	v_perm_b32 v39, v54, v50, s37
	ds_write2_b32 v13, v38, v39 offset1:64
	s_waitcnt lgkmcnt(5)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[32:47], v[56:57], v[84:85], a[32:47]
	v_perm_b32 v42, v52, v48, s38  ; -- store
	v_perm_b32 v43, v54, v50, s38
	ds_write2_b32 v14, v42, v43 offset1:64
	v_mfma_f32_32x32x8_f16 a[48:63], v[60:61], v[84:85], a[48:63]  ; -- multiply
	; -- store
	v_perm_b32 v38, v53, v49, s37
	v_perm_b32 v39, v55, v51, s37
	ds_write2_b32 v15, v38, v39 offset0:32 offset1:96
	v_perm_b32 v42, v53, v49, s38
	v_mfma_f32_32x32x8_f16 a[0:15], v[58:59], v[82:83], a[0:15]  ; -- multiply
	; -- store
	v_perm_b32 v43, v55, v51, s38
	ds_write2_b32 v16, v42, v43 offset0:32 offset1:96
	s_waitcnt vmcnt(0)
	v_perm_b32 v38, v76, v72, s37
	v_mfma_f32_32x32x8_f16 a[16:31], v[62:63], v[82:83], a[16:31]  ; -- multiply
	; -- store
	v_perm_b32 v39, v78, v74, s37
	ds_write2_b32 v29, v38, v39 offset1:64
	v_perm_b32 v42, v76, v72, s38
	v_perm_b32 v43, v78, v74, s38
	v_mfma_f32_32x32x8_f16 a[32:47], v[58:59], v[86:87], a[32:47]  ; -- multiply
	ds_write2_b32 v30, v42, v43 offset1:64  ; -- store
	v_perm_b32 v38, v77, v73, s37
	v_perm_b32 v39, v79, v75, s37
	v_mfma_f32_32x32x8_f16 a[48:63], v[62:63], v[86:87], a[48:63]  ; -- multiply
	; -- store
	ds_write2_b32 v31, v38, v39 offset0:32 offset1:96
	v_perm_b32 v42, v77, v73, s38
	v_perm_b32 v43, v79, v75, s38
	ds_write2_b32 v32, v42, v43 offset0:32 offset1:96
	s_waitcnt lgkmcnt(10)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[64:65], v[88:89], a[0:15]
	s_add_u32 s44, s44, s49  ; -- next_block +1
	s_addc_u32 s45, s45, 0
	s_waitcnt lgkmcnt(9)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[16:31], v[68:69], v[88:89], a[16:31]
	buffer_load_dwordx4 v[48:51], v5, s[44:47], 0 offen  ; -- load +1
	buffer_load_dwordx4 v[52:55], v6, s[44:47], 0 offen
	s_waitcnt lgkmcnt(8)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[32:47], v[64:65], v[92:93], a[32:47]
	s_add_u32 s52, s52, s57  ; -- next_block +1
	s_addc_u32 s53, s53, 0
	v_mfma_f32_32x32x8_f16 a[48:63], v[68:69], v[92:93], a[48:63]  ; -- multiply
	buffer_load_dwordx4 v[72:75], v21, s[52:55], 0 offen  ; -- load +1
	buffer_load_dwordx4 v[76:79], v22, s[52:55], 0 offen
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier
	s_barrier
	v_mfma_f32_32x32x8_f16 a[0:15], v[66:67], v[90:91], a[0:15]  ; -- multiply
	ds_read_b128 v[80:83], v33 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[16:31], v[70:71], v[90:91], a[16:31]  ; -- multiply
	ds_read_b128 v[56:59], v17 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[32:47], v[66:67], v[94:95], a[32:47]  ; -- multiply
	ds_read_b128 v[60:63], v19 offset:10240  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[48:63], v[70:71], v[94:95], a[48:63]  ; -- multiply
	ds_read_b128 v[84:87], v35 offset:10240  ; -- read_fragments
	s_waitcnt lgkmcnt(2)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[56:57], v[80:81], a[0:15]
	ds_read_b128 v[88:91], v34 offset:8192  ; -- read_fragments
	ds_read_b128 v[64:67], v18 offset:8192
	ds_read_b128 v[68:71], v20 offset:10240
	s_waitcnt lgkmcnt(4)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[16:31], v[60:61], v[80:81], a[16:31]
	ds_read_b128 v[92:95], v36 offset:10240  ; -- read_fragments
	; -- store +1
	s_waitcnt vmcnt(2)
	v_perm_b32 v38, v52, v48, s37
	v_perm_b32 v39, v54, v50, s37
	ds_write2_b32 v9, v38, v39 offset1:64
	s_waitcnt lgkmcnt(5)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[32:47], v[56:57], v[84:85], a[32:47]
	v_perm_b32 v42, v52, v48, s38  ; -- store +1
	v_perm_b32 v43, v54, v50, s38
	ds_write2_b32 v10, v42, v43 offset1:64
	v_mfma_f32_32x32x8_f16 a[48:63], v[60:61], v[84:85], a[48:63]  ; -- multiply
	; -- store +1
	v_perm_b32 v38, v53, v49, s37
	v_perm_b32 v39, v55, v51, s37
	ds_write2_b32 v11, v38, v39 offset0:32 offset1:96
	v_perm_b32 v42, v53, v49, s38
	v_mfma_f32_32x32x8_f16 a[0:15], v[58:59], v[82:83], a[0:15]  ; -- multiply
	; -- store +1
	v_perm_b32 v43, v55, v51, s38
	ds_write2_b32 v12, v42, v43 offset0:32 offset1:96
	s_waitcnt vmcnt(0)
	v_perm_b32 v38, v76, v72, s37
	v_mfma_f32_32x32x8_f16 a[16:31], v[62:63], v[82:83], a[16:31]  ; -- multiply
	; -- store +1
	v_perm_b32 v39, v78, v74, s37
	ds_write2_b32 v25, v38, v39 offset1:64
	v_perm_b32 v42, v76, v72, s38
	v_perm_b32 v43, v78, v74, s38
	v_mfma_f32_32x32x8_f16 a[32:47], v[58:59], v[86:87], a[32:47]  ; -- multiply
	ds_write2_b32 v26, v42, v43 offset1:64  ; -- store +1
	v_perm_b32 v38, v77, v73, s37
	v_perm_b32 v39, v79, v75, s37
	v_mfma_f32_32x32x8_f16 a[48:63], v[62:63], v[86:87], a[48:63]  ; -- multiply
	; -- store +1
	ds_write2_b32 v27, v38, v39 offset0:32 offset1:96
	v_perm_b32 v42, v77, v73, s38
	v_perm_b32 v43, v79, v75, s38
	ds_write2_b32 v28, v42, v43 offset0:32 offset1:96
	s_waitcnt lgkmcnt(10)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[64:65], v[88:89], a[0:15]
	buffer_load_dwordx4 v[48:51], v7, s[44:47], 0 offen  ; -- load +1
	s_waitcnt lgkmcnt(9)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[16:31], v[68:69], v[88:89], a[16:31]
	buffer_load_dwordx4 v[52:55], v8, s[44:47], 0 offen  ; -- load +1
	s_waitcnt lgkmcnt(8)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[32:47], v[64:65], v[92:93], a[32:47]
	buffer_load_dwordx4 v[72:75], v23, s[52:55], 0 offen  ; -- load +1
	v_mfma_f32_32x32x8_f16 a[48:63], v[68:69], v[92:93], a[48:63]  ; -- multiply
	buffer_load_dwordx4 v[76:79], v24, s[52:55], 0 offen  ; -- load +1
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier +1
	s_barrier
	v_mfma_f32_32x32x8_f16 a[0:15], v[66:67], v[90:91], a[0:15]  ; -- multiply
	ds_read_b128 v[80:83], v33  ; -- read_fragments +1
	v_mfma_f32_32x32x8_f16 a[16:31], v[70:71], v[90:91], a[16:31]  ; -- multiply
	ds_read_b128 v[56:59], v17  ; -- read_fragments +1
	v_mfma_f32_32x32x8_f16 a[32:47], v[66:67], v[94:95], a[32:47]  ; -- multiply
	ds_read_b128 v[60:63], v19 offset:2048  ; -- read_fragments +1
	v_mfma_f32_32x32x8_f16 a[48:63], v[70:71], v[94:95], a[48:63]  ; -- multiply
	ds_read_b128 v[84:87], v35 offset:2048  ; -- read_fragments +1
	s_sub_u32 s30, s30, 1
	s_cbranch_scc0 .L5
.L3:  ; pipeline_exit_0
	s_waitcnt lgkmcnt(2)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[0:15], v[56:57], v[80:81], a[0:15]
	ds_read_b128 v[88:91], v34  ; -- read_fragments
	ds_read_b128 v[64:67], v18
	ds_read_b128 v[68:71], v20 offset:2048
	s_waitcnt lgkmcnt(4)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[16:31], v[60:61], v[80:81], a[16:31]
	ds_read_b128 v[92:95], v36 offset:2048  ; -- read_fragments
	; -- store
	s_waitcnt vmcnt(2)
	v_perm_b32 v38, v52, v48, s37
	v_perm_b32 v39, v54, v50, s37
	ds_write2_b32 v13, v38, v39 offset1:64
	s_waitcnt lgkmcnt(5)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[32:47], v[56:57], v[84:85], a[32:47]
	v_perm_b32 v42, v52, v48, s38  ; -- store
	v_perm_b32 v43, v54, v50, s38
	ds_write2_b32 v14, v42, v43 offset1:64
	v_mfma_f32_32x32x8_f16 a[48:63], v[60:61], v[84:85], a[48:63]  ; -- multiply
	; -- store
	v_perm_b32 v38, v53, v49, s37
	v_perm_b32 v39, v55, v51, s37
	ds_write2_b32 v15, v38, v39 offset0:32 offset1:96
	v_perm_b32 v42, v53, v49, s38
	v_mfma_f32_32x32x8_f16 a[0:15], v[58:59], v[82:83], a[0:15]  ; -- multiply
	; -- store
	v_perm_b32 v43, v55, v51, s38
	ds_write2_b32 v16, v42, v43 offset0:32 offset1:96
	s_waitcnt vmcnt(0)
	v_perm_b32 v38, v76, v72, s37
	v_mfma_f32_32x32x8_f16 a[16:31], v[62:63], v[82:83], a[16:31]  ; -- multiply
	; -- store
	v_perm_b32 v39, v78, v74, s37
	ds_write2_b32 v29, v38, v39 offset1:64
	v_perm_b32 v42, v76, v72, s38
	v_perm_b32 v43, v78, v74, s38
	v_mfma_f32_32x32x8_f16 a[32:47], v[58:59], v[86:87], a[32:47]  ; -- multiply
	ds_write2_b32 v30, v42, v43 offset1:64  ; -- store
	v_perm_b32 v38, v77, v73, s37
	v_perm_b32 v39, v79, v75, s37
	v_mfma_f32_32x32x8_f16 a[48:63], v[62:63], v[86:87], a[48:63]  ; -- multiply
	; -- store
	ds_write2_b32 v31, v38, v39 offset0:32 offset1:96
	v_perm_b32 v42, v77, v73, s38
	v_perm_b32 v43, v79, v75, s38
	ds_write2_b32 v32, v42, v43 offset0:32 offset1:96
	; -- multiply
	s_waitcnt lgkmcnt(10)
	v_mfma_f32_32x32x8_f16 a[0:15], v[64:65], v[88:89], a[0:15]
	s_waitcnt lgkmcnt(9)
	v_mfma_f32_32x32x8_f16 a[16:31], v[68:69], v[88:89], a[16:31]
	s_waitcnt lgkmcnt(8)
	v_mfma_f32_32x32x8_f16 a[32:47], v[64:65], v[92:93], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[68:69], v[92:93], a[48:63]
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier
	s_barrier
	v_mfma_f32_32x32x8_f16 a[0:15], v[66:67], v[90:91], a[0:15]  ; -- multiply
	ds_read_b128 v[80:83], v33 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[16:31], v[70:71], v[90:91], a[16:31]  ; -- multiply
	ds_read_b128 v[56:59], v17 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[32:47], v[66:67], v[94:95], a[32:47]  ; -- multiply
	ds_read_b128 v[60:63], v19 offset:10240  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[48:63], v[70:71], v[94:95], a[48:63]  ; -- multiply
	ds_read_b128 v[84:87], v35 offset:10240  ; -- read_fragments
	; -- multiply
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 a[0:15], v[56:57], v[80:81], a[0:15]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 a[16:31], v[60:61], v[80:81], a[16:31]
	ds_read_b128 v[88:91], v34 offset:8192  ; -- read_fragments
	s_waitcnt lgkmcnt(1)  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[32:47], v[56:57], v[84:85], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[60:61], v[84:85], a[48:63]
	ds_read_b128 v[64:67], v18 offset:8192  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[0:15], v[58:59], v[82:83], a[0:15]  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[16:31], v[62:63], v[82:83], a[16:31]
	ds_read_b128 v[68:71], v20 offset:10240  ; -- read_fragments
	v_mfma_f32_32x32x8_f16 a[32:47], v[58:59], v[86:87], a[32:47]  ; -- multiply
	v_mfma_f32_32x32x8_f16 a[48:63], v[62:63], v[86:87], a[48:63]
	ds_read_b128 v[92:95], v36 offset:10240  ; -- read_fragments
	; -- multiply
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 a[0:15], v[64:65], v[88:89], a[0:15]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 a[16:31], v[68:69], v[88:89], a[16:31]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[32:47], v[64:65], v[92:93], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[68:69], v[92:93], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[66:67], v[90:91], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[70:71], v[90:91], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[66:67], v[94:95], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[70:71], v[94:95], a[48:63]
	s_branch .L4
.L0:  ; pipeline_few_trips
	v_and_b32 v37, 31, v1
	s_mul_i32 s40, s35, 64
	v_add_u32 v37, s40, v37
	v_lshrrev_b32 v46, 5, v1
	v_and_b32 v17, 2, v37
	v_lshlrev_b32 v17, 3, v17
	v_lshlrev_b32 v3, 6, v37
	v_lshl_or_b32 v3, v46, 4, v3
	v_xor_b32 v17, v3, v17
	v_and_b32 v3, 56, v37
	v_lshlrev_b32 v3, 1, v3
	v_xor_b32 v17, v17, v3
	v_add_u32 v17, 0, v17
	v_xor_b32 v18, 32, v17
	v_xor_b32 v19, 64, v17
	v_xor_b32 v20, 0x60, v17
	v_and_b32 v37, 31, v1
	s_mul_i32 s40, s36, 64
	v_add_u32 v37, s40, v37
	v_lshrrev_b32 v46, 5, v1
	v_and_b32 v33, 2, v37
	v_lshlrev_b32 v33, 3, v33
	v_lshlrev_b32 v3, 6, v37
	v_lshl_or_b32 v3, v46, 4, v3
	v_xor_b32 v33, v3, v33
	v_and_b32 v3, 56, v37
	v_lshlrev_b32 v3, 1, v3
	v_xor_b32 v33, v33, v3
	v_add_u32 v33, 0x4000, v33
	v_xor_b32 v34, 32, v33
	v_xor_b32 v35, 64, v33
	v_xor_b32 v36, 0x60, v33
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
	s_add_u32 s44, s44, s49  ; -- next_block, iteration 0
	s_addc_u32 s45, s45, 0
	buffer_load_dwordx4 v[48:51], v5, s[44:47], 0 offen  ; -- load, iteration 0
	buffer_load_dwordx4 v[52:55], v6, s[44:47], 0 offen
	s_add_u32 s52, s52, s57  ; -- next_block, iteration 0
	s_addc_u32 s53, s53, 0
	buffer_load_dwordx4 v[72:75], v21, s[52:55], 0 offen  ; -- load, iteration 0
	buffer_load_dwordx4 v[76:79], v22, s[52:55], 0 offen
	; -- store, iteration 0
	s_waitcnt vmcnt(2)
	v_perm_b32 v38, v52, v48, s37
	v_perm_b32 v39, v54, v50, s37
	ds_write2_b32 v9, v38, v39 offset1:64
	v_perm_b32 v42, v52, v48, s38
	v_perm_b32 v43, v54, v50, s38
	ds_write2_b32 v10, v42, v43 offset1:64
	v_perm_b32 v38, v53, v49, s37
	v_perm_b32 v39, v55, v51, s37
	ds_write2_b32 v11, v38, v39 offset0:32 offset1:96
	v_perm_b32 v42, v53, v49, s38
	v_perm_b32 v43, v55, v51, s38
	ds_write2_b32 v12, v42, v43 offset0:32 offset1:96
	s_waitcnt vmcnt(0)
	v_perm_b32 v38, v76, v72, s37
	v_perm_b32 v39, v78, v74, s37
	ds_write2_b32 v25, v38, v39 offset1:64
	v_perm_b32 v42, v76, v72, s38
	v_perm_b32 v43, v78, v74, s38
	ds_write2_b32 v26, v42, v43 offset1:64
	v_perm_b32 v38, v77, v73, s37
	v_perm_b32 v39, v79, v75, s37
	ds_write2_b32 v27, v38, v39 offset0:32 offset1:96
	v_perm_b32 v42, v77, v73, s38
	v_perm_b32 v43, v79, v75, s38
	ds_write2_b32 v28, v42, v43 offset0:32 offset1:96
	; -- load, iteration 0
	buffer_load_dwordx4 v[48:51], v7, s[44:47], 0 offen
	buffer_load_dwordx4 v[52:55], v8, s[44:47], 0 offen
	buffer_load_dwordx4 v[72:75], v23, s[52:55], 0 offen
	buffer_load_dwordx4 v[76:79], v24, s[52:55], 0 offen
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- read_fragments, iteration 0
	ds_read_b128 v[80:83], v33
	ds_read_b128 v[56:59], v17
	ds_read_b128 v[60:63], v19 offset:2048
	ds_read_b128 v[84:87], v35 offset:2048
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 a[0:15], v[56:57], v[80:81], a[0:15]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 a[16:31], v[60:61], v[80:81], a[16:31]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[32:47], v[56:57], v[84:85], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[60:61], v[84:85], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[58:59], v[82:83], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[62:63], v[82:83], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[58:59], v[86:87], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[62:63], v[86:87], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[88:91], v34
	ds_read_b128 v[64:67], v18
	ds_read_b128 v[68:71], v20 offset:2048
	ds_read_b128 v[92:95], v36 offset:2048
	; -- store, iteration 0
	s_waitcnt vmcnt(2)
	v_perm_b32 v38, v52, v48, s37
	v_perm_b32 v39, v54, v50, s37
	ds_write2_b32 v13, v38, v39 offset1:64
	v_perm_b32 v42, v52, v48, s38
	v_perm_b32 v43, v54, v50, s38
	ds_write2_b32 v14, v42, v43 offset1:64
	v_perm_b32 v38, v53, v49, s37
	v_perm_b32 v39, v55, v51, s37
	ds_write2_b32 v15, v38, v39 offset0:32 offset1:96
	v_perm_b32 v42, v53, v49, s38
	v_perm_b32 v43, v55, v51, s38
	ds_write2_b32 v16, v42, v43 offset0:32 offset1:96
	s_waitcnt vmcnt(0)
	v_perm_b32 v38, v76, v72, s37
	v_perm_b32 v39, v78, v74, s37
	ds_write2_b32 v29, v38, v39 offset1:64
	v_perm_b32 v42, v76, v72, s38
	v_perm_b32 v43, v78, v74, s38
	ds_write2_b32 v30, v42, v43 offset1:64
	v_perm_b32 v38, v77, v73, s37
	v_perm_b32 v39, v79, v75, s37
	ds_write2_b32 v31, v38, v39 offset0:32 offset1:96
	v_perm_b32 v42, v77, v73, s38
	v_perm_b32 v43, v79, v75, s38
	ds_write2_b32 v32, v42, v43 offset0:32 offset1:96
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(10)
	v_mfma_f32_32x32x8_f16 a[0:15], v[64:65], v[88:89], a[0:15]
	s_waitcnt lgkmcnt(9)
	v_mfma_f32_32x32x8_f16 a[16:31], v[68:69], v[88:89], a[16:31]
	s_waitcnt lgkmcnt(8)
	v_mfma_f32_32x32x8_f16 a[32:47], v[64:65], v[92:93], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[68:69], v[92:93], a[48:63]
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- multiply, iteration 0
	v_mfma_f32_32x32x8_f16 a[0:15], v[66:67], v[90:91], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[70:71], v[90:91], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[66:67], v[94:95], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[70:71], v[94:95], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[80:83], v33 offset:8192
	ds_read_b128 v[56:59], v17 offset:8192
	ds_read_b128 v[60:63], v19 offset:10240
	ds_read_b128 v[84:87], v35 offset:10240
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 a[0:15], v[56:57], v[80:81], a[0:15]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 a[16:31], v[60:61], v[80:81], a[16:31]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[32:47], v[56:57], v[84:85], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[60:61], v[84:85], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[58:59], v[82:83], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[62:63], v[82:83], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[58:59], v[86:87], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[62:63], v[86:87], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[88:91], v34 offset:8192
	ds_read_b128 v[64:67], v18 offset:8192
	ds_read_b128 v[68:71], v20 offset:10240
	ds_read_b128 v[92:95], v36 offset:10240
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 a[0:15], v[64:65], v[88:89], a[0:15]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 a[16:31], v[68:69], v[88:89], a[16:31]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[32:47], v[64:65], v[92:93], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[68:69], v[92:93], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[66:67], v[90:91], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[70:71], v[90:91], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[66:67], v[94:95], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[70:71], v[94:95], a[48:63]
.L4:  ; pipeline_tail
	s_sub_u32 s31, s31, 1
	s_cbranch_scc1 .L2
	s_add_u32 s44, s44, s49  ; -- next_block, iteration 0
	s_addc_u32 s45, s45, 0
	; -- load_rest, iteration 0
	s_min_u32 s40, s32, 64
	s_sub_u32 s40, s40, 1
	s_mul_i32 s40, s40, s48
	s_lshl_b32 s41, s50, 1
	s_add_u32 s40, s40, s41
	s_mov_b32 s46, s40
	buffer_load_ushort v38, v5, s[44:47], 0 offen
	buffer_load_ushort v39, v5, s[44:47], 0 offen offset:2
	buffer_load_ushort v40, v5, s[44:47], 0 offen offset:4
	buffer_load_ushort v41, v5, s[44:47], 0 offen offset:6
	buffer_load_ushort v42, v5, s[44:47], 0 offen offset:8
	buffer_load_ushort v43, v5, s[44:47], 0 offen offset:10
	buffer_load_ushort v44, v5, s[44:47], 0 offen offset:12
	buffer_load_ushort v45, v5, s[44:47], 0 offen offset:14
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v48, v39, 16, v38
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v49, v41, 16, v40
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v50, v43, 16, v42
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v51, v45, 16, v44
	buffer_load_ushort v38, v6, s[44:47], 0 offen
	buffer_load_ushort v39, v6, s[44:47], 0 offen offset:2
	buffer_load_ushort v40, v6, s[44:47], 0 offen offset:4
	buffer_load_ushort v41, v6, s[44:47], 0 offen offset:6
	buffer_load_ushort v42, v6, s[44:47], 0 offen offset:8
	buffer_load_ushort v43, v6, s[44:47], 0 offen offset:10
	buffer_load_ushort v44, v6, s[44:47], 0 offen offset:12
	buffer_load_ushort v45, v6, s[44:47], 0 offen offset:14
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v52, v39, 16, v38
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v53, v41, 16, v40
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v54, v43, 16, v42
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v55, v45, 16, v44
	s_add_u32 s52, s52, s57  ; -- next_block, iteration 0
	s_addc_u32 s53, s53, 0
	; -- load_rest, iteration 0
	s_min_u32 s40, s32, 64
	s_sub_u32 s40, s40, 1
	s_mul_i32 s40, s40, s56
	s_lshl_b32 s41, s58, 1
	s_add_u32 s40, s40, s41
	s_mov_b32 s54, s40
	buffer_load_ushort v38, v21, s[52:55], 0 offen
	buffer_load_ushort v39, v21, s[52:55], 0 offen offset:2
	buffer_load_ushort v40, v21, s[52:55], 0 offen offset:4
	buffer_load_ushort v41, v21, s[52:55], 0 offen offset:6
	buffer_load_ushort v42, v21, s[52:55], 0 offen offset:8
	buffer_load_ushort v43, v21, s[52:55], 0 offen offset:10
	buffer_load_ushort v44, v21, s[52:55], 0 offen offset:12
	buffer_load_ushort v45, v21, s[52:55], 0 offen offset:14
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v72, v39, 16, v38
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v73, v41, 16, v40
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v74, v43, 16, v42
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v75, v45, 16, v44
	buffer_load_ushort v38, v22, s[52:55], 0 offen
	buffer_load_ushort v39, v22, s[52:55], 0 offen offset:2
	buffer_load_ushort v40, v22, s[52:55], 0 offen offset:4
	buffer_load_ushort v41, v22, s[52:55], 0 offen offset:6
	buffer_load_ushort v42, v22, s[52:55], 0 offen offset:8
	buffer_load_ushort v43, v22, s[52:55], 0 offen offset:10
	buffer_load_ushort v44, v22, s[52:55], 0 offen offset:12
	buffer_load_ushort v45, v22, s[52:55], 0 offen offset:14
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
	v_perm_b32 v42, v52, v48, s38
	v_perm_b32 v43, v54, v50, s38
	ds_write2_b32 v10, v42, v43 offset1:64
	v_perm_b32 v38, v53, v49, s37
	v_perm_b32 v39, v55, v51, s37
	ds_write2_b32 v11, v38, v39 offset0:32 offset1:96
	v_perm_b32 v42, v53, v49, s38
	v_perm_b32 v43, v55, v51, s38
	ds_write2_b32 v12, v42, v43 offset0:32 offset1:96
	v_perm_b32 v38, v76, v72, s37
	v_perm_b32 v39, v78, v74, s37
	ds_write2_b32 v25, v38, v39 offset1:64
	v_perm_b32 v42, v76, v72, s38
	v_perm_b32 v43, v78, v74, s38
	ds_write2_b32 v26, v42, v43 offset1:64
	v_perm_b32 v38, v77, v73, s37
	v_perm_b32 v39, v79, v75, s37
	ds_write2_b32 v27, v38, v39 offset0:32 offset1:96
	v_perm_b32 v42, v77, v73, s38
	v_perm_b32 v43, v79, v75, s38
	ds_write2_b32 v28, v42, v43 offset0:32 offset1:96
	; -- load_rest, iteration 0
	s_min_u32 s40, s32, 64
	s_sub_u32 s40, s40, 1
	s_mul_i32 s40, s40, s48
	s_lshl_b32 s41, s50, 1
	s_add_u32 s40, s40, s41
	s_mov_b32 s46, s40
	buffer_load_ushort v38, v7, s[44:47], 0 offen
	buffer_load_ushort v39, v7, s[44:47], 0 offen offset:2
	buffer_load_ushort v40, v7, s[44:47], 0 offen offset:4
	buffer_load_ushort v41, v7, s[44:47], 0 offen offset:6
	buffer_load_ushort v42, v7, s[44:47], 0 offen offset:8
	buffer_load_ushort v43, v7, s[44:47], 0 offen offset:10
	buffer_load_ushort v44, v7, s[44:47], 0 offen offset:12
	buffer_load_ushort v45, v7, s[44:47], 0 offen offset:14
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v48, v39, 16, v38
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v49, v41, 16, v40
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v50, v43, 16, v42
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v51, v45, 16, v44
	buffer_load_ushort v38, v8, s[44:47], 0 offen
	buffer_load_ushort v39, v8, s[44:47], 0 offen offset:2
	buffer_load_ushort v40, v8, s[44:47], 0 offen offset:4
	buffer_load_ushort v41, v8, s[44:47], 0 offen offset:6
	buffer_load_ushort v42, v8, s[44:47], 0 offen offset:8
	buffer_load_ushort v43, v8, s[44:47], 0 offen offset:10
	buffer_load_ushort v44, v8, s[44:47], 0 offen offset:12
	buffer_load_ushort v45, v8, s[44:47], 0 offen offset:14
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
	s_mul_i32 s40, s40, s56
	s_lshl_b32 s41, s58, 1
	s_add_u32 s40, s40, s41
	s_mov_b32 s54, s40
	buffer_load_ushort v38, v23, s[52:55], 0 offen
	buffer_load_ushort v39, v23, s[52:55], 0 offen offset:2
	buffer_load_ushort v40, v23, s[52:55], 0 offen offset:4
	buffer_load_ushort v41, v23, s[52:55], 0 offen offset:6
	buffer_load_ushort v42, v23, s[52:55], 0 offen offset:8
	buffer_load_ushort v43, v23, s[52:55], 0 offen offset:10
	buffer_load_ushort v44, v23, s[52:55], 0 offen offset:12
	buffer_load_ushort v45, v23, s[52:55], 0 offen offset:14
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v72, v39, 16, v38
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v73, v41, 16, v40
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v74, v43, 16, v42
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v75, v45, 16, v44
	buffer_load_ushort v38, v24, s[52:55], 0 offen
	buffer_load_ushort v39, v24, s[52:55], 0 offen offset:2
	buffer_load_ushort v40, v24, s[52:55], 0 offen offset:4
	buffer_load_ushort v41, v24, s[52:55], 0 offen offset:6
	buffer_load_ushort v42, v24, s[52:55], 0 offen offset:8
	buffer_load_ushort v43, v24, s[52:55], 0 offen offset:10
	buffer_load_ushort v44, v24, s[52:55], 0 offen offset:12
	buffer_load_ushort v45, v24, s[52:55], 0 offen offset:14
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
	ds_read_b128 v[56:59], v17
	ds_read_b128 v[60:63], v19 offset:2048
	ds_read_b128 v[84:87], v35 offset:2048
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 a[0:15], v[56:57], v[80:81], a[0:15]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 a[16:31], v[60:61], v[80:81], a[16:31]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[32:47], v[56:57], v[84:85], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[60:61], v[84:85], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[58:59], v[82:83], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[62:63], v[82:83], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[58:59], v[86:87], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[62:63], v[86:87], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[88:91], v34
	ds_read_b128 v[64:67], v18
	ds_read_b128 v[68:71], v20 offset:2048
	ds_read_b128 v[92:95], v36 offset:2048
	; -- store, iteration 0
	v_perm_b32 v38, v52, v48, s37
	v_perm_b32 v39, v54, v50, s37
	ds_write2_b32 v13, v38, v39 offset1:64
	v_perm_b32 v42, v52, v48, s38
	v_perm_b32 v43, v54, v50, s38
	ds_write2_b32 v14, v42, v43 offset1:64
	v_perm_b32 v38, v53, v49, s37
	v_perm_b32 v39, v55, v51, s37
	ds_write2_b32 v15, v38, v39 offset0:32 offset1:96
	v_perm_b32 v42, v53, v49, s38
	v_perm_b32 v43, v55, v51, s38
	ds_write2_b32 v16, v42, v43 offset0:32 offset1:96
	v_perm_b32 v38, v76, v72, s37
	v_perm_b32 v39, v78, v74, s37
	ds_write2_b32 v29, v38, v39 offset1:64
	v_perm_b32 v42, v76, v72, s38
	v_perm_b32 v43, v78, v74, s38
	ds_write2_b32 v30, v42, v43 offset1:64
	v_perm_b32 v38, v77, v73, s37
	v_perm_b32 v39, v79, v75, s37
	ds_write2_b32 v31, v38, v39 offset0:32 offset1:96
	v_perm_b32 v42, v77, v73, s38
	v_perm_b32 v43, v79, v75, s38
	ds_write2_b32 v32, v42, v43 offset0:32 offset1:96
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(10)
	v_mfma_f32_32x32x8_f16 a[0:15], v[64:65], v[88:89], a[0:15]
	s_waitcnt lgkmcnt(9)
	v_mfma_f32_32x32x8_f16 a[16:31], v[68:69], v[88:89], a[16:31]
	s_waitcnt lgkmcnt(8)
	v_mfma_f32_32x32x8_f16 a[32:47], v[64:65], v[92:93], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[68:69], v[92:93], a[48:63]
	s_waitcnt lgkmcnt(0)  ; -- stage_barrier, iteration 0
	s_barrier
	; -- multiply, iteration 0
	v_mfma_f32_32x32x8_f16 a[0:15], v[66:67], v[90:91], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[70:71], v[90:91], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[66:67], v[94:95], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[70:71], v[94:95], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[80:83], v33 offset:8192
	ds_read_b128 v[56:59], v17 offset:8192
	ds_read_b128 v[60:63], v19 offset:10240
	ds_read_b128 v[84:87], v35 offset:10240
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 a[0:15], v[56:57], v[80:81], a[0:15]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 a[16:31], v[60:61], v[80:81], a[16:31]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[32:47], v[56:57], v[84:85], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[60:61], v[84:85], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[58:59], v[82:83], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[62:63], v[82:83], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[58:59], v[86:87], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[62:63], v[86:87], a[48:63]
	; -- read_fragments, iteration 0
	ds_read_b128 v[88:91], v34 offset:8192
	ds_read_b128 v[64:67], v18 offset:8192
	ds_read_b128 v[68:71], v20 offset:10240
	ds_read_b128 v[92:95], v36 offset:10240
	; -- multiply, iteration 0
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 a[0:15], v[64:65], v[88:89], a[0:15]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 a[16:31], v[68:69], v[88:89], a[16:31]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[32:47], v[64:65], v[92:93], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[68:69], v[92:93], a[48:63]
	v_mfma_f32_32x32x8_f16 a[0:15], v[66:67], v[90:91], a[0:15]
	v_mfma_f32_32x32x8_f16 a[16:31], v[70:71], v[90:91], a[16:31]
	v_mfma_f32_32x32x8_f16 a[32:47], v[66:67], v[94:95], a[32:47]
	v_mfma_f32_32x32x8_f16 a[48:63], v[70:71], v[94:95], a[48:63]
	s_sub_u32 s32, s32, 64  ; -- count_rest, iteration 0
	s_branch .L4
.L2:  ; pipeline_done
	s_barrier  ; nobody reads A and B in LDS any more
	s_mul_i32 s43, s35, 64  ; D and C: this wave's part
	s_add_u32 s33, s33, s43
	s_mul_i32 s43, s36, 64
	s_add_u32 s34, s34, s43
	s_sub_u32 s59, s24, s33
	s_cselect_b32 s59, 0, s59
	s_min_u32 s59, s59, 64
	s_sub_u32 s60, s25, s34
	s_cselect_b32 s60, 0, s60
	s_min_u32 s60, s60, 64
	s_min_u32 s43, s59, s60
	s_cmp_lg_u32 s43, 0
	s_cbranch_scc0 .L6
	s_mov_b32 s64, s28
	s_mov_b32 s65, s28
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
	s_lshl_b32 s70, s5, 1
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
	s_lshl_b32 s71, s7, 1
	s_or_b32 s40, s52, s71
	s_mov_b32 s41, s40
	s_lshl_b32 s40, s29, 1
	s_cmp_eq_u32 s40, 0
	s_cselect_b32 s40, 0, s41
	s_or_b32 s40, s40, s44
	s_or_b32 s40, s40, s70
	s_and_b32 s40, s40, 3
	s_and_b32 s41, s59, 7
	s_or_b32 s61, s40, s41
	v_mov_b32 v2, 0
	v_and_b32 v37, 7, v1
	v_lshlrev_b32 v37, 1, v37
	v_lshlrev_b32 v37, 2, v37
	v_lshrrev_b32 v2, 2, v2
	v_or_b32 v37, v2, v37
	v_lshrrev_b32 v38, 3, v1
	v_mul_lo_u32 v39, v38, s70
	v_lshl_add_u32 v39, v37, 1, v39
	s_mul_i32 s70, s70, 8
	v_subrev_u32 v39, s70, v39
	v_mul_lo_u32 v40, v38, s71
	v_lshl_add_u32 v40, v37, 1, v40
	s_mul_i32 s71, s71, 8
	v_subrev_u32 v40, s71, v40
	v_cmp_gt_u32 vcc, s59, v37
	s_mov_b64 s[66:67], vcc
	s_mul_i32 s40, s36, 2
	s_add_u32 s40, s40, s35
	s_mul_i32 s40, s40, 0x2000
	v_and_b32 v41, 32, v1
	v_lshrrev_b32 v41, 1, v41
	v_and_b32 v3, 31, v1
	v_lshlrev_b32 v3, 3, v3
	v_and_or_b32 v3, v1, 1, v3
	v_lshlrev_b32 v3, 1, v3
	v_and_or_b32 v3, v1, 4, v3
	v_lshlrev_b32 v3, 1, v3
	v_and_or_b32 v3, v1, 2, v3
	v_lshlrev_b32 v3, 3, v3
	v_xor_b32 v41, v3, v41
	v_add_u32 v41, s40, v41
	v_xor_b32 v42, 32, v41
	v_xor_b32 v43, 64, v41
	v_xor_b32 v44, 0x60, v41
	v_and_b32 v45, 8, v1
	v_lshlrev_b32 v45, 1, v45
	v_and_or_b32 v45, v1, 32, v45
	v_lshlrev_b32 v3, 4, v1
	v_xor_b32 v45, v3, v45
	v_and_b32 v3, 16, v1
	v_lshl_or_b32 v45, v45, 1, v3
	v_add_u32 v45, s40, v45
	v_xor_b32 v46, 16, v45
	s_mov_b32 s63, 0
	s_add_u32 s62, s60, 31
	s_lshr_b32 s62, s62, 5
.L7:  ; columns
	s_cmp_eq_u32 s63, 0
	s_cbranch_scc0 .L8
	ds_write_b128 v41, a[0:3]
	ds_write_b128 v42, a[4:7]
	ds_write_b128 v43, a[8:11]
	ds_write_b128 v44, a[12:15]
	ds_write_b128 v41, a[16:19] offset:128
	ds_write_b128 v42, a[20:23] offset:128
	ds_write_b128 v43, a[24:27] offset:128
	ds_write_b128 v44, a[28:31] offset:128
.L8:  ; other_columns
	s_cmp_eq_u32 s63, 32
	s_cbranch_scc0 .L9
	ds_write_b128 v41, a[32:35]
	ds_write_b128 v42, a[36:39]
	ds_write_b128 v43, a[40:43]
	ds_write_b128 v44, a[44:47]
	ds_write_b128 v41, a[48:51] offset:128
	ds_write_b128 v42, a[52:55] offset:128
	ds_write_b128 v43, a[56:59] offset:128
	ds_write_b128 v44, a[60:63] offset:128
.L9:  ; other_columns
	ds_read_b128 v[48:51], v45
	ds_read_b128 v[52:55], v46
	ds_read_b128 v[64:67], v45 offset:2048
	ds_read_b128 v[68:71], v46 offset:2048
	ds_read_b128 v[80:83], v45 offset:4096
	ds_read_b128 v[84:87], v46 offset:4096
	ds_read_b128 v[96:99], v45 offset:6144
	ds_read_b128 v[100:103], v46 offset:6144
	s_waitcnt lgkmcnt(7)
	v_pk_mul_f32 v[48:49], s[64:65], v[48:49] op_sel_hi:[0,1]
	v_pk_mul_f32 v[50:51], s[64:65], v[50:51] op_sel_hi:[0,1]
	s_waitcnt lgkmcnt(6)
	v_pk_mul_f32 v[52:53], s[64:65], v[52:53] op_sel_hi:[0,1]
	v_pk_mul_f32 v[54:55], s[64:65], v[54:55] op_sel_hi:[0,1]
	s_waitcnt lgkmcnt(5)
	v_pk_mul_f32 v[64:65], s[64:65], v[64:65] op_sel_hi:[0,1]
	v_pk_mul_f32 v[66:67], s[64:65], v[66:67] op_sel_hi:[0,1]
	s_waitcnt lgkmcnt(4)
	v_pk_mul_f32 v[68:69], s[64:65], v[68:69] op_sel_hi:[0,1]
	v_pk_mul_f32 v[70:71], s[64:65], v[70:71] op_sel_hi:[0,1]
	s_waitcnt lgkmcnt(3)
	v_pk_mul_f32 v[80:81], s[64:65], v[80:81] op_sel_hi:[0,1]
	v_pk_mul_f32 v[82:83], s[64:65], v[82:83] op_sel_hi:[0,1]
	s_waitcnt lgkmcnt(2)
	v_pk_mul_f32 v[84:85], s[64:65], v[84:85] op_sel_hi:[0,1]
	v_pk_mul_f32 v[86:87], s[64:65], v[86:87] op_sel_hi:[0,1]
	s_waitcnt lgkmcnt(1)
	v_pk_mul_f32 v[96:97], s[64:65], v[96:97] op_sel_hi:[0,1]
	v_pk_mul_f32 v[98:99], s[64:65], v[98:99] op_sel_hi:[0,1]
	s_waitcnt lgkmcnt(0)
	v_pk_mul_f32 v[100:101], s[64:65], v[100:101] op_sel_hi:[0,1]
	v_pk_mul_f32 v[102:103], s[64:65], v[102:103] op_sel_hi:[0,1]
	s_lshl_b32 s40, s29, 1
	s_cmp_eq_u32 s40, 0
	s_cbranch_scc1 .L10
	s_cmp_lg_u32 s61, 0
	s_cbranch_scc1 .L11
	s_mov_b64 exec, -1
	v_add_u32 v40, s71, v40
	s_sub_u32 s40, s60, 0
	v_cmp_gt_i32 vcc, s40, v38
	s_and_b64 exec, vcc, s[66:67]
	buffer_load_dwordx4 v[56:59], v40, s[52:55], 0 offen
	s_mov_b64 exec, -1
	v_add_u32 v40, s71, v40
	s_sub_u32 s40, s60, 8
	v_cmp_gt_i32 vcc, s40, v38
	s_and_b64 exec, vcc, s[66:67]
	buffer_load_dwordx4 v[72:75], v40, s[52:55], 0 offen
	s_mov_b64 exec, -1
	v_add_u32 v40, s71, v40
	s_sub_u32 s40, s60, 16
	v_cmp_gt_i32 vcc, s40, v38
	s_and_b64 exec, vcc, s[66:67]
	buffer_load_dwordx4 v[88:91], v40, s[52:55], 0 offen
	s_mov_b64 exec, -1
	v_add_u32 v40, s71, v40
	s_sub_u32 s40, s60, 24
	v_cmp_gt_i32 vcc, s40, v38
	s_and_b64 exec, vcc, s[66:67]
	buffer_load_dwordx4 v[104:107], v40, s[52:55], 0 offen
	s_mov_b64 exec, -1
	s_waitcnt vmcnt(3)
	v_fma_mix_f32 v2, v56, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v48, s29, v2, v48
	v_fma_mix_f32 v2, v56, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v49, s29, v2, v49
	v_fma_mix_f32 v2, v57, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v50, s29, v2, v50
	v_fma_mix_f32 v2, v57, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v51, s29, v2, v51
	v_fma_mix_f32 v2, v58, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v52, s29, v2, v52
	v_fma_mix_f32 v2, v58, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v53, s29, v2, v53
	v_fma_mix_f32 v2, v59, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v54, s29, v2, v54
	v_fma_mix_f32 v2, v59, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v55, s29, v2, v55
	s_waitcnt vmcnt(2)
	v_fma_mix_f32 v2, v72, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v64, s29, v2, v64
	v_fma_mix_f32 v2, v72, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v65, s29, v2, v65
	v_fma_mix_f32 v2, v73, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v66, s29, v2, v66
	v_fma_mix_f32 v2, v73, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v67, s29, v2, v67
	v_fma_mix_f32 v2, v74, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v68, s29, v2, v68
	v_fma_mix_f32 v2, v74, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v69, s29, v2, v69
	v_fma_mix_f32 v2, v75, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v70, s29, v2, v70
	v_fma_mix_f32 v2, v75, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v71, s29, v2, v71
	s_waitcnt vmcnt(1)
	v_fma_mix_f32 v2, v88, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v80, s29, v2, v80
	v_fma_mix_f32 v2, v88, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v81, s29, v2, v81
	v_fma_mix_f32 v2, v89, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v82, s29, v2, v82
	v_fma_mix_f32 v2, v89, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v83, s29, v2, v83
	v_fma_mix_f32 v2, v90, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v84, s29, v2, v84
	v_fma_mix_f32 v2, v90, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v85, s29, v2, v85
	v_fma_mix_f32 v2, v91, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v86, s29, v2, v86
	v_fma_mix_f32 v2, v91, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v87, s29, v2, v87
	s_waitcnt vmcnt(0)
	v_fma_mix_f32 v2, v104, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v96, s29, v2, v96
	v_fma_mix_f32 v2, v104, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v97, s29, v2, v97
	v_fma_mix_f32 v2, v105, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v98, s29, v2, v98
	v_fma_mix_f32 v2, v105, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v99, s29, v2, v99
	v_fma_mix_f32 v2, v106, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v100, s29, v2, v100
	v_fma_mix_f32 v2, v106, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v101, s29, v2, v101
	v_fma_mix_f32 v2, v107, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v102, s29, v2, v102
	v_fma_mix_f32 v2, v107, 0x3c00, neg(0) op_sel:[1,0,0] op_sel_hi:[1,0,0]
	v_fma_f32 v103, s29, v2, v103
.L11:  ; by_element
	s_cmp_lg_u32 s61, 0
	s_cbranch_scc0 .L12
	s_mov_b64 exec, -1
	v_add_u32 v40, s71, v40
	s_sub_u32 s40, s60, 0
	v_cmp_gt_i32 vcc, s40, v38
	s_and_b64 exec, vcc, s[66:67]
	s_sub_u32 s40, s59, 0
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v56, v40, s[52:55], 0 offen
	s_sub_u32 s40, s59, 1
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v57, v40, s[52:55], 0 offen offset:2
	s_sub_u32 s40, s59, 2
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v58, v40, s[52:55], 0 offen offset:4
	s_sub_u32 s40, s59, 3
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v59, v40, s[52:55], 0 offen offset:6
	s_sub_u32 s40, s59, 4
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v60, v40, s[52:55], 0 offen offset:8
	s_sub_u32 s40, s59, 5
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v61, v40, s[52:55], 0 offen offset:10
	s_sub_u32 s40, s59, 6
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v62, v40, s[52:55], 0 offen offset:12
	s_sub_u32 s40, s59, 7
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v63, v40, s[52:55], 0 offen offset:14
	s_mov_b64 exec, -1
	v_add_u32 v40, s71, v40
	s_sub_u32 s40, s60, 8
	v_cmp_gt_i32 vcc, s40, v38
	s_and_b64 exec, vcc, s[66:67]
	s_sub_u32 s40, s59, 0
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v72, v40, s[52:55], 0 offen
	s_sub_u32 s40, s59, 1
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v73, v40, s[52:55], 0 offen offset:2
	s_sub_u32 s40, s59, 2
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v74, v40, s[52:55], 0 offen offset:4
	s_sub_u32 s40, s59, 3
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v75, v40, s[52:55], 0 offen offset:6
	s_sub_u32 s40, s59, 4
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v76, v40, s[52:55], 0 offen offset:8
	s_sub_u32 s40, s59, 5
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v77, v40, s[52:55], 0 offen offset:10
	s_sub_u32 s40, s59, 6
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v78, v40, s[52:55], 0 offen offset:12
	s_sub_u32 s40, s59, 7
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v79, v40, s[52:55], 0 offen offset:14
	s_mov_b64 exec, -1
	v_add_u32 v40, s71, v40
	s_sub_u32 s40, s60, 16
	v_cmp_gt_i32 vcc, s40, v38
	s_and_b64 exec, vcc, s[66:67]
	s_sub_u32 s40, s59, 0
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v88, v40, s[52:55], 0 offen
	s_sub_u32 s40, s59, 1
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v89, v40, s[52:55], 0 offen offset:2
	s_sub_u32 s40, s59, 2
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v90, v40, s[52:55], 0 offen offset:4
	s_sub_u32 s40, s59, 3
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v91, v40, s[52:55], 0 offen offset:6
	s_sub_u32 s40, s59, 4
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v92, v40, s[52:55], 0 offen offset:8
	s_sub_u32 s40, s59, 5
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v93, v40, s[52:55], 0 offen offset:10
	s_sub_u32 s40, s59, 6
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v94, v40, s[52:55], 0 offen offset:12
	s_sub_u32 s40, s59, 7
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v95, v40, s[52:55], 0 offen offset:14
	s_mov_b64 exec, -1
	v_add_u32 v40, s71, v40
	s_sub_u32 s40, s60, 24
	v_cmp_gt_i32 vcc, s40, v38
	s_and_b64 exec, vcc, s[66:67]
	s_sub_u32 s40, s59, 0
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v104, v40, s[52:55], 0 offen
	s_sub_u32 s40, s59, 1
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v105, v40, s[52:55], 0 offen offset:2
	s_sub_u32 s40, s59, 2
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v106, v40, s[52:55], 0 offen offset:4
	s_sub_u32 s40, s59, 3
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v107, v40, s[52:55], 0 offen offset:6
	s_sub_u32 s40, s59, 4
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v108, v40, s[52:55], 0 offen offset:8
	s_sub_u32 s40, s59, 5
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v109, v40, s[52:55], 0 offen offset:10
	s_sub_u32 s40, s59, 6
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v110, v40, s[52:55], 0 offen offset:12
	s_sub_u32 s40, s59, 7
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_load_ushort v111, v40, s[52:55], 0 offen offset:14
	s_mov_b64 exec, -1
	s_waitcnt vmcnt(31)
	v_fma_mix_f32 v56, v56, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v48, s29, v56, v48
	s_waitcnt vmcnt(30)
	v_fma_mix_f32 v57, v57, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v49, s29, v57, v49
	s_waitcnt vmcnt(29)
	v_fma_mix_f32 v58, v58, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v50, s29, v58, v50
	s_waitcnt vmcnt(28)
	v_fma_mix_f32 v59, v59, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v51, s29, v59, v51
	s_waitcnt vmcnt(27)
	v_fma_mix_f32 v60, v60, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v52, s29, v60, v52
	s_waitcnt vmcnt(26)
	v_fma_mix_f32 v61, v61, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v53, s29, v61, v53
	s_waitcnt vmcnt(25)
	v_fma_mix_f32 v62, v62, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v54, s29, v62, v54
	s_waitcnt vmcnt(24)
	v_fma_mix_f32 v63, v63, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v55, s29, v63, v55
	s_waitcnt vmcnt(23)
	v_fma_mix_f32 v72, v72, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v64, s29, v72, v64
	s_waitcnt vmcnt(22)
	v_fma_mix_f32 v73, v73, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v65, s29, v73, v65
	s_waitcnt vmcnt(21)
	v_fma_mix_f32 v74, v74, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v66, s29, v74, v66
	s_waitcnt vmcnt(20)
	v_fma_mix_f32 v75, v75, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v67, s29, v75, v67
	s_waitcnt vmcnt(19)
	v_fma_mix_f32 v76, v76, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v68, s29, v76, v68
	s_waitcnt vmcnt(18)
	v_fma_mix_f32 v77, v77, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v69, s29, v77, v69
	s_waitcnt vmcnt(17)
	v_fma_mix_f32 v78, v78, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v70, s29, v78, v70
	s_waitcnt vmcnt(16)
	v_fma_mix_f32 v79, v79, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v71, s29, v79, v71
	s_waitcnt vmcnt(15)
	v_fma_mix_f32 v88, v88, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v80, s29, v88, v80
	s_waitcnt vmcnt(14)
	v_fma_mix_f32 v89, v89, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v81, s29, v89, v81
	s_waitcnt vmcnt(13)
	v_fma_mix_f32 v90, v90, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v82, s29, v90, v82
	s_waitcnt vmcnt(12)
	v_fma_mix_f32 v91, v91, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v83, s29, v91, v83
	s_waitcnt vmcnt(11)
	v_fma_mix_f32 v92, v92, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v84, s29, v92, v84
	s_waitcnt vmcnt(10)
	v_fma_mix_f32 v93, v93, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v85, s29, v93, v85
	s_waitcnt vmcnt(9)
	v_fma_mix_f32 v94, v94, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v86, s29, v94, v86
	s_waitcnt vmcnt(8)
	v_fma_mix_f32 v95, v95, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v87, s29, v95, v87
	s_waitcnt vmcnt(7)
	v_fma_mix_f32 v104, v104, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v96, s29, v104, v96
	s_waitcnt vmcnt(6)
	v_fma_mix_f32 v105, v105, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v97, s29, v105, v97
	s_waitcnt vmcnt(5)
	v_fma_mix_f32 v106, v106, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v98, s29, v106, v98
	s_waitcnt vmcnt(4)
	v_fma_mix_f32 v107, v107, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v99, s29, v107, v99
	s_waitcnt vmcnt(3)
	v_fma_mix_f32 v108, v108, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v100, s29, v108, v100
	s_waitcnt vmcnt(2)
	v_fma_mix_f32 v109, v109, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v101, s29, v109, v101
	s_waitcnt vmcnt(1)
	v_fma_mix_f32 v110, v110, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v102, s29, v110, v102
	s_waitcnt vmcnt(0)
	v_fma_mix_f32 v111, v111, 0x3c00, neg(0) op_sel_hi:[1,0,0]
	v_fma_f32 v103, s29, v111, v103
.L12:  ; wide
.L10:  ; beta_zero
	v_fma_mixlo_f16 v48, v48, 0x3c00, neg(0)
	v_fma_mixhi_f16 v48, v49, 0x3c00, neg(0)
	v_fma_mixlo_f16 v49, v50, 0x3c00, neg(0)
	v_fma_mixhi_f16 v49, v51, 0x3c00, neg(0)
	v_fma_mixlo_f16 v50, v52, 0x3c00, neg(0)
	v_fma_mixhi_f16 v50, v53, 0x3c00, neg(0)
	v_fma_mixlo_f16 v51, v54, 0x3c00, neg(0)
	v_fma_mixhi_f16 v51, v55, 0x3c00, neg(0)
	v_fma_mixlo_f16 v64, v64, 0x3c00, neg(0)
	v_fma_mixhi_f16 v64, v65, 0x3c00, neg(0)
	v_fma_mixlo_f16 v65, v66, 0x3c00, neg(0)
	v_fma_mixhi_f16 v65, v67, 0x3c00, neg(0)
	v_fma_mixlo_f16 v66, v68, 0x3c00, neg(0)
	v_fma_mixhi_f16 v66, v69, 0x3c00, neg(0)
	v_fma_mixlo_f16 v67, v70, 0x3c00, neg(0)
	v_fma_mixhi_f16 v67, v71, 0x3c00, neg(0)
	v_fma_mixlo_f16 v80, v80, 0x3c00, neg(0)
	v_fma_mixhi_f16 v80, v81, 0x3c00, neg(0)
	v_fma_mixlo_f16 v81, v82, 0x3c00, neg(0)
	v_fma_mixhi_f16 v81, v83, 0x3c00, neg(0)
	v_fma_mixlo_f16 v82, v84, 0x3c00, neg(0)
	v_fma_mixhi_f16 v82, v85, 0x3c00, neg(0)
	v_fma_mixlo_f16 v83, v86, 0x3c00, neg(0)
	v_fma_mixhi_f16 v83, v87, 0x3c00, neg(0)
	v_fma_mixlo_f16 v96, v96, 0x3c00, neg(0)
	v_fma_mixhi_f16 v96, v97, 0x3c00, neg(0)
	v_fma_mixlo_f16 v97, v98, 0x3c00, neg(0)
	v_fma_mixhi_f16 v97, v99, 0x3c00, neg(0)
	v_fma_mixlo_f16 v98, v100, 0x3c00, neg(0)
	v_fma_mixhi_f16 v98, v101, 0x3c00, neg(0)
	v_fma_mixlo_f16 v99, v102, 0x3c00, neg(0)
	v_fma_mixhi_f16 v99, v103, 0x3c00, neg(0)
	s_cmp_lg_u32 s61, 0
	s_cbranch_scc1 .L13
	s_mov_b64 exec, -1
	v_add_u32 v39, s70, v39
	s_sub_u32 s40, s60, 0
	v_cmp_gt_i32 vcc, s40, v38
	s_and_b64 exec, vcc, s[66:67]
	buffer_store_dwordx4 v[48:51], v39, s[44:47], 0 offen
	s_mov_b64 exec, -1
	v_add_u32 v39, s70, v39
	s_sub_u32 s40, s60, 8
	v_cmp_gt_i32 vcc, s40, v38
	s_and_b64 exec, vcc, s[66:67]
	buffer_store_dwordx4 v[64:67], v39, s[44:47], 0 offen
	s_mov_b64 exec, -1
	v_add_u32 v39, s70, v39
	s_sub_u32 s40, s60, 16
	v_cmp_gt_i32 vcc, s40, v38
	s_and_b64 exec, vcc, s[66:67]
	buffer_store_dwordx4 v[80:83], v39, s[44:47], 0 offen
	s_mov_b64 exec, -1
	v_add_u32 v39, s70, v39
	s_sub_u32 s40, s60, 24
	v_cmp_gt_i32 vcc, s40, v38
	s_and_b64 exec, vcc, s[66:67]
	buffer_store_dwordx4 v[96:99], v39, s[44:47], 0 offen
.L13:  ; by_element
	s_cmp_lg_u32 s61, 0
	s_cbranch_scc0 .L14
	s_mov_b64 exec, -1
	v_add_u32 v39, s70, v39
	s_sub_u32 s40, s60, 0
	v_cmp_gt_i32 vcc, s40, v38
	s_and_b64 exec, vcc, s[66:67]
	s_sub_u32 s40, s59, 0
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short v48, v39, s[44:47], 0 offen
	s_sub_u32 s40, s59, 1
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v48, v39, s[44:47], 0 offen offset:2
	s_sub_u32 s40, s59, 2
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short v49, v39, s[44:47], 0 offen offset:4
	s_sub_u32 s40, s59, 3
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v49, v39, s[44:47], 0 offen offset:6
	s_sub_u32 s40, s59, 4
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short v50, v39, s[44:47], 0 offen offset:8
	s_sub_u32 s40, s59, 5
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v50, v39, s[44:47], 0 offen offset:10
	s_sub_u32 s40, s59, 6
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short v51, v39, s[44:47], 0 offen offset:12
	s_sub_u32 s40, s59, 7
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v51, v39, s[44:47], 0 offen offset:14
	s_mov_b64 exec, -1
	v_add_u32 v39, s70, v39
	s_sub_u32 s40, s60, 8
	v_cmp_gt_i32 vcc, s40, v38
	s_and_b64 exec, vcc, s[66:67]
	s_sub_u32 s40, s59, 0
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short v64, v39, s[44:47], 0 offen
	s_sub_u32 s40, s59, 1
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v64, v39, s[44:47], 0 offen offset:2
	s_sub_u32 s40, s59, 2
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short v65, v39, s[44:47], 0 offen offset:4
	s_sub_u32 s40, s59, 3
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v65, v39, s[44:47], 0 offen offset:6
	s_sub_u32 s40, s59, 4
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short v66, v39, s[44:47], 0 offen offset:8
	s_sub_u32 s40, s59, 5
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v66, v39, s[44:47], 0 offen offset:10
	s_sub_u32 s40, s59, 6
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short v67, v39, s[44:47], 0 offen offset:12
	s_sub_u32 s40, s59, 7
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v67, v39, s[44:47], 0 offen offset:14
	s_mov_b64 exec, -1
	v_add_u32 v39, s70, v39
	s_sub_u32 s40, s60, 16
	v_cmp_gt_i32 vcc, s40, v38
	s_and_b64 exec, vcc, s[66:67]
	s_sub_u32 s40, s59, 0
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short v80, v39, s[44:47], 0 offen
	s_sub_u32 s40, s59, 1
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v80, v39, s[44:47], 0 offen offset:2
	s_sub_u32 s40, s59, 2
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short v81, v39, s[44:47], 0 offen offset:4
	s_sub_u32 s40, s59, 3
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v81, v39, s[44:47], 0 offen offset:6
	s_sub_u32 s40, s59, 4
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short v82, v39, s[44:47], 0 offen offset:8
	s_sub_u32 s40, s59, 5
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v82, v39, s[44:47], 0 offen offset:10
	s_sub_u32 s40, s59, 6
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short v83, v39, s[44:47], 0 offen offset:12
	s_sub_u32 s40, s59, 7
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v83, v39, s[44:47], 0 offen offset:14
	s_mov_b64 exec, -1
	v_add_u32 v39, s70, v39
	s_sub_u32 s40, s60, 24
	v_cmp_gt_i32 vcc, s40, v38
	s_and_b64 exec, vcc, s[66:67]
	s_sub_u32 s40, s59, 0
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short v96, v39, s[44:47], 0 offen
	s_sub_u32 s40, s59, 1
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v96, v39, s[44:47], 0 offen offset:2
	s_sub_u32 s40, s59, 2
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short v97, v39, s[44:47], 0 offen offset:4
	s_sub_u32 s40, s59, 3
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v97, v39, s[44:47], 0 offen offset:6
	s_sub_u32 s40, s59, 4
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short v98, v39, s[44:47], 0 offen offset:8
	s_sub_u32 s40, s59, 5
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v98, v39, s[44:47], 0 offen offset:10
	s_sub_u32 s40, s59, 6
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short v99, v39, s[44:47], 0 offen offset:12
	s_sub_u32 s40, s59, 7
	v_cmp_gt_i32 vcc, s40, v37
	s_mov_b64 exec, vcc
	buffer_store_short_d16_hi v99, v39, s[44:47], 0 offen offset:14
.L14:  ; wide
	s_mov_b64 exec, -1
	s_add_u32 s63, s63, 32
	s_sub_u32 s60, s60, 32
	s_sub_u32 s62, s62, 1
	s_cmp_lg_u32 s62, 0
	s_cbranch_scc1 .L7
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
		.amdhsa_next_free_vgpr 176
		.amdhsa_next_free_sgpr 72
		.amdhsa_accum_offset 112
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
    .sgpr_count:     78
    .sgpr_spill_count: 0
    .symbol:         gemm_f16_f16_nt_128x128x64_2x2.kd
    .uses_dynamic_stack: false
    .vgpr_count:     176
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata

/* The files of a benchmark kit as bytes of the program. Its program is one file: the two interfaces, then what uses them. */
    .section .rodata
    .global wavesmith_kit_program, wavesmith_kit_program_end, wavesmith_kit_script, wavesmith_kit_script_end
wavesmith_kit_program:
    .incbin WAVESMITH_KIT_HIP
    .incbin WAVESMITH_KIT_BLAS
    .incbin WAVESMITH_KIT_PROGRAM
wavesmith_kit_program_end:
    .byte 0
wavesmith_kit_script:
    .incbin WAVESMITH_KIT_SCRIPT
wavesmith_kit_script_end:
    .byte 0
    .section .note.GNU-stack, "", %progbits

/* The page as bytes of the program. */
    .section .rodata
    .global wavesmith_report_page, wavesmith_report_page_end
wavesmith_report_page:
    .incbin WAVESMITH_REPORT_PAGE
wavesmith_report_page_end:
    .byte 0
    .section .note.GNU-stack, "", %progbits

    .section .rodata
    .balign 16
    .global trackme_ground
trackme_ground:
    .incbin "ground.bin"
    .global trackme_ground_end
trackme_ground_end:
    .byte 0
    .global trackme_regions
trackme_regions:
    .incbin "regions.txt"
    .global trackme_regions_end
trackme_regions_end:
    .byte 0
    .section .note.GNU-stack,"",%progbits

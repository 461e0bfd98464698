#pragma once
#include <stddef.h>
#include <stdint.h>

/// The ground of the maps (ground.bin, made by packaging/ground/make), a part of the program: it lies there as long as the program runs.
const uint8_t *trackme_ground_bytes(void);
size_t trackme_ground_count(void);

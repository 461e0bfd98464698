#pragma once
#include <stddef.h>
#include <stdint.h>

/// The ground of the maps (ground.bin, made by packaging/ground/make), a part of the program: it lies there as long as the program runs.
const uint8_t *trackme_ground_bytes(void);
size_t trackme_ground_count(void);

/// The list of regions (regions.txt, made by packaging/regions/make), likewise.
const uint8_t *trackme_regions_bytes(void);
size_t trackme_regions_count(void);

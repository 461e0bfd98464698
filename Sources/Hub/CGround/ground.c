#include "ground.h"

// All stand in ground.S. As an array of Swift a file of this size takes the compiler 2.6 GB and more than five minutes.
extern const uint8_t trackme_ground[], trackme_ground_end[], trackme_regions[], trackme_regions_end[];

const uint8_t *trackme_ground_bytes(void) { return trackme_ground; }
size_t trackme_ground_count(void) { return (size_t)(trackme_ground_end - trackme_ground); }
const uint8_t *trackme_regions_bytes(void) { return trackme_regions; }
size_t trackme_regions_count(void) { return (size_t)(trackme_regions_end - trackme_regions); }

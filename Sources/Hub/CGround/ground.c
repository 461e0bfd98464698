#include "ground.h"

// Both stand in ground.S. As an array of Swift a file of this size takes the compiler 2.6 GB and more than five minutes.
extern const uint8_t trackme_ground[], trackme_ground_end[];

const uint8_t *trackme_ground_bytes(void) { return trackme_ground; }
size_t trackme_ground_count(void) { return (size_t)(trackme_ground_end - trackme_ground); }

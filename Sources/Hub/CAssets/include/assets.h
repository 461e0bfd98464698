#pragma once
#include <stddef.h>
#include <stdint.h>

/// A file of Sources/Hub/HubWeb/Assets, a part of the program: it lies there as long as the program runs.
struct trackme_asset {
    const char *name;
    const uint8_t *bytes;
    size_t count;
};

extern const size_t trackme_asset_count;

/// The file with a number below the count.
const struct trackme_asset *trackme_asset_at(size_t number);

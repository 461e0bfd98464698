#pragma once
#include <sys/syscall.h>
#include <unistd.h>
// The kernel's own interfaces that Glibc does not show: buttons, radio switches, visible Wi-Fi networks.
#include <linux/input.h>
#include <linux/rfkill.h>
#include <linux/netlink.h>
#include <linux/genetlink.h>
#include <linux/nl80211.h>

// A file in memory alone, without a name anywhere (memfd_create(2), which Glibc hides from Swift).
static inline int trackme_memory_file(const char *name) { return (int)syscall(SYS_memfd_create, name, 1u /* MFD_CLOEXEC */); }

#pragma once
#include <sys/syscall.h>
#include <unistd.h>
#include <spawn.h>
// The kernel's own interfaces that Glibc does not show: buttons, radio switches, visible Wi-Fi networks.
#include <linux/input.h>
#include <linux/rfkill.h>
#include <linux/netlink.h>
#include <linux/genetlink.h>
#include <linux/nl80211.h>

// A file in memory alone, without a name anywhere (memfd_create(2), which Glibc hides from Swift).
static inline int trackme_memory_file(const char *name) { return (int)syscall(SYS_memfd_create, name, 1u /* MFD_CLOEXEC */); }

// A started program inherits no descriptor from `first` on (glibc 2.34; Glibc hides it from Swift).
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
static inline int trackme_close_from(posix_spawn_file_actions_t *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

// Two ends of a pipe, closed on exec from the first moment on where `flags` has O_CLOEXEC (pipe2(2), which Glibc hides from Swift).
static inline int trackme_pipe(int *ends, int flags) { return (int)syscall(SYS_pipe2, ends, flags); }

// Becomes readable when the process ends (pidfd_open(2), Linux 5.3); -1 where there is none. Closed on exec.
static inline int trackme_process_handle(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0u); }

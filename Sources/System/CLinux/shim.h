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

#include <string.h>
#include <sys/socket.h>

// One message over a UNIX socket, with up to three descriptors beside it (SCM_RIGHTS, whose macros Swift does not see).
// As sendmsg(2); never raises SIGPIPE.
static inline long trackme_send_descriptors(int socket, const void *bytes, size_t length, const int *descriptors, int count) {
  union { struct cmsghdr header; char room[CMSG_SPACE(3 * sizeof(int))]; } control;
  struct iovec part = {(void *)bytes, length};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (count > 3) return -1;
  if (count > 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(&control.header), descriptors, count * sizeof(int));
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL);
}

// The next message, with up to three descriptors, closed on exec, which are the caller's. As recvmsg(2); `count` becomes how many came.
static inline long trackme_receive_descriptors(int socket, void *bytes, size_t length, int *descriptors, int *count) {
  union { struct cmsghdr header; char room[CMSG_SPACE(3 * sizeof(int))]; } control;
  struct iovec part = {bytes, length};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  *count = 0;
  long got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (got < 0) return got;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
    *count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(descriptors, CMSG_DATA(header), *count * sizeof(int));
  }
  return got;
}

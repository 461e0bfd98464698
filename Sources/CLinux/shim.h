#pragma once
// The kernel's own interfaces that Glibc does not show: buttons, radio switches, visible Wi-Fi networks.
#include <linux/input.h>
#include <linux/rfkill.h>
#include <linux/netlink.h>
#include <linux/genetlink.h>
#include <linux/nl80211.h>

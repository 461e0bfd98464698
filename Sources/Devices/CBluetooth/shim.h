#pragma once
// libbluetooth's headers declare the L2CAP and HCI socket addresses that the kernel expects.
#include <sys/socket.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <bluetooth/l2cap.h>

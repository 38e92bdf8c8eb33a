#pragma once

// The functions of libbluetooth that istep calls, under their own names. Each loads the library when it is first called: few commands ask
// the kernel, and each library that a program is linked with delays its start.

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>

/// Loads libbluetooth. Returns NULL, or why it cannot be loaded: then `hci_devinfo` and `ba2str` fail. May be called by several threads.
const char *cbluetooth_problem(void);

#pragma once
// sd-bus speaks D-Bus, sd-daemon tells systemd how the service is.
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>

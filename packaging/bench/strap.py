#!/usr/bin/python3
"""Plays a bluetoothd with one heart-rate strap, a reading a second, on the bus that DBUS_SYSTEM_BUS_ADDRESS names. Needs python3-dbus, python3-gi.

The heart is at 120 to 130, or as the file says that TRACKME_STRAP_RATE names."""
import os
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

ADDRESS = "C4:01:02:03:04:05"
HCI, DEVICE = "/org/bluez/hci0", "/org/bluez/hci0/dev_C4_01_02_03_04_05"
MEASUREMENT = DEVICE + "/service000b/char000c"
PROPERTIES, MANAGER = "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.ObjectManager"


def uuid(short):
    return f"0000{short}-0000-1000-8000-00805f9b34fb"


CHARACTERISTIC = {"org.bluez.GattCharacteristic1": {"UUID": uuid("2a37")}}


class Thing(dbus.service.Object):
    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, gone):
        pass


class Root(dbus.service.Object):
    @dbus.service.method(MANAGER, out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        sensor = {
            "Address": ADDRESS, "AddressType": "random", "Connected": False, "ServicesResolved": False, "Trusted": True, "Paired": False,
            "UUIDs": [uuid("180d")]}
        return {HCI: {"org.bluez.Adapter1": {"Powered": True, "Address": "00:11:22:33:44:55"}}, DEVICE: {"org.bluez.Device1": sensor}}

    @dbus.service.signal(MANAGER, signature="oa{sa{sv}}")
    def InterfacesAdded(self, path, interfaces):
        pass


class Device(Thing):
    @dbus.service.method("org.bluez.Device1")
    def Connect(self):
        self.PropertiesChanged("org.bluez.Device1", {"Connected": True}, [])
        root.InterfacesAdded(MEASUREMENT, CHARACTERISTIC)
        self.PropertiesChanged("org.bluez.Device1", {"ServicesResolved": True}, [])

    @dbus.service.method("org.bluez.Device1")
    def Disconnect(self):
        self.PropertiesChanged("org.bluez.Device1", {"Connected": False, "ServicesResolved": False}, [])


class Measurement(Thing):
    beats = 0

    @dbus.service.method("org.bluez.GattCharacteristic1")
    def StartNotify(self):
        if not self.beats:
            GLib.timeout_add(1000, self.beat)

    @dbus.service.method("org.bluez.GattCharacteristic1")
    def StopNotify(self):
        pass

    def beat(self):
        self.beats += 1
        rate = 120 + self.beats * 7 % 11
        if "TRACKME_STRAP_RATE" in os.environ:
            rate = int(open(os.environ["TRACKME_STRAP_RATE"]).read())
        interval = 60 * 1024 // rate
        value = [0x16, rate, interval & 255, interval >> 8]  # contact, and one RR interval
        self.PropertiesChanged("org.bluez.GattCharacteristic1", {"Value": dbus.ByteArray(bytes(value))}, [])
        return True


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.bus.BusConnection(os.environ["DBUS_SYSTEM_BUS_ADDRESS"])
root, device, measurement = Root(bus, "/"), Device(bus, DEVICE), Measurement(bus, MEASUREMENT)
name = dbus.service.BusName("org.bluez", bus)
print("ready", flush=True)
try:
    GLib.MainLoop().run()
except KeyboardInterrupt:
    sys.exit(0)

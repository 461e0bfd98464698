#!/usr/bin/env python3
"""Emulated heart-rate straps, and sensors beside them, on the air of the virtual machine. Runs on the host, with the Python of the rig's cache; `machine` starts it.

FOLDER gets strap.log (seconds since the start, "strap NUMBER:", what happened) and hci.btsnoop; lines appended to FOLDER/control
are obeyed. Scripts and control lines: README.md."""
import argparse
import asyncio
import json
import logging
import os
import struct
import sys
import time

from bumble.controller import Controller
from bumble.core import AdvertisingData, UUID
from bumble.device import Device
from bumble.gatt import GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR, Characteristic, Service
from bumble.hci import Address
from bumble.host import Host
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport import open_transport

from radio import REMOTE_USER_TERMINATED, SUPERVISION_TIMEOUT, Air, attach_guest
from script import battery_status, check_script, check_steps, measurement, running, temperature

HEART_RATE, BATTERY, DEVICE_INFORMATION = 0x180D, 0x180F, 0x180A
MEASUREMENT, LOCATION, CONTROL_POINT, BATTERY_LEVEL, MANUFACTURER = 0x2A37, 0x2A38, 0x2A39, 0x2A19, 0x2A29
THERMOMETER, TEMPERATURE, TEMPERATURE_TYPE, RUNNING, RUNNING_MEASUREMENT, RUNNING_FEATURE = 0x1809, 0x2A1C, 0x2A1D, 0x1814, 0x2A53, 0x2A54
BATTERY_STATUS = 0x2BED
CONTROL_POLL = 0.03  # s
started = time.monotonic()


def log(who, what):
    print(f"{time.monotonic() - started:9.3f} {who}: {what}", flush=True)


class Strap:
    def __init__(self, number, script, air):
        self.label, self.script, self.air = f"strap {number}", script, air
        self.steps = script["steps"]
        self.connection, self.return_timer, self.is_away = None, None, False
        self.subscribed, self.played = asyncio.Event(), None
        self.controller = Controller(self.label, link=air)
        self.device = Device(name=script.get("name", f"Strap {number}"), address=Address(script["address"]), host=Host())
        self.device.host.controller = self.controller
        self.device.on("connection", self.on_connection)
        # Without it bumble would keep the bonds in the home directory.
        self.device.keystore = MemoryKeyStore()
        self.device.pairing_config_factory = lambda _: PairingConfig(
            sc=True, mitm=False, bonding=True, delegate=PairingDelegate(PairingDelegate.NO_OUTPUT_NO_INPUT))
        self.add_services()

    def log(self, what):
        log(self.label, what)

    # What it offers

    def add_services(self):
        def characteristic(uuid, properties, permissions, value):
            return Characteristic(UUID.from_16_bits(uuid), properties, permissions, value)
        can, may = Characteristic.Properties, Characteristic.Permissions
        self.measurement = characteristic(MEASUREMENT, can.NOTIFY, may(0), b"")
        self.battery = characteristic(BATTERY_LEVEL, can.READ | can.NOTIFY, may.READABLE, bytes([self.script.get("battery", 90)]))
        location = characteristic(LOCATION, can.READ, may.READABLE, bytes([self.script.get("location", 1)]))
        control_point = characteristic(CONTROL_POINT, can.WRITE, may.WRITEABLE, b"")
        manufacturer = characteristic(MANUFACTURER, can.READ, may.READABLE, b"TrackMe rig")
        batteries = [self.battery]
        if "charging" in self.script:
            self.status = characteristic(BATTERY_STATUS, can.READ | can.NOTIFY, may.READABLE, battery_status(self.script["charging"]))
            batteries.append(self.status)
        services = [(BATTERY, batteries), (DEVICE_INFORMATION, [manufacturer])]
        self.temperature = characteristic(TEMPERATURE, can.INDICATE, may(0), b"")
        if self.script.get("thermometer"):
            place = characteristic(TEMPERATURE_TYPE, can.READ, may.READABLE, bytes([2]))
            services.insert(0, (THERMOMETER, [self.temperature, place]))
        self.running = characteristic(RUNNING_MEASUREMENT, can.NOTIFY, may(0), b"")
        if self.script.get("pod"):
            feature = characteristic(RUNNING_FEATURE, can.READ, may.READABLE, bytes([4, 0]))
            services.insert(0, (RUNNING, [self.running, feature]))
        if self.script.get("heart_rate", True):
            services.insert(0, (HEART_RATE, [self.measurement, location, control_point]))
        for uuid, characteristics in services:
            self.device.add_service(Service(UUID.from_16_bits(uuid), characteristics))
        # A strap plays when its heart rate is wanted, whatever else it measures.
        first = next((found for number, (found, *_) in services if number in (HEART_RATE, THERMOMETER, RUNNING)), self.measurement)
        first.on("subscription", self.on_subscription)
        if self.script.get("encrypted"):
            self.need_encryption()
        self.advertised = bytes(AdvertisingData([
            (AdvertisingData.FLAGS, bytes([6])),
            (AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, b"".join(struct.pack("<H", uuid) for uuid, _ in services[:2])),
            (AdvertisingData.COMPLETE_LOCAL_NAME, self.device.name.encode())]))

    def need_encryption(self):
        """Whoever wants the measurement must pair first: the descriptor that switches it on asks for an encrypted link."""
        attributes = self.device.gatt_server.attributes
        for attribute in attributes[attributes.index(self.measurement):]:
            if attribute.type == GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR:
                attribute.permissions |= Characteristic.Permissions.WRITE_REQUIRES_ENCRYPTION
                return

    # What happens to it

    def on_connection(self, connection):
        self.log(f"connected {connection.peer_address}")
        self.connection = connection
        connection.on("disconnection", self.on_disconnection)
        connection.on("connection_encryption_change", lambda: self.log("encrypted"))
        connection.on("pairing", lambda keys: self.log("paired"))
        connection.on("pairing_failure", lambda reason: self.log(f"pairing failed {reason}"))

    def on_disconnection(self, reason):
        self.log(f"disconnected {reason:#04x}")
        self.connection = None
        self.subscribed.clear()
        if not self.is_away:
            self.in_background(self.advertise())

    def on_subscription(self, _connection, notify, indicate):
        self.log(f"notify {bool(notify or indicate)}")
        if notify or indicate:
            self.subscribed.set()
        else:
            self.subscribed.clear()

    def in_background(self, work):
        def tell(task):
            if not task.cancelled() and task.exception():
                self.log(f"FAILED {task.exception()!r}")
        task = asyncio.ensure_future(work)
        task.add_done_callback(tell)
        return task

    # What it does

    async def advertise(self):
        interval = self.script.get("advertising_ms", 100)
        await self.device.start_advertising(
            advertising_data=self.advertised, advertising_interval_min=interval, advertising_interval_max=interval)
        self.log(f"advertising {self.script['address']}")

    async def leave(self, reason, seconds):
        """Loses its link, or is just not there; comes back after `seconds`, or when told when that is None."""
        self.is_away = True
        self.subscribed.clear()  # at once: the end of the link is told a moment later
        if self.return_timer:
            self.return_timer.cancel()
        if self.device.is_advertising:
            await self.device.stop_advertising()
        if self.connection and reason == SUPERVISION_TIMEOUT:
            self.air.break_links_of(self.controller)
        elif self.connection:
            await self.connection.disconnect(reason)
        self.log(f"away {'until told' if seconds is None else f'{seconds} s'}")
        self.return_timer = None if seconds is None else self.in_background(self.come_back(seconds))

    async def come_back(self, seconds=0):
        await asyncio.sleep(seconds)
        if self.is_away:
            self.is_away = False
            await self.advertise()

    async def notify(self, characteristic, value):
        await self.device.notify_subscribers(characteristic, value)

    async def perform(self, step):
        if "drop" in step:
            await self.leave(step["drop"], step.get("off", 2))
            return
        await self.subscribed.wait()
        if "silent" in step:
            await asyncio.sleep(step["silent"])
        elif "battery" in step:
            self.battery.value = bytes([step["battery"]])
            await self.notify(self.battery, self.battery.value)
            self.log(f"battery {step['battery']}")
        elif "charging" in step:
            self.status.value = battery_status(step["charging"])
            await self.notify(self.status, self.status.value)
            self.log(f"charging {step['charging']}")
        elif "temperature" in step or "cadence" in step:
            if "temperature" in step:
                await self.device.indicate_subscribers(self.temperature, temperature(step["temperature"]))
            else:
                await self.notify(self.running, running(step["cadence"]))
            self.log(f"told {step}")
            await asyncio.sleep(step.get("wait", self.script.get("interval", 1)))
        else:
            value = measurement(step)
            await self.notify(self.measurement, value)
            self.log(f"sent {value.hex()}")
            await asyncio.sleep(step.get("wait", self.script.get("interval", 1)))

    async def play(self):
        while True:
            for step in self.steps:
                await self.perform(step)
            if not self.script.get("loop", True):
                self.log("script ended")
                return

    def begin(self):
        if self.played:
            self.played.cancel()
        self.played = self.in_background(self.play())

    async def switch_on(self):
        await self.device.power_on()
        await self.advertise()
        self.begin()

    async def obey(self, command, rest):
        if command in ("off", "hang-up"):
            await self.leave(SUPERVISION_TIMEOUT if command == "off" else REMOTE_USER_TERMINATED, float(rest) if rest else None)
        elif command == "on":
            await self.come_back()
        elif command == "steps":
            self.steps = check_steps(json.loads(rest))
            self.begin()
        else:
            raise ValueError(f"no command {command}; there are: off, hang-up, on, steps")


async def follow(path, straps):
    """Obeys what is appended to the control file: "NUMBER COMMAND [REST]" or "mark TEXT"."""
    with open(path, "a+") as file:
        file.seek(0)
        line = ""
        while True:
            line += file.readline()
            if not line.endswith("\n"):
                await asyncio.sleep(CONTROL_POLL)
                continue
            first, _, rest = line.strip().partition(" ")
            line = ""
            try:
                if first == "mark":
                    log("mark", rest)
                    continue
                command, _, rest = rest.partition(" ")
                await straps[first].obey(command, rest)
            except Exception as error:  # a mistake in a test must be seen in the log, and not end all straps
                log("control", f"FAILED {first} {rest}: {error!r}")


async def connect(path):
    for _ in range(400):
        try:
            return await open_transport("unix:" + path)
        except OSError:
            await asyncio.sleep(0.05)
    sys.exit(f"strap.py: {path} does not appear")


async def run(folder, scripts):
    transport, air = await connect(os.path.join(folder, "hci.sock")), Air()
    with open(os.path.join(folder, "hci.btsnoop"), "wb", buffering=0) as snoop:
        attach_guest(air, transport, snoop)
        straps = {str(number): Strap(number, script, air) for number, script in enumerate(scripts, 1)}
        for strap in straps.values():
            await strap.switch_on()
        followed = asyncio.ensure_future(follow(os.path.join(folder, "control"), straps))
        await transport.source.wait_for_termination()
        followed.cancel()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="of this run of the machine")
    parser.add_argument("straps", help="a JSON file with a list of straps")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, stream=sys.stdout, format="          bumble: %(message)s")
    try:
        with open(arguments.straps) as file:
            scripts = [check_script(script) for script in json.load(file)]
    except (OSError, ValueError, TypeError) as error:
        sys.exit(f"strap.py: {arguments.straps}: {error}")
    try:
        asyncio.run(run(arguments.folder, scripts))
    except KeyboardInterrupt:
        pass


main()

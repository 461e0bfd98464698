"""The emulated air of the rig: bumble's, with what a Linux kernel on one of its controllers needs mended (bumble 0.0.236)."""
import asyncio

from bumble import hci, ll
from bumble.controller import Controller
from bumble.core import PhysicalTransport
from bumble.link import LocalLink
from bumble.snoop import BtSnooper

SUPERVISION_TIMEOUT = 0x08
REMOTE_USER_TERMINATED = 0x13
UNKNOWN_CONNECTION = 0x02
ENHANCED_CONNECTION_COMPLETE_BIT = 1 << 9  # of the LE event mask (Core 5.3, Vol 4 Part E, 7.8.1)


class Air(LocalLink):
    """Everybody hears everybody."""

    def send_acl_data(self, sender, destination, transport, data):
        # bumble takes the sender's random address for the source, although BlueZ connects with its public one.
        connection, receiver = sender.le_connections.get(destination), self.find_le_controller(destination)
        if transport == PhysicalTransport.LE and connection and receiver:
            asyncio.get_running_loop().call_soon(receiver.on_link_acl_data, connection.self_address, transport, data)

    def break_links_of(self, controller):
        """Both ends of each link of `controller` stop hearing the other."""
        for connection in list(controller.le_connections.values()):
            for other in self.controllers:
                for end in list(other.le_connections.values()):
                    if end.peer_address == connection.self_address and end.self_address == connection.peer_address:
                        other.on_le_disconnected(end, SUPERVISION_TIMEOUT)
            controller.on_le_disconnected(connection, SUPERVISION_TIMEOUT)


class Adapter(Controller):
    """The guest's controller."""

    # Linux would have it resolve addresses, which it cannot.
    le_features = Controller.le_features & ~hci.LeFeatureMask.LL_PRIVACY
    le_events = 0

    def on_hci_le_set_event_mask_command(self, command):
        self.le_events = int.from_bytes(bytes(command)[4:12], "little")
        return super().on_hci_le_set_event_mask_command(command)

    def on_hci_reset_command(self, command):
        # bumble's keeps links, scan and a pending connection through a reset.
        for connection in list(self.le_connections.values()):
            connection.send_ll_control_pdu(ll.TerminateInd(SUPERVISION_TIMEOUT))
            del self.le_connections[connection.peer_address]
        self.pending_le_connection, self.le_scan_enable = None, False
        return super().on_hci_reset_command(command)

    def on_hci_le_create_connection_cancel_command(self, command):
        # bumble's says yes and goes on waiting, so that every later attempt is refused.
        pending, self.pending_le_connection = self.pending_le_connection, None
        if pending is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        asyncio.get_running_loop().call_soon(self.send_hci_packet, hci.HCI_LE_Connection_Complete_Event(
            status=UNKNOWN_CONNECTION, connection_handle=0, role=hci.Role.CENTRAL, peer_address_type=pending.peer_address_type,
            peer_address=pending.peer_address, connection_interval=0, peripheral_latency=0, supervision_timeout=0,
            central_clock_accuracy=0))
        return super().on_hci_le_create_connection_cancel_command(command)


class Tap:
    """Between the guest and its controller: writes every packet into a btsnoop file."""

    def __init__(self, sink, snooper, direction, controller=None):
        self.sink, self.snooper, self.direction, self.controller = sink, snooper, direction, controller

    def on_packet(self, packet):
        packet = self.enhanced(packet)
        self.snooper.snoop(packet, self.direction)
        self.sink.on_packet(packet)

    def enhanced(self, packet):
        # Linux that asked for LE Enhanced Connection Complete blocks all commands until it comes; bumble sends the older event.
        wanted = self.controller is not None and self.controller.le_events & ENHANCED_CONNECTION_COMPLETE_BIT
        if not wanted or packet[:4] != b"\x04\x3e\x13\x01":
            return packet
        return b"\x04\x3e\x1f\x0a" + packet[4:15] + bytes(12) + packet[15:]


def attach_guest(air, transport, snoop_file, address="00:11:22:33:44:55"):
    """A controller on `air` for the guest behind `transport`, recorded into `snoop_file`."""
    snooper, ways = BtSnooper(snoop_file), BtSnooper.Direction
    to_guest = Tap(transport.sink, snooper, ways.CONTROLLER_TO_HOST)
    adapter = Adapter("guest", host_sink=to_guest, link=air, public_address=address)
    to_guest.controller = adapter
    transport.source.set_packet_sink(Tap(adapter, snooper, ways.HOST_TO_CONTROLLER))
    return adapter

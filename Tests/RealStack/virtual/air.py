"""The air: a virtual radio, and the adapter's controller in front of a real BlueZ host.

Both correct what bumble 0.0.236 leaves out for a Linux host; each correction says what goes
wrong without it.
"""
import asyncio

from bumble import hci, ll
from bumble.controller import Controller
from bumble.core import PhysicalTransport
from bumble.link import LocalLink


class Radio(LocalLink):
    """Joins the controllers. Each of them can be moved out of range."""

    SUPERVISION_TIMEOUT = 1.0       # seconds of silence until both ends give a link up

    def __init__(self):
        super().__init__()
        self.away = set()           # controllers out of range

    def send_advertising_pdu(self, sender, packet):
        if sender not in self.away:
            super().send_advertising_pdu(sender, packet)

    def send_acl_data(self, sender, destination, transport, data):
        # bumble names the sender by its current random address, which is wrong for a central
        # that connects with its public one (BlueZ): name the link's own.
        receiver = self.find_le_controller(destination)
        link = sender.le_connections.get(destination)
        if receiver and link and not self.away & {sender, receiver}:
            asyncio.get_running_loop().call_soon(
                receiver.on_link_acl_data, link.self_address, PhysicalTransport.LE, data)

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        ends = {self.find_le_controller(sender_address), self.find_le_controller(receiver_address)}
        if None not in ends and not self.away & ends:
            super().send_ll_control_pdu(sender_address, receiver_address, packet)

    async def move_out_of_range(self, controller):
        """Silence; then both ends of each of the controller's links report a connection timeout."""
        self.away.add(controller)
        await asyncio.sleep(self.SUPERVISION_TIMEOUT)
        if controller not in self.away:
            return
        for link in list(controller.le_connections.values()):
            peer = self.find_le_controller(link.peer_address)
            controller.on_le_disconnected(link, hci.HCI_CONNECTION_TIMEOUT_ERROR)
            if peer and (other := peer.le_connections.get(link.self_address)):
                peer.on_le_disconnected(other, hci.HCI_CONNECTION_TIMEOUT_ERROR)


class AdapterController(Controller):
    """The controller that BlueZ drives as hci0."""

    le_acl_data_packet_length = 251
    le_features = Controller.le_features & ~hci.LeFeatureMask.LL_PRIVACY   # not really there
    supported_commands = Controller.supported_commands | {                 # there, but not announced
        hci.HCI_LE_SET_EXTENDED_SCAN_PARAMETERS_COMMAND,
        hci.HCI_LE_SET_EXTENDED_SCAN_ENABLE_COMMAND,
        hci.HCI_LE_EXTENDED_CREATE_CONNECTION_COMMAND,
    }

    plugged = True
    receives = True     # no advertisement until the next reset, otherwise

    def send_hci_packet(self, packet):
        if not self.receives and isinstance(
                packet, (hci.HCI_LE_Advertising_Report_Event, hci.HCI_LE_Extended_Advertising_Report_Event)):
            return
        # Unplugged: only the last reset is answered; more would wait on the line for the next host.
        if not self.plugged and getattr(packet, "command_opcode", None) != hci.HCI_RESET_COMMAND:
            return
        # A controller with extended advertising must send the enhanced event: Linux waits for
        # it before it takes up anything else (a disconnect, say).
        if isinstance(packet, hci.HCI_LE_Connection_Complete_Event):
            packet = hci.HCI_LE_Enhanced_Connection_Complete_Event(
                local_resolvable_private_address=hci.Address.ANY,
                peer_resolvable_private_address=hci.Address.ANY,
                **{name: getattr(packet, name) for name in (
                    "status", "connection_handle", "role", "peer_address_type", "peer_address",
                    "connection_interval", "peripheral_latency", "supervision_timeout",
                    "central_clock_accuracy")})
        super().send_hci_packet(packet)

    def on_hci_reset_command(self, command):
        self.receives = True
        self.stop_all()
        return super().on_hci_reset_command(command)

    def stop_all(self):
        """Power off, or pulled out: every link and every procedure ends."""
        for link in list(self.le_connections.values()):
            link.send_ll_control_pdu(ll.TerminateInd(
                hci.HCI_REMOTE_DEVICE_TERMINATED_CONNECTION_DUE_TO_POWER_OFF_ERROR))
        self.le_connections.clear()
        self.le_scan_enable = False
        self.pending_le_connection = None
        self.le_legacy_advertiser.stop()
        for s in self.advertising_sets.values():
            s.stop()
        self.advertising_sets.clear()

    def on_hci_le_create_connection_cancel_command(self, command):
        # The host waits for the connection's own event, with a status, besides the command's.
        pending, self.pending_le_connection = self.pending_le_connection, None
        if pending:
            cancelled = hci.HCI_LE_Connection_Complete_Event(
                status=hci.HCI_UNKNOWN_CONNECTION_IDENTIFIER_ERROR, connection_handle=0,
                role=hci.Role.CENTRAL, peer_address_type=pending.peer_address.address_type,
                peer_address=pending.peer_address, connection_interval=0,
                peripheral_latency=0, supervision_timeout=0, central_clock_accuracy=0)
            asyncio.get_running_loop().call_soon(self.send_hci_packet, cancelled)
        return super().on_hci_le_create_connection_cancel_command(command)

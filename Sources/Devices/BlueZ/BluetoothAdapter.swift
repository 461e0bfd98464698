import CBluetooth
import Glibc

/// The kernel's view of this machine's Bluetooth adapters. Needs no privilege.
enum BluetoothAdapter {
    /// Linux numbers them from 0; more than this is not looked for.
    private static let indexMax = 15

    /// Throws unless adapter `index` (any when nil) is on.
    ///
    /// Connecting while the kernel still sets an adapter up has corrupted its lists (6.1): up to then it shows the adapter as down.
    static func requireRunning(_ index: Int?) throws(LinkFailure) {
        let probe = socket(AF_BLUETOOTH, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), BTPROTO_HCI)
        guard probe >= 0 else { throw LinkFailure(connectCode: errno) }
        close(probe)
        var down: Int?
        for candidate in index.map({ $0...$0 }) ?? 0...indexMax {
            var info = hci_dev_info()
            guard hci_devinfo(Int32(candidate), &info) == 0 else { continue }
            if isRunning(info.flags) { return }
            down = down ?? candidate
        }
        if let down { throw .adapterDown(down) }
        throw .noAdapter(index)
    }

    private static func isRunning(_ flags: UInt32) -> Bool {
        flags & (1 << UInt32(HCI_UP)) != 0 && flags & (1 << UInt32(HCI_INIT)) == 0
    }

    /// The adapter's own address in the kernel's byte order.
    static func address(_ index: Int) throws(LinkFailure) -> bdaddr_t {
        var info = hci_dev_info()
        guard hci_devinfo(Int32(index), &info) == 0 else { throw .noAdapter(index) }
        return info.bdaddr
    }
}

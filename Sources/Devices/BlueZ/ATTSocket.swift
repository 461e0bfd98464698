import CBluetooth
import Glibc
import Sensing
import SourceThread
import Vitals

/// An L2CAP socket on the fixed channel of ATT. Needs neither privilege nor bluetoothd. For one thread.
struct ATTSocket: ~Copyable {
    enum Input: Equatable {
        case pdu([UInt8])
        case timedOut
        case stopped
    }

    /// The kernel's own limit for this channel.
    private static let pduBytesMax = 672

    private let descriptor: Int32

    /// Waits until the sensor advertises and the link is up, at most `limit` milliseconds. nil when stopped meanwhile.
    init?(_ address: SensorAddress, adapter: Int?, limit: Milliseconds, stop: StopSignal) throws(LinkFailure) {
        let local: bdaddr_t = if let adapter { try BluetoothAdapter.address(adapter) } else { bdaddr_t() }
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_BLUETOOTH, type, BTPROTO_L2CAP)
        guard descriptor >= 0 else { throw LinkFailure(connectCode: errno) }
        var code = Self.begin(descriptor, address, local: local)
        if code == EINPROGRESS {
            switch stop.wait(for: descriptor, events: POLLOUT, milliseconds: limit) {
            case .stopped:
                close(descriptor)
                return nil
            case .timedOut: code = ETIMEDOUT
            case .ready:
                var length = socklen_t(MemoryLayout<Int32>.size)
                if getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) != 0 { code = errno }
            }
        }
        guard code == 0 else {
            close(descriptor)
            throw LinkFailure(connectCode: code)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Starts to connect; 0 or the error.
    private static func begin(_ descriptor: Int32, _ address: SensorAddress, local: bdaddr_t) -> Int32 {
        var own = sockaddr_l2()
        own.l2_family = sa_family_t(AF_BLUETOOTH)
        own.l2_cid = ATT.channel.littleEndian
        own.l2_bdaddr = local
        own.l2_bdaddr_type = UInt8(BDADDR_LE_PUBLIC)
        var peer = own
        // The kernel wants the last byte first.
        withUnsafeMutableBytes(of: &peer.l2_bdaddr) { $0.copyBytes(from: address.bytes.reversed()) }
        peer.l2_bdaddr_type = UInt8(address.kind == .random ? BDADDR_LE_RANDOM : BDADDR_LE_PUBLIC)
        guard call(bind, descriptor, &own) == 0 else { return errno }
        var security = bt_security(level: UInt8(BT_SECURITY_LOW), key_size: 0)
        let size = socklen_t(MemoryLayout<bt_security>.size)
        guard setsockopt(descriptor, SOL_BLUETOOTH, BT_SECURITY, &security, size) == 0 else { return errno }
        return call(connect, descriptor, &peer) == 0 ? 0 : errno
    }

    private static func call(
        _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, _ descriptor: Int32, _ address: inout sockaddr_l2
    ) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_l2>.size))
            }
        }
    }

    func send(_ pdu: ATT.PDU) throws(LinkFailure) {
        let bytes = pdu.encoded
        guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw LinkFailure(linkCode: errno, operation: "sending")
        }
    }

    /// The next PDU, waiting at most `milliseconds`.
    func receive(milliseconds: Milliseconds, stop: StopSignal) throws(LinkFailure) -> Input {
        switch stop.wait(for: descriptor, events: POLLIN, milliseconds: milliseconds) {
        case .stopped: return .stopped
        case .timedOut: return .timedOut
        case .ready: break
        }
        var received = 0
        var code: Int32 = 0
        let pdu = [UInt8](unsafeUninitializedCapacity: Self.pduBytesMax) { buffer, count in
            received = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            code = errno
            count = max(0, received)
        }
        if received > 0 { return .pdu(pdu) }
        if received < 0, code == EAGAIN || code == EINTR { return .timedOut }
        throw LinkFailure(linkCode: received == 0 ? 0 : code, operation: "receiving")
    }
}

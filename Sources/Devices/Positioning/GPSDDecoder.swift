import CGPS
import Glibc

/// Reads gpsd's lines with libgps.
///
/// `gps_unpack` is used without `gps_open` and `gps_read`, so that connecting has a time limit, waiting can be ended from another
/// thread, and a line has a bounded length.
struct GPSDDecoder: ~Copyable {
    /// gpsd's own limit is 10,240 for one response.
    static let lineBytesMax = 65_536

    private static let closed = Array(#","activated":0}"#.utf8)

    private let data: UnsafeMutablePointer<gps_data_t>

    init() {
        data = .allocate(capacity: 1)
        data.initialize(to: gps_data_t())
    }

    deinit {
        data.deinitialize(count: 1)
        data.deallocate()
    }

    /// The message of one line without its end, or nil when the line is no whole JSON object or libgps cannot read it.
    mutating func decode(_ line: [UInt8]) -> GPSDMessage? {
        // libgps takes a cut line for a report without a mode, and stops at a zero byte.
        guard line.first == UInt8(ascii: "{"), line.last == UInt8(ascii: "}"), !line.contains(0), line.count <= Self.lineBytesMax
        else { return nil }
        data.pointee.set = 0
        data.pointee.dev.activated = timespec()
        var text = line.map(CChar.init(bitPattern:))
        // How gpsd says that it closed a receiver. libgps wants a date there, and reads the line without it.
        if line.suffix(Self.closed.count).elementsEqual(Self.closed) {
            text.removeLast(Self.closed.count)
            text.append(CChar(bitPattern: UInt8(ascii: "}")))
        }
        text.append(0)
        let status = text.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { gps_unpack($0, data) } ?? -1
        }
        guard status >= 0 else { return nil }
        let set = data.pointee.set
        if set & Mask.version != 0 {
            return .version(release: Self.text(of: data.pointee.version.release), protocolMajor: Int(data.pointee.version.proto_major))
        }
        if set & Mask.error != 0 { return .error(Self.text(of: data.pointee.error)) }
        if set & Mask.deviceList != 0 { return .devices(count: Int(data.pointee.devices.ndevices)) }
        if set & Mask.device != 0 {
            let device = data.pointee.dev
            return .device(path: Self.text(of: device.path), isActive: device.activated.tv_sec > 0)
        }
        if set & Mask.status != 0 { return .report(report()) }
        return .other
    }

    private func report() -> TPVReport {
        let fix = data.pointee.fix
        let seconds = Int64(fix.time.tv_sec)
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return TPVReport(
            device: Self.text(of: data.pointee.dev.path), mode: Int(fix.mode),
            utc: seconds > 0 && !overflow ? milliseconds &+ Int64(fix.time.tv_nsec) / 1_000_000 : nil,
            latitude: fix.latitude, longitude: fix.longitude, altitudeMSL: fix.altMSL, altitude: fix.altitude,
            speed: fix.speed, track: fix.track, eph: fix.eph, epx: fix.epx, epy: fix.epy, isSimulated: fix.status == 8)
    }

    /// A C array of characters, which Swift sees as a tuple, up to its zero.
    private static func text<Tuple: BitwiseCopyable>(of tuple: Tuple) -> String {
        withUnsafeBytes(of: tuple) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// The bits of gps.h that say what the last line held; as macros with a cast they are not imported.
    private enum Mask {
        static let status: UInt64 = 1 << 9
        static let device: UInt64 = 1 << 19
        static let deviceList: UInt64 = 1 << 20
        static let version: UInt64 = 1 << 28
        static let error: UInt64 = 1 << 31
    }
}

import CLinux
import Glibc
import Vitals

/// An open input device of the kernel (linux/input.h). For one thread.
struct InputDevice: ~Copyable {
    /// A call that failed, with its error number.
    struct Failure: Error { var code: Int32 }

    enum Event: Hashable {
        case key(UInt16, isDown: Bool, time: Milliseconds)
        /// The kernel had to drop events.
        case dropped(time: Milliseconds)
    }

    let descriptor: Int32
    let abilities: InputAbilities

    /// Who may only read a device cannot switch its lights: ``light(_:)`` throws EBADF then.
    init(path: String) throws(Failure) {
        var new = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        if new < 0 { new = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        guard new >= 0 else { throw Failure(code: errno) }
        do throws(Failure) {
            abilities = try Self.abilities(of: new)
            descriptor = new
        } catch {
            close(new)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// Events go to nobody else. Throws when another program has done that already: this one would hear nothing.
    func grab() throws(Failure) {
        guard ioctl(descriptor, Self.request(1, 0x90, MemoryLayout<Int32>.size), 1) == 0 else { throw Failure(code: errno) }
    }

    func release() { _ = ioctl(descriptor, Self.request(1, 0x90, MemoryLayout<Int32>.size), 0) }

    /// Keys that are down now (EVIOCGKEY).
    func held() throws(Failure) -> Set<UInt16> { try Self.bits(descriptor, 0x18, count: Int(KEY_CNT)) }

    /// Switches all lights of the device (EV_LED).
    func light(_ isLit: Bool) throws(Failure) {
        let events = abilities.lights.sorted().map { code in
            var event = input_event()
            (event.type, event.code, event.value) = (UInt16(EV_LED), code, isLit ? 1 : 0)
            return event
        }
        let size = events.count * MemoryLayout<input_event>.stride
        guard write(descriptor, events, size) == size else { throw Failure(code: errno) }
    }

    /// The events that have arrived. Throws ENODEV when the device is gone.
    func read() throws(Failure) -> [Event] {
        var buffer = [input_event](repeating: input_event(), count: 64)
        let size = Glibc.read(descriptor, &buffer, buffer.count * MemoryLayout<input_event>.stride)
        guard size >= 0 else {
            if errno == EAGAIN || errno == EINTR { return [] }
            throw Failure(code: errno)
        }
        return buffer.prefix(size / MemoryLayout<input_event>.stride).compactMap { event in
            let time = Milliseconds(event.time.tv_sec) * 1000 + Milliseconds(event.time.tv_usec) / 1000
            switch (Int32(event.type), Int32(event.code)) {
            case (EV_SYN, SYN_DROPPED): return .dropped(time: time)
            // 2 repeats a key that is down already.
            case (EV_KEY, _) where event.value == 0 || event.value == 1: return .key(event.code, isDown: event.value == 1, time: time)
            default: return nil
            }
        }
    }

    private static func abilities(of descriptor: Int32) throws(Failure) -> InputAbilities {
        // Times in the clock that the rest of the box counts in.
        var clock = CLOCK_BOOTTIME
        guard ioctl(descriptor, request(1, 0xA0, MemoryLayout<Int32>.size), &clock) == 0 else { throw Failure(code: errno) }
        var name = [UInt8](repeating: 0, count: 256)
        guard ioctl(descriptor, request(2, 0x06, name.count - 1), &name) >= 0 else { throw Failure(code: errno) }
        let types = try bits(descriptor, 0x20, count: Int(EV_CNT))
        let more = [EV_REL, EV_ABS, EV_SW].contains { types.contains(UInt16($0)) }
        let keys = try types.contains(UInt16(EV_KEY)) ? bits(descriptor, 0x20 + UInt(EV_KEY), count: Int(KEY_CNT)) : []
        let lights = try types.contains(UInt16(EV_LED)) ? bits(descriptor, 0x20 + UInt(EV_LED), count: Int(LED_CNT)) : []
        return InputAbilities(name: String(decoding: name.prefix { $0 != 0 }, as: UTF8.self), keys: keys, doesMore: more, lights: lights)
    }

    private static func bits(_ descriptor: Int32, _ number: UInt, count: Int) throws(Failure) -> Set<UInt16> {
        var bytes = [UInt8](repeating: 0, count: (count + 7) / 8)
        guard ioctl(descriptor, request(2, number, bytes.count), &bytes) >= 0 else { throw Failure(code: errno) }
        return Set((0..<count).filter { bytes[$0 / 8] & 1 << ($0 % 8) != 0 }.map(UInt16.init))
    }

    /// The macros EVIOC… are no functions that Swift could call: direction (1 writes, 2 reads), size, 'E', number (asm-generic/ioctl.h).
    private static func request(_ direction: UInt, _ number: UInt, _ size: Int) -> UInt {
        direction << 30 | UInt(size) << 16 | UInt(UInt8(ascii: "E")) << 8 | number
    }
}

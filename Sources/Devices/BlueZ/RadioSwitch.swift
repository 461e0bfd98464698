import CLinux
import Glibc

/// The kernel's switch for all Bluetooth radios of this machine (rfkill; Documentation/driver-api/rfkill.rst).
enum RadioSwitch {
    enum Outcome: Equatable {
        case unblocked
        case nothingBlocked
        /// By a switch on the case or by the firmware.
        case hard
        case notPermitted
    }

    /// Takes the soft block off every Bluetooth radio, where there is one. Needs write access to /dev/rfkill.
    static func unblock() -> Outcome {
        let (isSoft, isHard) = blocks()
        if isHard { return .hard }
        guard isSoft else { return .nothingBlocked }
        let file = open("/dev/rfkill", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return .notPermitted }
        defer { close(file) }
        var event = rfkill_event()
        event.type = UInt8(RFKILL_TYPE_BLUETOOTH.rawValue)
        event.op = UInt8(RFKILL_OP_CHANGE_ALL.rawValue)
        return write(file, &event, MemoryLayout<rfkill_event>.size) > 0 ? .unblocked : .notPermitted
    }

    /// The switches that the kernel shows to everybody.
    static func blocks(in directory: String = "/sys/class/rfkill") -> (isSoft: Bool, isHard: Bool) {
        var (isSoft, isHard) = (false, false)
        guard let entries = opendir(directory) else { return (false, false) }
        defer { closedir(entries) }
        // Numbers are not used again: an adapter that was plugged in often has a high one.
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            guard name.hasPrefix("rfkill") else { continue }
            let folder = directory + "/" + name + "/"
            guard text(folder + "type").hasPrefix("bluetooth") else { continue }
            if text(folder + "soft").hasPrefix("1") { isSoft = true }
            if text(folder + "hard").hasPrefix("1") { isHard = true }
        }
        return (isSoft, isHard)
    }

    private static func text(_ path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}

import CLinux

/// Key codes of the kernel (linux/input-event-codes.h) as far as buttons need them.
public enum ButtonKeys {
    /// What single buttons, one-button remotes and headsets send. Keys of this list are taken from a device that nobody chose.
    public static let usual: Set<UInt16> = Set(names.values.filter { $0 != UInt16(KEY_VOLUMEUP) && $0 != UInt16(KEY_VOLUMEDOWN) })

    /// Switching the box off, or sending it to sleep, is the system's business.
    static let system: Set<UInt16> = Set([KEY_POWER, KEY_POWER2, KEY_SLEEP, KEY_WAKEUP, KEY_SUSPEND, KEY_RESTART].map(UInt16.init))

    private static let names: [String: UInt16] = [
        "KEY_PHONE": UInt16(KEY_PHONE), "KEY_SOS": UInt16(KEY_SOS), "KEY_HELP": UInt16(KEY_HELP), "KEY_MEDIA": UInt16(KEY_MEDIA),
        "KEY_PLAYPAUSE": UInt16(KEY_PLAYPAUSE), "KEY_ENTER": UInt16(KEY_ENTER), "KEY_OK": UInt16(KEY_OK), "KEY_SELECT": UInt16(KEY_SELECT),
        "KEY_PROG1": UInt16(KEY_PROG1), "KEY_PROG2": UInt16(KEY_PROG2), "KEY_PROG3": UInt16(KEY_PROG3), "KEY_PROG4": UInt16(KEY_PROG4),
        "KEY_VOLUMEUP": UInt16(KEY_VOLUMEUP), "KEY_VOLUMEDOWN": UInt16(KEY_VOLUMEDOWN), "BTN_0": UInt16(BTN_0), "BTN_1": UInt16(BTN_1),
        "BTN_2": UInt16(BTN_2), "BTN_3": UInt16(BTN_3),
    ]

    /// Reads "KEY_PHONE", or a code as a number below 768 for what has no name here; nil for anything else and for keys that switch the
    /// box off.
    public static func code(_ text: String) -> UInt16? {
        guard let code = names[text] ?? UInt16(text), code > 0, code < UInt16(KEY_CNT), !system.contains(code) else { return nil }
        return code
    }

    /// Such as "KEY_PHONE", or "key 44".
    public static func name(_ code: UInt16) -> String { names.first { $0.value == code }?.key ?? "key \(code)" }
}

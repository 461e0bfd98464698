/// The lid of a laptop, as the kernel lists it among the input devices.
public enum LidSwitch {
    /// SW_LID of linux/input-event-codes.h: the lowest bit of a device's switches.
    private static let bit: UInt64 = 1
    /// More than any machine has.
    private static let inputsMax = 1024

    /// Whether this machine has a lid that can be closed.
    /// - Parameter inputs: where the kernel lists input devices.
    public static func isPresent(inputs: String = "/sys/class/input") -> Bool {
        (DirectoryNames.read(inputs, max: inputsMax) ?? []).contains { name in
            // Groups of hexadecimal digits, the lowest last.
            guard name.hasPrefix("event"), let text = FirstLine.read("\(inputs)/\(name)/device/capabilities/sw"),
                let lowest = text.split(separator: " ").last.flatMap({ UInt64($0, radix: 16) })
            else { return false }
            return lowest & bit != 0
        }
    }
}

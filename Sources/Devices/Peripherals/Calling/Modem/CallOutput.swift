import Sensing
import SystemBus

/// Where words go so that the other side of a call hears them.
enum CallOutput: Sendable, Hashable {
    /// ALSA: a modem with a sound card, or a cable from a sound card to the modem.
    case device(String)
    /// A serial port that takes raw samples, 16 bits, mono, at `rate` Hz. ModemManager names one for modems of Huawei.
    case port(String, rate: Int)

    /// What the owner has named comes first. nil when there is nothing. `properties`: of the call, which is active.
    init?(_ properties: [String: BusValue], device: String?) {
        if let device {
            self = .device(device)
            return
        }
        let format = properties["AudioFormat"]?.dictionary ?? [:]
        guard let port = properties["AudioPort"]?.string, !port.isEmpty, !port.contains("/"), format["encoding"]?.string == "pcm",
            format["resolution"]?.string == "s16le", let rate = format["rate"]?.int, (4000...48_000).contains(rate)
        else { return nil }
        self = .port("/dev/\(port)", rate: rate)
    }

    static let none = SourceProblem(
        what: "The call is silent: ModemManager names no audio port of this modem, and no sound device is set for it",
        advice: "Set the modem's sound device (aplay -L lists them), or rely on texts", retries: true, kind: .noSound)
}

import Dispatch

/// The queues on which programs are waited for: a hanging loudspeaker holds up no call.
enum PeripheralQueue {
    static func voice() -> DispatchQueue { DispatchQueue(label: "trackme.voice") }
    static func calling() -> DispatchQueue { DispatchQueue(label: "trackme.calling", qos: .userInteractive) }
}

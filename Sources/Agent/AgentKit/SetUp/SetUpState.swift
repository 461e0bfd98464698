internal import BlueZ
internal import Foundation
internal import SyncProtocol

/// The state that the set-up page shows beside the sensors.
struct SetUpState: Encodable, Sendable, Hashable {
    enum Stage: String, Encodable, Sendable {
        /// Nobody has begun, or the last try failed.
        case open
        /// The hub is asked.
        case asking
        case compare
        /// The words were confirmed here, and not yet at the hub.
        case waiting
        /// Settings of an earlier box may be taken over.
        case offered
        case enrolled
    }

    var stage: Stage
    /// To be compared with those that the hub shows.
    var words: String?
    var hub: String?
    /// The box's own name.
    var name: String
    /// Key in the language files: why the last try failed; nil when it did not, or only ``message`` says it.
    var problem: String?
    var message: String?
    /// Until the page closes.
    var minutes: Int
    /// At ``Stage/offered``.
    var offers: [TakeOver]?
}

/// A request of the set-up page, after it was read.
enum SetUpAct: Equatable {
    case begin(BoxPairing.Request)
    /// The person says that the hub shows ``words``.
    case confirm(words: String)
    case refuse
    /// Takes over the settings of the earlier box at this place in the list; nil for none.
    case take(Int?)
    case sensors(ControlRequest)
    /// Closes the page.
    case finish

    /// The fields of every act.
    private struct Fields: Decodable {
        var link: String?
        var hub: String?
        var code: String?
        var name: String?
        var words: String?
        var action: ControlRequest.Action?
        var address: String?
        var offer: Int?
    }

    /// Seconds that a scan from the page takes.
    static let scanSeconds = 8
    private static let sensorActions: Set<ControlRequest.Action> = [.scan, .use, .add, .forget]

    /// nil for a body that is none of this path.
    init?(path: Substring, body: [UInt8], name: String) {
        guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(body)) else { return nil }
        switch path {
        case "/begin":
            let name = fields.name?.trimmingCharacters(in: .whitespacesAndNewlines) ?? name
            guard (1...64).contains(name.count) else { return nil }
            if let fragment = fields.link {
                guard let link = SetUpLink(fragment: fragment) else { return nil }
                self = .begin(.init(hub: link.hub, code: link.code, fingerprint: link.fingerprint, name: name))
            } else {
                guard let hub = fields.hub?.trimmingCharacters(in: .whitespacesAndNewlines), let code = fields.code, !hub.isEmpty else {
                    return nil
                }
                self = .begin(.init(hub: hub.contains("://") ? hub : "https://\(hub)", code: code, fingerprint: nil, name: name))
            }
        case "/confirm":
            guard let words = fields.words else { return nil }
            self = .confirm(words: words)
        case "/refuse": self = .refuse
        case "/take": self = .take(fields.offer)
        case "/sensors":
            guard let action = fields.action, Self.sensorActions.contains(action) else { return nil }
            guard action == .scan || fields.address.map({ (try? SensorAddress(option: $0)) != nil }) == true else { return nil }
            let isScan = action == .scan
            self = .sensors(
                ControlRequest(action, seconds: isScan ? Self.scanSeconds : nil, address: isScan ? nil : fields.address))
        case "/finish": self = .finish
        default: return nil
        }
    }
}

/// The chosen sensors as the set-up page shows them, so that they can be tried. Of what they measure there is the heart rate alone: this page
/// is read over a network without encryption.
struct SetUpSensors: Encodable, Sendable, Hashable {
    struct Sensor: Encodable, Sendable, Hashable {
        var address: String
        var name: String?
        var isConnected: Bool
        var batteryPercent: Int?
        var problem: String?
        /// Beats per minute, of one that tells it, while it counts.
        var heartRate: Int?
        /// It tells no heart rate.
        var isBeside: Bool
    }

    var sensors: [Sensor]

    init(_ status: BoxStatus) {
        sensors = status.persons.flatMap { person in
            let chosen = person.sensor.map { sensor in
                Sensor(
                    address: sensor.address.description, name: sensor.name, isConnected: sensor.isConnected,
                    batteryPercent: sensor.batteryPercent, problem: sensor.problem, heartRate: person.heartRate, isBeside: false)
            }
            let others = (person.otherSensors ?? []).map { sensor in
                Sensor(
                    address: sensor.address.description, name: sensor.name, isConnected: sensor.isConnected,
                    batteryPercent: sensor.batteryPercent, problem: sensor.problem, isBeside: true)
            }
            return [chosen].compactMap(\.self) + others
        }
    }
}

import HubStore
import Logging

extension DamagedRunRow {
    /// For the operator's log.
    var text: String {
        switch kind {
        case .run: "a run is damaged and on no list"
        case .enrolment: "an enrolment is damaged and on no list"
        case .result: "a result is damaged: its place and time are shown without the rest"
        case .telling: "what people are to be told of a run is damaged, and they are not told"
        case .nearby: "a wish to be told of runs nearby is damaged, and nothing is told by it"
        }
    }

    /// Numbers alone: rows tell of people.
    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [:]
        if let run { metadata["run"] = "\(run)" }
        switch kind {
        case .run: break
        case .enrolment, .result: metadata["enrolment"] = "\(row)"
        case .telling, .nearby: metadata[kind.rawValue] = "\(row)"
        }
        return metadata
    }
}

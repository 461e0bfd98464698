import Glibc
import Sensing

extension ButtonSearch {
    /// Why there is no button, from the devices that were looked at.
    func problem(_ seen: [(path: String, refusal: Refusal)]) -> SourceProblem {
        for (path, refusal) in seen {
            switch refusal {
            case .taken(let name):
                return SourceProblem(
                    what: "Another program has the button \(name) (\(path)) for itself", advice: "Stop it: fuser -v \(path) names it",
                    retries: true)
            case .failed(let code) where code == EACCES || code == EPERM:
                return SourceProblem(
                    what: "This program may not read the input device \(path) (\(String(cString: strerror(code))))",
                    advice: "Add its user to the group input, or install the package's udev rules; its unit needs DeviceAllow=char-input",
                    retries: true)
            default: break
            }
        }
        return choice == .automatic ? noneFound(seen) : chosenMissing(seen)
    }

    private func noneFound(_ seen: [(path: String, refusal: Refusal)]) -> SourceProblem {
        let names = seen.compactMap { if case .otherDevice(let name) = $0.refusal { name } else { nil } }
        let others = names.isEmpty ? "" : ": none of " + names.prefix(5).joined(separator: ", ") + " is one"
        return SourceProblem(
            what: "No button was found among \(seen.count) input devices\(others)",
            advice: "Plug it in, or choose a device by its name or path", retries: true)
    }

    private func chosenMissing(_ seen: [(path: String, refusal: Refusal)]) -> SourceProblem {
        if case .path = choice, let first = seen.first {
            let why =
                switch first.refusal {
                case .failed(let code): "is no input device that can be read (\(String(cString: strerror(code))))"
                case .otherDevice(let name), .taken(let name): "(\(name)) has none of the keys that count"
                }
            return SourceProblem(what: "\(choice) \(why)", advice: "Choose another device, or other keys", retries: true)
        }
        if seen.contains(where: { if case .otherDevice(let name) = $0.refusal { choice == .name(name) } else { false } }) {
            return SourceProblem(what: "The button \(choice) has none of the keys that count", advice: "Choose other keys", retries: true)
        }
        return SourceProblem(
            what: "The button \(choice) is not there", advice: "Plug it in, switch it on, or choose another", retries: true)
    }
}

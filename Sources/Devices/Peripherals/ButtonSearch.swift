import Glibc
import Sensing

/// Finds the button among the input devices of the box.
struct ButtonSearch {
    /// The device, ready to be read, and the keys that count.
    struct Found: ~Copyable {
        let device: InputDevice
        let path: String
        let keys: Set<UInt16>
    }

    let directory: String
    let choice: ButtonChoice
    let wanted: Set<UInt16>?
    /// More devices than any box has.
    private static let devicesMax = 64

    /// A device node as it was when it was no button: it is not opened again before it changes, since opening wakes devices.
    private struct Node: Hashable {
        var path: String
        var inode: UInt64
        var changed: Int
        var nanoseconds: Int
    }
    private var refused: [Node: Refusal] = [:]

    /// Why a device is not taken.
    enum Refusal: Hashable {
        case otherDevice(name: String)
        case failed(code: Int32)
        case taken(name: String)
    }

    init(directory: String, choice: ButtonChoice, wanted: Set<UInt16>?) {
        self.directory = directory
        self.choice = choice
        self.wanted = wanted
    }

    /// Looks at every device anew: rights can change without a trace on the node.
    mutating func forget() { refused = [:] }

    /// - Throws: why there is none.
    mutating func find() throws(SourceProblem) -> Found {
        var seen: [Node: Refusal] = [:]
        for path in paths {
            guard let node = Self.node(path) else { continue }
            if let refusal = refused[node] {
                seen[node] = refusal
                continue
            }
            switch open(path) {
            case .found(let found): return found
            case .refused(let refusal): seen[node] = refusal
            }
        }
        // A device that another program holds can be free the next time.
        refused = seen.filter { if case .taken = $0.value { false } else { true } }
        throw problem(seen.sorted { $0.key.path < $1.key.path }.map { ($0.key.path, $0.value) })
    }

    private enum Attempt: ~Copyable {
        case found(Found)
        case refused(Refusal)
    }

    private func open(_ path: String) -> Attempt {
        do throws(InputDevice.Failure) {
            let device = try InputDevice(path: path)
            let name = device.abilities.name
            guard let keys = device.abilities.keys(for: choice, wanted: wanted) else { return .refused(.otherDevice(name: name)) }
            do throws(InputDevice.Failure) { try device.grab() } catch { return .refused(.taken(name: name)) }
            // A press must not also press what is on the screen. A device that does more than that stays everybody's.
            if device.abilities.doesMore || !device.abilities.keys.isSubset(of: keys) { device.release() }
            return .found(Found(device: device, path: path, keys: keys))
        } catch { return .refused(.failed(code: error.code)) }
    }

    private var paths: [String] {
        if case .path(let path) = choice { return [path] }
        let names = DirectoryNames.read(directory, max: 4 * Self.devicesMax) ?? []
        let numbers = names.filter { $0.hasPrefix("event") }.compactMap { Int($0.dropFirst(5)) }.prefix(Self.devicesMax)
        return numbers.sorted().map { "\(directory)/event\($0)" }
    }

    private static func node(_ path: String) -> Node? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Node(path: path, inode: UInt64(status.st_ino), changed: status.st_ctim.tv_sec, nanoseconds: status.st_ctim.tv_nsec)
    }
}

import Foundation
import TestSupport
import Vitals

@testable import Groups

/// The textbook's attacks on one cell. Each knows all about the mechanism and everybody else.
enum Attack: String, CaseIterable {
    /// The likelihood ratio over 16 windows: the best test that there is.
    case likelihood
    /// The same over 40 windows, by the target's class and the next.
    case twoClasses
    /// The same with the bits of the numbers, as Mironov did (CCS 2012).
    case lowBits
    /// One window, asked 40 times.
    case averaging
    /// q(A) - q(A without the target), by 40 lines that are drawn around their home.
    case tracker
    /// 2,000 accounts of last week, so that a small cell is released.
    case fakeMembers
    /// 999 old accounts beside the target: whether it is released, over 16 windows.
    case refusals
    /// The same where the noise decides.
    case refusalsAtMargin
    /// 40 readings of a window while data comes late.
    case lateData
    /// The likelihood ratio about somebody who has objected.
    case objection
    /// 8 windows before somebody perhaps joined, against 8 behind: nothing needs to be known of the others but that they stay.
    case joining
    /// A window before and after the target perhaps left.
    case leaving

    static let windows = 16
    private static let reads = 40
    private static let large: [Int64] = [120, 120, 120, 120, 120, 120, 0, 120, 120, 120, 120, 120, 120, 200, 200, 200]

    /// What it read, by the accounting: 1 / (2 sigma²) for each cell and window.
    var rho: Double {
        switch self {
        case .likelihood, .lowBits, .refusals, .refusalsAtMargin: Double(Self.windows) / (2 * MadeHub.variance)
        case .twoClasses: Double(Self.reads) / (2 * MadeHub.variance)
        case .joining: Double(Self.windows / 2) / (2 * MadeHub.variance)
        case .averaging, .tracker, .lateData, .leaving: 1 / (2 * MadeHub.variance)
        // New accounts count for nothing, and who objected is not there.
        case .fakeMembers, .objection: 0
        }
    }

    /// Runs it on many targets, each once there and once not.
    func run(_ fault: Fault? = nil, targets: Int) throws -> AttackResult {
        var result = AttackResult(rho: rho)
        for number in 0..<UInt64(targets) {
            result.with.append(try score(hub(fault, isTargetThere: true, seed: 2 * number)))
            result.without.append(try score(hub(fault, isTargetThere: false, seed: 2 * number + 1)))
        }
        return result
    }

    private func hub(_ fault: Fault?, isTargetThere: Bool, seed: UInt64) throws -> MadeHub {
        var others = Self.large
        switch self {
        case .fakeMembers: others = others.map { $0 / 20 }
        case .refusals:
            others = others.map { $0 / 2 }
            others[15] -= others.reduce(0, +) - 999
        case .refusalsAtMargin:
            others = others.map { $0 * 3 / 5 }
            others[15] -= others.reduce(0, +) - 1_186
        default: break
        }
        var hub = try MadeHub(fault, others: others, isTargetThere: isTargetThere, seed: seed &* 0x9E37_79B9 &+ 1)
        if self == .fakeMembers { hub.newMembers = 2_000 }
        hub.hasTargetObjected = self == .objection
        if self == .joining { hub.joined = Self.windows / 2 }
        return hub
    }

    /// The logarithm of the likelihood ratio of "there" and "not there", for noise of the declared variance.
    private func ratio(_ noisy: [Double]?, known: Double) -> Double {
        guard let noisy else { return 0 }
        return (2 * (noisy[MadeHub.bin] - known) - 1) / (2 * MadeHub.variance)
    }

    private func score(_ hub: MadeHub) -> Double {
        var hub = hub
        let known = hub.known
        switch self {
        case .likelihood, .objection:
            return (0..<Self.windows).reduce(0) { $0 + ratio(hub.read($1), known: known) }
        case .twoClasses:
            return (0..<Self.reads).reduce(0) { sum, window in
                guard let noisy = hub.read(window) else { return sum }
                let next = (2 * (noisy[MadeHub.bin + 1] - Double(hub.others[MadeHub.bin + 1])) - 1) / (2 * MadeHub.variance)
                return sum + ratio(noisy, known: known) + next
            }
        case .joining:
            let counts = (0..<Self.windows).map { hub.read($0)?[MadeHub.bin] ?? 0 }, half = Self.windows / 2
            return (counts[half...].reduce(0, +) - counts[..<half].reduce(0, +)) / Double(half) - 0.5
        case .leaving:
            let before = hub.read(0)
            hub.leave()
            let after = hub.read(0)
            // Where leaving changes nothing, one reading is left.
            guard let before, let after, before != after else { return ratio(before, known: known) }
            return before[MadeHub.bin] - after[MadeHub.bin] - 0.5
        case .lowBits:
            return (0..<Self.windows).reduce(0) { sum, window in
                let noisy = hub.read(window)
                // What is added to 1 ends as a multiple of 2^-53; what stands alone rarely does.
                let bits = (noisy?[MadeHub.bin] ?? 0) * 0x1p53
                return sum + (bits == bits.rounded() ? ratio(noisy, known: known) : -1_000)
            }
        case .averaging:
            return (0..<Self.reads).reduce(0) { sum, _ in sum + ratio(hub.read(0), known: known) }
        case .lateData:
            return (0..<Self.reads).reduce(0) { sum, _ in
                hub.lateData(0)
                return sum + ratio(hub.read(0), known: known)
            }
        case .tracker:
            let differences = (0..<Self.reads).map { line in
                (hub.read(0, line: line)?[MadeHub.bin] ?? 0) - (hub.read(0, line: line, avoiding: true)?[MadeHub.bin] ?? 0)
            }
            // Where lines make no difference, one reading is left.
            guard differences.contains(where: { $0 != 0 }) else { return ratio(hub.read(0), known: known) }
            return differences.reduce(0, +) / Double(Self.reads) - 0.5
        case .fakeMembers:
            return (0..<Self.windows).reduce(0) { $0 + ratio(hub.read($1), known: known + Double(hub.newMembers)) }
        case .refusals, .refusalsAtMargin:
            // Each noise is in one window: how often it was released, against how often it would be without anybody.
            let released = (0..<Self.windows).filter { hub.read($0) != nil }.count
            return Double(released) - (self == .refusals ? 0.5 : Double(Self.windows) / 2)
        }
    }
}

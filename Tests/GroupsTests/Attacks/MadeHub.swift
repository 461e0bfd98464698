import Accounts
import Foundation
import TestSupport
import Vitals

@testable import Groups

/// What a hub could do wrong. Each is planted once, and seen by an attack.
enum Fault: String, CaseIterable {
    /// Half the noise that is accounted for.
    case halfNoise
    /// Noise for each question instead of each cell.
    case freshNoise
    /// Refused by the true count alone.
    case trueCountInRefusal
    /// A person adds two to a window.
    case twoContributions
    /// Noise in floating point, added to a count and published as it is.
    case floatingPoint
    /// Counts those within a drawn line.
    case unsnappedPolygon
    /// The second door answers on.
    case budgetNotStopped
    /// A closed window is made again when data comes late.
    case reopened
    /// Who objected counts on.
    case optOutIgnored
    /// Accounts count from the first day.
    case newMembersCount
    /// A person adds one to their class and one to the next: a bound of two values for each window instead of one.
    case boundOffByOne
    /// When somebody leaves, a closed window is counted again under the noise that it had.
    case recounted
    /// Small groups are refused before noise is drawn, and so sooner than others.
    case earlyRefusal
}

/// One cell of a hub, about which an attacker knows everything but whether one person is in it. It runs on the code of the core, where no
/// fault is planted.
struct MadeHub {
    static let window = GroupWindow(.week, number: 2_900)
    static let cell = GroupCell(.female, AgeBand(age: 30), MadeRegions.lakeTown)
    /// Of the target's value.
    static let bin = 6
    /// Declared to whoever accounts.
    static let variance = 36.0

    let fault: Fault?
    let rule: ReleaseRule
    /// Known counts of everybody else.
    var others: [Int64]
    /// The others who only exist since some days, in the target's class.
    var newMembers: Int64 = 0
    let isTargetThere: Bool
    var hasTargetObjected = false
    /// From which window on a target counts who is there.
    var joined = 0
    /// Whether the target has left since.
    private var hasLeft = false
    var generator: SeededGenerator
    private var stored: [String: [Double]?] = [:]
    private var noises: [Int: [Int64]] = [:]

    init(_ fault: Fault?, others: [Int64], isTargetThere: Bool, seed: UInt64) throws {
        self.fault = fault
        guard let variance = NoiseVariance(UInt64(Self.variance)) else { throw CancellationError() }
        rule = ReleaseRule(variance: variance, chance: 1e-13)
        (self.others, self.isTargetThere, generator) = (others, isTargetThere, SeededGenerator(seed: seed))
    }

    /// What an attacker expects in the target's class without the target.
    var known: Double { Double(others[Self.bin]) }

    private func counts(_ window: Int, avoiding: Bool) -> TrueCounts {
        var bins = others
        func counts(_ days: Milliseconds, objected: Bool) -> Bool {
            Eligibility(created: Self.window.end - days * 86_400_000, daysWithData: 12, age: 31, hasObjected: objected).counts(
                in: Self.window)
        }
        if counts(5, objected: false) || fault == .newMembersCount { bins[Self.bin] += newMembers }
        let isMember = isTargetThere && !hasLeft && window >= joined
        if isMember && !avoiding && (counts(400, objected: hasTargetObjected) || fault == .optOutIgnored) {
            bins[Self.bin] += fault == .twoContributions ? 2 : 1
            if fault == .boundOffByOne { bins[Self.bin + 1] += 1 }
        }
        return TrueCounts(bins)
    }

    private mutating func draw(_ counts: TrueCounts) -> [Double]? {
        switch fault {
        case .halfNoise:
            guard let quarter = NoiseVariance(UInt64(Self.variance / 4)) else { return nil }
            return ReleaseRule(variance: quarter, chance: rule.chance).release(counts, using: &generator)?.map(Double.init)
        case .trueCountInRefusal:
            guard counts.total >= Int64(rule.minimum) else { return nil }
            return counts.bins.map { Double($0 + DiscreteGaussian(rule.variance).sample(using: &generator)) }
        case .floatingPoint:
            let noisy = counts.bins.map { Double($0) + Self.variance.squareRoot() * MadeNormal.draw(using: &generator) }
            return noisy.reduce(0, +) >= Double(rule.minimum + rule.margin) ? noisy : nil
        default:
            return GroupRelease.close(
                Self.window, .heartRate, at: .municipality, counts: [Self.cell: counts], by: rule, using: &generator
            ).cells[Self.cell]?.map(Double.init)
        }
    }

    /// Reads the cell of a window.
    /// - Parameters:
    ///   - line: the number of the polygon that was drawn for it.
    ///   - avoiding: whether that leaves out where the target lives.
    mutating func read(_ window: Int, line: Int = 0, avoiding: Bool = false) -> [Double]? {
        let isDrawn = fault == .unsnappedPolygon
        let key = isDrawn ? "\(window) \(line) \(avoiding)" : "\(window)"
        if fault == .recounted { return recounted(window) }
        if fault != .freshNoise, let known = stored[key] { return known }
        let drawn = draw(counts(window, avoiding: isDrawn && avoiding))
        stored.updateValue(drawn, forKey: key)
        return drawn
    }

    private mutating func recounted(_ window: Int) -> [Double] {
        let noise = noises[window] ?? others.map { _ in DiscreteGaussian(rule.variance).sample(using: &generator) }
        noises[window] = noise
        return zip(counts(window, avoiding: false).bins, noise).map { Double($0 + $1) }
    }

    /// The target deletes their account, or objects.
    mutating func leave() { hasLeft = true }

    /// Data of a closed window arrives.
    mutating func lateData(_ window: Int) { if fault == .reopened { stored["\(window)"] = nil } }
}

import Accounts
import Runs
import TestSupport
import Testing
import Vitals

@testable import Groups

/// The attack of Dinur and Nissim (PODS 2003): ask for many random subsets, and solve for the people. Noise of each answer alone does not
/// stop it. Subsets that become whole cells do: all answers are sums of the same noisy cells.
///
/// It solves by least squares, the most likely solution for normal noise. Linear programming, which Dinur and Nissim need for answers that
/// are wrong in any way, has the same solutions here: where no subset is left, the equations hold exactly, and all of them for the cell.
@Suite struct ReconstructionTests {
    /// A street in the lake's town: of each home is asked whether somebody of it counts.
    private static let homes = 64
    private static let lines = 1_536
    /// Everybody else of the cell, who is known.
    private static let others = [Int64](repeating: 150, count: 16)
    private static let bin = 6

    private static func home(_ number: Int) -> CoursePoint {
        CoursePoint(latitude: 465_000_000, longitude: 66_000_000 + Int32(number) * 2_000)
    }

    /// A line drawn around some homes and no others: a comb with a tooth for each home that it leaves out.
    private static func line(around isWanted: [Bool]) -> GroupArea {
        var corners = [
            CoursePoint(latitude: 464_990_000, longitude: 65_999_000),
            CoursePoint(latitude: 464_990_000, longitude: home(homes - 1).longitude + 1_000),
        ]
        for number in (0..<homes).reversed() {
            let height = isWanted[number] ? Int32(465_010_000) : 464_995_000, middle = home(number)
            corners += [1_000, -1_000].map { CoursePoint(latitude: height, longitude: middle.longitude + $0) }
        }
        return .polygon(corners)
    }

    /// The answer's figure for a line, less what is known.
    private struct World {
        let isThere: [Bool]
        let isSnapped: Bool
        let rule: ReleaseRule
        var generator: SeededGenerator
        private var releases: [RegionLevel: GroupRelease] = [:]

        init(isSnapped: Bool, seed: UInt64) throws {
            var generator = SeededGenerator(seed: seed)
            isThere = (0..<ReconstructionTests.homes).map { _ in Bool.random(using: &generator) }
            self.isSnapped = isSnapped
            rule = ReleaseRule(variance: try #require(NoiseVariance(36)), chance: 1e-13)
            self.generator = generator
            let cell = GroupCell(.female, AgeBand(age: 30), MadeRegions.lakeTown)
            releases[.municipality] = GroupRelease.close(
                MadeHub.window, .heartRate, at: .municipality, counts: [cell: counts(isThere)], by: rule, using: &self.generator)
        }

        private func counts(_ isCounted: [Bool]) -> TrueCounts {
            var bins = ReconstructionTests.others
            bins[ReconstructionTests.bin] += Int64(isCounted.count(where: \.self))
            return TrueCounts(bins)
        }

        /// - Returns: whom the answer counts, as far as whoever asks knows; nil for a refusal.
        mutating func ask(_ area: GroupArea) throws -> (homes: [Double], noisy: Double)? {
            let known = Double(ReconstructionTests.others[ReconstructionTests.bin])
            guard isSnapped else {
                let isInside = (0..<ReconstructionTests.homes).map { area.contains(ReconstructionTests.home($0)) }
                guard let noisy = rule.release(counts(zip(isThere, isInside).map { $0 && $1 }), using: &generator) else { return nil }
                return (isInside.map { $0 ? 1 : 0 }, Double(noisy[ReconstructionTests.bin]) - known)
            }
            let middle = (code: MadeRegions.lakeTown, middle: ReconstructionTests.home(20))
            let regions = area.regions(of: [middle])
            guard !regions.isEmpty else { return nil }
            let question = try GroupQuestion(
                .heartRate, sexes: [.female], bands: [AgeBand(age: 30)], regions: regions, in: MadeRegions.tree)
            let cover = GroupCover(question, in: MadeRegions.tree, from: releases)
            guard let answer = GroupAnswer(cover, of: question, from: releases) else { return nil }
            return ([Double](repeating: 1, count: ReconstructionTests.homes), Double(answer.counts[ReconstructionTests.bin]) - known)
        }
    }

    /// The least solution of what fits best.
    private func leastSquares(_ equations: [(homes: [Double], noisy: Double)]) -> [Double] {
        let count = Self.homes
        var matrix = [[Double]](repeating: [Double](repeating: 0, count: count + 1), count: count)
        for row in 0..<count { matrix[row][row] = 1e-6 }
        for equation in equations {
            let inside = equation.homes.indices.filter { equation.homes[$0] != 0 }
            for row in inside {
                for column in inside { matrix[row][column] += 1 }
                matrix[row][count] += equation.noisy
            }
        }
        for pivot in 0..<count {
            for row in pivot + 1..<count where matrix[row][pivot] != 0 {
                let factor = matrix[row][pivot] / matrix[pivot][pivot]
                for column in pivot...count { matrix[row][column] -= factor * matrix[pivot][column] }
            }
        }
        var solution = [Double](repeating: 0, count: count)
        for row in (0..<count).reversed() {
            let known = (row + 1..<count).reduce(0.0) { $0 + matrix[row][$1] * solution[$1] }
            solution[row] = (matrix[row][count] - known) / matrix[row][row]
        }
        return solution
    }

    private func reconstruct(isSnapped: Bool, worlds: UInt64) throws -> AttackResult {
        // One noisy cell, whatever is asked.
        var result = AttackResult(rho: 1 / 72.0)
        for seed in 1...worlds {
            var world = try World(isSnapped: isSnapped, seed: seed), choices = SeededGenerator(seed: seed &* 77)
            var equations: [(homes: [Double], noisy: Double)] = []
            for _ in 0..<(isSnapped ? 40 : Self.lines) {
                let wanted = (0..<Self.homes).map { _ in Bool.random(using: &choices) }
                if let answer = try world.ask(Self.line(around: wanted)) { equations.append(answer) }
            }
            #expect(!equations.isEmpty)
            for (isThere, found) in zip(world.isThere, leastSquares(equations)) {
                if isThere { result.with.append(found - 0.5) } else { result.without.append(found - 0.5) }
            }
        }
        return result
    }

    @Test("GRP-4: questions about random subsets, solved for the people, tell no more than the cell that they become")
    func snapped() throws {
        let result = try reconstruct(isSnapped: true, worlds: 100)
        #expect(result.isBounded, "\(result.text)")
    }

    @Test("GRP-4: the same questions give most people away where a line counts those inside of it")
    func unsnapped() throws {
        let result = try reconstruct(isSnapped: false, worlds: 2)
        #expect(!result.isBounded && result.success > 0.85, "\(result.text)")
    }

    @Test("the lines go around the homes that they are drawn around")
    func lines() {
        var choices = SeededGenerator(seed: 4)
        for _ in 0..<20 {
            let wanted = (0..<Self.homes).map { _ in Bool.random(using: &choices) }, line = Self.line(around: wanted)
            #expect(line.isValid && (0..<Self.homes).map { line.contains(Self.home($0)) } == wanted)
        }
    }
}

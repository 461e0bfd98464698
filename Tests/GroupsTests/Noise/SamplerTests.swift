import Foundation
import Groups
import TestSupport
import Testing

@Suite struct SamplerTests {
    /// 100,000 as a rule. `TRACKME_SAMPLER_DRAWS=100000000` is the long run, for a release build.
    static let draws = ProcessInfo.processInfo.environment["TRACKME_SAMPLER_DRAWS"].flatMap(Int.init) ?? 100_000

    @Test(
        "GRP-4: noise has the distribution that is accounted for, and its variance",
        arguments: [(1, 4), (1, 1), (9, 1), (1665, 16), (7, 3), (3600, 1)] as [(UInt64, UInt64)])
    func distribution(numerator: UInt64, denominator: UInt64) throws {
        let noise = DiscreteGaussian(try #require(NoiseVariance(numerator, over: denominator)))
        let expected = NoiseDistribution(noise.variance.value)
        var generator = SeededGenerator(seed: 19 + numerator), counts: [Int64: Int] = [:]
        for _ in 0..<Self.draws { counts[noise.sample(using: &generator), default: 0] += 1 }
        #expect(expected.excess(of: counts, draws: Self.draws) < 4.5, "chi-square")
        let squares = counts.reduce(0.0) { $0 + Double($1.key * $1.key) * Double($1.value) } / Double(Self.draws)
        #expect(abs(squares - expected.variance) < 4 * expected.errorOfVariance(draws: Self.draws))
        let mean = counts.reduce(0.0) { $0 + Double($1.key) * Double($1.value) } / Double(Self.draws)
        #expect(abs(mean) < 4 * (expected.variance / Double(Self.draws)).squareRoot())
    }

    @Test("GRP-4: the test of the distribution sees a sampler that is a little wrong")
    func sensitive() throws {
        let noise = DiscreteGaussian(try #require(NoiseVariance(9)))
        var generator = SeededGenerator(seed: 5)
        var half: [Int64: Int] = [:], zeroTwice: [Int64: Int] = [:], rounded: [Int64: Int] = [:]
        for _ in 0..<100_000 {
            let drawn = noise.sample(using: &generator)
            half[drawn / 2, default: 0] += 1
            // Zero with two signs.
            zeroTwice[drawn == 0 || Int.random(in: 0..<8, using: &generator) > 0 ? drawn : 0, default: 0] += 1
            rounded[Int64((MadeNormal.draw(using: &generator) * 2.9).rounded()), default: 0] += 1
        }
        let expected = NoiseDistribution(9)
        for wrong in [half, zeroTwice, rounded] { #expect(expected.excess(of: wrong, draws: 100_000) > 10) }
    }

    @Test("GRP-4: noise is OpenDP's: a million draws of each are of one distribution, and cost the same")
    func openDP() throws {
        let fixture = try JSONDecoder().decode(
            OpenDPFixture.self, from: Data(contentsOf: Repository.url("Tests/Fixtures/groups/opendp.json")))
        #expect(fixture.noise.count == 4)
        for theirs in fixture.noise {
            let variance = try #require(NoiseVariance(UInt64(theirs.scale * theirs.scale * 16), over: 16))
            #expect(variance.value == theirs.scale * theirs.scale)
            #expect(abs(Rho(variance).value - theirs.rho) < 2e-12)
            let counts = Dictionary(uniqueKeysWithValues: theirs.counts.compactMap { entry in Int64(entry.key).map { ($0, entry.value) } })
            #expect(NoiseDistribution(variance.value).excess(of: counts, draws: theirs.draws) < 4.5)
            let noise = DiscreteGaussian(variance)
            var generator = SeededGenerator(seed: 77), ours: [Int64: Int] = [:]
            for _ in 0..<Self.draws { ours[noise.sample(using: &generator), default: 0] += 1 }
            // Two samples of different size: chi-square of what both have together.
            let ratio = (Double(theirs.draws) / Double(Self.draws)).squareRoot()
            var square = 0.0, classes = 0.0
            for (value, count) in ours where count + (counts[value] ?? 0) >= 40 {
                let other = counts[value] ?? 0
                square += pow(ratio * Double(count) - Double(other) / ratio, 2) / Double(count + other)
                classes += 1
            }
            #expect((square - classes) / (2 * classes).squareRoot() < 4.5, "scale \(theirs.scale)")
        }
    }

    @Test("GRP-4: the same random words give the same noise, on every machine")
    func known() throws {
        var generator = SeededGenerator(seed: 1)
        let noise = DiscreteGaussian(try #require(NoiseVariance(1665, over: 16)))
        let drawn = (0..<16).map { _ in noise.sample(using: &generator) }
        #expect(drawn == Self.drawn)
    }
    /// By a second implementation, in Python.
    static let drawn: [Int64] = [23, 18, -12, 12, 5, -14, -1, -1, 26, 3, -4, 16, 14, -16, 1, 7]

    @Test("GRP-4: variances are exact, and never less than what was spent allows")
    func variances() throws {
        #expect(NoiseVariance(0) == nil && NoiseVariance(1, over: 0) == nil && NoiseVariance(1, over: 65) == nil)
        #expect(NoiseVariance(NoiseVariance.most + 1) == nil && NoiseVariance(NoiseVariance.most * 64, over: 64) != nil)
        #expect(NoiseVariance(spending: .zero) == nil && NoiseVariance(spending: Rho(trillionths: 1)) == nil)
        for trillionths in [150_000, 4_800_000_000, 4_805_843_906, 33_333_333, 1_000_000_000_000] as [UInt64] {
            let cost = Rho(trillionths: trillionths), variance = try #require(NoiseVariance(spending: cost))
            #expect(Rho(variance) <= cost)
            let less = try #require(NoiseVariance(variance.numerator - 1, over: variance.denominator))
            #expect(Rho(less) > cost, "the least one")
        }
        // The greatest that the sampler takes.
        var generator = SeededGenerator(seed: 3)
        let widest = DiscreteGaussian(try #require(NoiseVariance(NoiseVariance.most * 64, over: 64)))
        let draws = (0..<2_000).map { _ in Double(widest.sample(using: &generator)) }
        #expect(abs((draws.reduce(0) { $0 + $1 * $1 } / 2_000).squareRoot() / 2_048 - 1) < 0.07)
    }

    @Test("GRP-4: the system's random numbers are one generator, seeded ones are for tests")
    func system() throws {
        var generator = SystemRandomNumberGenerator()
        let noise = DiscreteGaussian(try #require(NoiseVariance(100)))
        let draws = (0..<5_000).map { _ in noise.sample(using: &generator) }
        #expect(NoiseDistribution(100).excess(of: Dictionary(draws.map { ($0, 1) }, uniquingKeysWith: +), draws: 5_000) < 8)
    }
}

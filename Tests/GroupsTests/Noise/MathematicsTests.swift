import Foundation
import Groups
import Testing

@Suite struct MathematicsTests {
    @Test("GRP-4: exponential and logarithm are those of the mathematical library")
    func exponentialAndLogarithm() {
        for x in stride(from: -700.0, through: 700, by: 0.37) {
            let ours = Mathematics.exponential(x), theirs = exp(x)
            #expect(abs(ours - theirs) <= 1e-14 * theirs, "exp(\(x))")
            #expect(abs(Mathematics.logarithm(theirs) - x) <= 1e-15 * max(1, abs(x)) * 4, "log(\(theirs))")
        }
        #expect(Mathematics.exponential(-800) == 0 && Mathematics.exponential(800) == .infinity && Mathematics.exponential(0) == 1)
        #expect(Mathematics.logarithm(0) == -.infinity && Mathematics.logarithm(-1).isNaN && Mathematics.logarithm(1) == 0)
    }

    @Test("GRP-4: the normal distribution is that of the mathematical library, far into its tail")
    func normal() {
        for z in stride(from: 0.0, through: 25, by: 0.1) {
            let theirs = erfc(z / 2.0.squareRoot()) / 2, ours = Mathematics.normalTail(above: z)
            #expect(abs(ours - theirs) <= 1e-11 * theirs, "above \(z)")
            #expect(abs(Mathematics.normal(z) - (1 - theirs)) <= 1e-14, "below \(z)")
        }
        for chance in [0.5, 0.1, 0.025, 1e-4, 1e-9, 1e-13] {
            #expect(abs(Mathematics.normalTail(above: Mathematics.normalQuantile(above: chance)) / chance - 1) < 1e-10)
        }
        #expect(abs(Mathematics.normalQuantile(above: 0.025) - 1.959_963_984_540_054) < 1e-12)
    }
}

import Foundation

/// Normal numbers by floating point, for made-up values and for faults: never for noise.
enum MadeNormal {
    static func draw(using generator: inout some RandomNumberGenerator) -> Double {
        let one = 1 - Double.random(in: 0..<1, using: &generator), other = Double.random(in: 0..<1, using: &generator)
        return (-2 * log(one)).squareRoot() * cos(2 * .pi * other)
    }
}

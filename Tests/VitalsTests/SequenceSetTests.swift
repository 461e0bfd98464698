import TestSupport
import Testing
import Vitals

struct SequenceSetTests {
    @Test("EDGE-6: a sequence set holds exactly what was put in, in as few ranges as there can be", arguments: 0..<50 as Range<UInt64>)
    func insertsAnyOrder(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var set = SequenceSet(), reference: Set<UInt64> = []
        for _ in 0..<200 {
            let lower = UInt64.random(in: 0..<120, using: &generator)
            if Bool.random(using: &generator) {
                #expect(set.insert(lower) == reference.insert(lower).inserted)
            } else {
                let range = lower...lower + UInt64.random(in: 0..<6, using: &generator)
                set.insert(range)
                reference.formUnion(range)
            }
        }
        for sequence in 0..<140 as Range<UInt64> { #expect(set.contains(sequence) == reference.contains(sequence)) }
        for (left, right) in zip(set.ranges, set.ranges.dropFirst()) { #expect(left.upperBound + 1 < right.lowerBound) }
    }

    @Test("The ends of the number range do not overflow")
    func ends() {
        var set = SequenceSet([UInt64.max...UInt64.max, 0...0])
        #expect(!set.insert(.max) && !set.insert(0))
        set.insert(0...UInt64.max)
        #expect(set.ranges == [0...UInt64.max])
    }
}

struct IdentifierTests {
    @Test("Identifiers survive text and bytes, and nothing else is one")
    func text() {
        let id = PersonID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
        #expect(id.description == "0123456789abcdeffedcba9876543210")
        #expect(PersonID(id.description) == id && PersonID(bytes: id.bytes) == id)
        #expect(PersonID(id.description.uppercased()) == id)
        for wrong in ["", "0", id.description + "0", String(id.description.dropLast()) + "g"] { #expect(PersonID(wrong) == nil) }
        #expect(PersonID(bytes: [1, 2, 3]) == nil)
    }
}

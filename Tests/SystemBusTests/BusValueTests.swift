import Testing

@testable import SystemBus

struct BusValueTests {
    @Test("EDGE-2: values are read through their variants, and are nil as anything else")
    func accessors() {
        #expect(BusValue.variant(.variant(.string("a"))).string == "a")
        #expect(BusValue.variant(.byte(7)).int == 7 && BusValue.uint64(.max).int == nil && BusValue.bool(true).int == nil)
        #expect(BusValue.properties(["A": .bool(true)]).dictionary == ["A": .bool(true)])
        #expect(BusValue.dictionary([.uint16(1): .byte(1)], key: "q", value: "y").dictionary == nil)
        #expect(BusValue.strings(["a", "b"]).strings == ["a", "b"] && BusValue.array([.byte(1)], of: "i").strings == nil)
        #expect(BusValue.structure([.byte(1), .string("x")]).elements?.count == 2)
        #expect(BusValue.string("x").bytes == nil && BusValue.bytes([1]).elements == [.byte(1)])
    }

    @Test("EDGE-2: signatures are those of the specification")
    func signatures() {
        let nested = BusValue.structure([.dictionary([:], key: "o", value: "a{sa{sv}}"), .variant(.bytes([])), .strings([])])
        #expect(nested.typeSignature == "(a{oa{sa{sv}}}vas)")
    }
}

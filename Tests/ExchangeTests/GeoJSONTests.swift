import Foundation
import Testing

@testable import Exchange

struct GeoJSONTests {
    private func read(_ text: String) throws -> GeoJSON { try JSONDecoder().decode(GeoJSON.self, from: Data(text.utf8)) }

    @Test(
        "SOS-14: an identifier is the same whether it is written as text or as a number, and anything else is none",
        arguments: [
            (#""way/7""#, "way/7"), ("7", "7"), (#""7""#, "7"), ("10000000007", "10000000007"), ("1.5", "1.5"), ("null", nil), ("[7]", nil),
            ("true", nil),
        ] as [(String, String?)])
    func identifiers(written: String, read: String?) throws {
        #expect(try self.read(#"{"type":"Feature","id":\#(written)}"#).id?.identifier == read)
    }

    @Test("SOS-14: what is no object has nothing of a feature, and is told from one", arguments: ["[1]", "7", #""a""#, "null"])
    func noObject(text: String) throws {
        let read = try read(text)
        #expect(!read.isObject && read.type == nil && read.features == nil)
        #expect(try self.read("{}").isObject)
    }

    @Test("RUN-2: a point keeps its place where its height is none, and lists are read however deep")
    func coordinates() throws {
        let line = try #require(try read(#"{"type":"LineString","coordinates":[[9.5,45.5,null],[9.6,45.6]]}"#).coordinates?.list)
        #expect(line.map { $0.list?.prefix(2).map(\.number) } == [[9.5, 45.5], [9.6, 45.6]])
        #expect(line.first?.list?.last?.number == nil)
    }
}

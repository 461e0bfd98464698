import Foundation
import Testing

@testable import AgentKit

/// WCAG 2.2, 1.4.3 and 1.4.11, computed from the style sheet's own colours.
@Suite("The page's contrast")
struct PageContrastTests {
    /// The custom properties of the light and of the dark scheme.
    static let schemes: [[String: String]] = {
        let style = String(decoding: PackageResources.style_css, as: UTF8.self)
        let blocks = style.components(separatedBy: ":root {").dropFirst().map { $0.prefix { $0 != "}" } }
        return blocks.map { block in
            let pairs = block.matches(of: /--([\w-]+): (#[0-9a-f]{6});/).map { (String($0.1), String($0.2)) }
            return Dictionary(uniqueKeysWithValues: pairs)
        }
    }()

    static let texts = [
        ("text", "ground"), ("text", "card"), ("muted", "ground"), ("muted", "card"), ("accent", "ground"), ("on-ok", "ok"),
        ("on-help", "help"),
        ("good", "good-ground"), ("weak", "weak-ground"), ("broken", "broken-ground"), ("off", "off-ground"), ("on-alarm", "alarm"),
        ("good", "card"), ("weak", "card"), ("broken", "card"),
    ]
    static let shapes = [
        ("control", "card"), ("control", "ground"), ("ok", "ground"), ("help", "ground"), ("help", "card"), ("accent", "card"),
        ("accent", "ground"), ("off", "card"), ("alarm", "ground"), ("good", "ground"), ("weak", "ground"), ("broken", "ground"),
        ("off", "ground"),
    ]

    @Test("EDGE-12: words stand out by 4.5 to 1", arguments: texts)
    func words(colour: String, ground: String) throws { try check(colour, ground, 4.5) }

    @Test("EDGE-12: shapes, edges and buttons stand out by 3 to 1", arguments: shapes)
    func marks(colour: String, ground: String) throws { try check(colour, ground, 3) }

    @Test("Both schemes have all colours, and the sheet uses no others")
    func schemes() {
        #expect(Self.schemes.count == 2)
        #expect(Set(Self.schemes[0].keys).symmetricDifference(Self.schemes[1].keys) == [])
        let style = String(decoding: PackageResources.style_css, as: UTF8.self)
        let rules = style.components(separatedBy: "*, ::before").last ?? ""
        #expect(rules.matches(of: /#[0-9a-fA-F]{3,8}\b/).isEmpty)
    }

    private func check(_ colour: String, _ ground: String, _ least: Double) throws {
        for scheme in Self.schemes {
            let pair = try [colour, ground].map { Self.luminance(try #require(scheme[$0])) }
            let contrast = (max(pair[0], pair[1]) + 0.05) / (min(pair[0], pair[1]) + 0.05)
            #expect(contrast >= least, "\(colour) \(scheme[colour] ?? "") on \(ground) \(scheme[ground] ?? "")")
        }
    }

    private static func luminance(_ hex: String) -> Double {
        let value = UInt32(hex.dropFirst(), radix: 16) ?? 0
        let channels = [16, 8, 0].map { shift -> Double in
            let part = Double(value >> UInt32(shift) & 255) / 255
            return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
    }
}

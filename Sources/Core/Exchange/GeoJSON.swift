/// An object of GeoJSON (RFC 7946) as far as somebody else's file is one: whatever is of another type than the format says is not there.
public struct GeoJSON: Decodable, Sendable {
    /// The value of a feature's property, or of its identifier, where it is text or a number.
    public enum Value: Decodable, Sendable, Hashable {
        case text(String)
        case number(Double)
        case other

        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else {
                self = .other
            }
        }

        /// nil for what is no text.
        public var text: String? {
            if case .text(let text) = self { text } else { nil }
        }

        /// As identifiers are compared, whether the file writes them as text or as a number; nil for what is neither.
        public var identifier: String? {
            switch self {
            case .text(let text): text
            case .number(let number): Int64(exactly: number).map { "\($0)" } ?? "\(number)"
            case .other: nil
            }
        }
    }

    /// Numbers, or lists of lists of numbers, however deep.
    public indirect enum Coordinates: Decodable, Sendable, Hashable {
        case numbers([Double])
        case list([Coordinates])
        case number(Double)
        case other

        public init(from decoder: any Decoder) throws {
            // Nearly all are: trying this first takes no errors but one a line.
            if let numbers = try? [Double](from: decoder) {
                self = .numbers(numbers)
            } else if var list = try? decoder.unkeyedContainer() {
                var items: [Coordinates] = []
                while !list.isAtEnd { items.append(try list.decode(Coordinates.self)) }
                self = .list(items)
            } else if let number = try? decoder.singleValueContainer().decode(Double.self) {
                self = .number(number)
            } else {
                self = .other
            }
        }

        /// nil for what is no list.
        public var list: [Coordinates]? {
            switch self {
            case .numbers(let numbers): numbers.map(Coordinates.number)
            case .list(let list): list
            case .number, .other: nil
            }
        }

        /// nil for what is no number.
        public var number: Double? {
            if case .number(let number) = self { number } else { nil }
        }
    }

    /// false for a list, a text, a number or nothing, which then has none of the rest.
    public let isObject: Bool
    /// `FeatureCollection`, `Feature`, or the name of a geometry.
    public let type: String?
    public let id: Value?
    public let properties: [String: Value]?
    /// Of a collection.
    public let features: [GeoJSON]?
    /// Of a feature: at most one.
    public let geometry: [GeoJSON]
    /// Of a collection of geometries.
    public let geometries: [GeoJSON]
    public let coordinates: Coordinates?

    private enum Key: String, CodingKey {
        case type, id, properties, features, geometry, geometries, coordinates
    }

    /// Fails for no value that is JSON.
    public init(from decoder: any Decoder) throws {
        let object = try? decoder.container(keyedBy: Key.self)
        func find<Found: Decodable>(_ key: Key, _ type: Found.Type) -> Found? {
            object.flatMap { $0.contains(key) ? try? $0.decode(type, forKey: key) : nil }
        }
        isObject = object != nil
        (type, id) = (find(.type, String.self), find(.id, Value.self))
        (properties, features) = (find(.properties, [String: Value].self), find(.features, [GeoJSON].self))
        geometry = find(.geometry, GeoJSON.self).map { [$0] } ?? []
        (geometries, coordinates) = (find(.geometries, [GeoJSON].self) ?? [], find(.coordinates, Coordinates.self))
    }
}

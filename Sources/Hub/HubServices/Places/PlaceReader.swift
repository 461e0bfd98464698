import Exchange
public import Foundation
public import HubStore

/// Reads hospitals and pharmacies out of GeoJSON (RFC 7946) with OpenStreetMap's tags as properties: one collection, or one feature a line
/// (GeoJSON text sequences, RFC 8142, with or without their record separators).
public struct PlaceReader: Sendable {
    public private(set) var places: [Facility] = []
    /// Unused entries, by the reason.
    public private(set) var unused: [Reason: Int] = [:]
    private var seen: Set<String> = []

    public enum Reason: String, Sendable, Hashable, CaseIterable {
        case otherKind = "neither a hospital nor a pharmacy"
        case noName = "no name"
        case noPlace = "no usable geometry"
        case twice = "in the file twice"
        case broken = "not a feature of GeoJSON"
        case closed = "closed for good"
    }

    /// More than a country has of both.
    public static let placesMax = 500_000
    private static let textMax = 200

    public init() {}

    public enum Problem: Error, CustomStringConvertible {
        case noGeoJSON(String)
        case tooMany
        public var description: String {
            switch self {
            case .noGeoJSON(let why): "This is no GeoJSON: \(why)."
            case .tooMany: "There are more than \(PlaceReader.placesMax) hospitals and pharmacies in it: cut out your region."
            }
        }
    }

    /// Whether a file has one feature a line.
    public static func isSequence(_ data: Data, named file: String) -> Bool {
        [".geojsonl", ".geojsonseq", ".ndjson"].contains(where: file.hasSuffix) || data.first == 0x1E
    }

    /// A whole collection, or a single feature.
    public mutating func read(collection data: Data) throws {
        let root: GeoJSON
        do { root = try JSONDecoder().decode(GeoJSON.self, from: data) } catch { throw Problem.noGeoJSON("it is not whole JSON") }
        guard root.isObject else { throw Problem.noGeoJSON("an object was expected") }
        if root.type == "Feature" { return try take(root) }
        guard root.type == "FeatureCollection", let features = root.features else {
            throw Problem.noGeoJSON("a FeatureCollection was expected")
        }
        for feature in features { try take(feature) }
    }

    /// One line of a sequence.
    public mutating func read(line: some Collection<UInt8>) throws {
        let text = line.drop { $0 == 0x1E || $0 == 0x20 }
        guard !text.isEmpty else { return }
        try take(try? JSONDecoder().decode(GeoJSON.self, from: Data(text)))
    }

    private mutating func take(_ value: GeoJSON?) throws {
        switch place(value) {
        case .success(let place):
            guard places.count < Self.placesMax else { throw Problem.tooMany }
            places.append(place)
        case .failure(let reason): unused[reason.value, default: 0] += 1
        }
    }

    private struct Unused: Error { let value: Reason }

    private mutating func place(_ value: GeoJSON?) -> Result<Facility, Unused> {
        func not(_ reason: Reason) -> Result<Facility, Unused> { .failure(Unused(value: reason)) }
        guard let feature = value, feature.type == "Feature", let tags = feature.properties else { return not(.broken) }
        func tag(_ names: String...) -> String? { Self.text(names.lazy.compactMap { tags[$0]?.text }.first) }
        guard let kind = tag("amenity", "healthcare").flatMap(Facility.Kind.init) ?? tag("healthcare").flatMap(Facility.Kind.init) else {
            return not(.otherKind)
        }
        guard tags.keys.allSatisfy({ !$0.hasPrefix("disused") && !$0.hasPrefix("abandoned") }) else { return not(.closed) }
        guard let name = tag("name", "official_name", "operator", "brand") else { return not(.noName) }
        guard let (latitude, longitude) = feature.geometry.first?.coordinates.flatMap(Self.middle) else { return not(.noPlace) }
        let id = feature.id?.identifier ?? tag("@id") ?? "\(kind) \(name) \(latitude) \(longitude)"
        guard seen.insert(id).inserted else { return not(.twice) }
        let street = [tag("addr:street"), tag("addr:housenumber")].compactMap(\.self).joined(separator: " ")
        let address = [street, tag("addr:city") ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
        return .success(
            Facility(
                kind: kind, name: name, latitude: latitude, longitude: longitude, phone: Self.phone(tag("phone", "contact:phone")),
                address: address.isEmpty ? nil : address, openingHours: tag("opening_hours"), isEmergency: tag("emergency") == "yes"))
    }

    /// One line, not too long; nil for an empty one.
    private static func text(_ text: String?) -> String? {
        let plain = String((text ?? "").unicodeScalars.filter { $0.properties.generalCategory != .control }.prefix(textMax))
        let trimmed = plain.trimmingCharacters(in: .whitespaces)
        return trimmed.isEmpty ? nil : trimmed
    }

    /// The first of several numbers (`;`).
    private static func phone(_ text: String?) -> String? {
        let first = text?.split(separator: ";").first.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
        return first.contains(where: \.isNumber) ? first : nil
    }

    /// A point, or the middle of what surrounds an area.
    private static func middle(_ coordinates: GeoJSON.Coordinates) -> (latitude: Double, longitude: Double)? {
        var box: (west: Double, east: Double, south: Double, north: Double)?
        func take(_ value: GeoJSON.Coordinates, _ depth: Int) {
            guard let list = value.list, depth < 6 else { return }
            if let longitude = list.first?.number, list.count >= 2, let latitude = list[1].number {
                guard (-180...180).contains(longitude), (-90...90).contains(latitude) else { return }
                let old = box ?? (longitude, longitude, latitude, latitude)
                box = (min(old.west, longitude), max(old.east, longitude), min(old.south, latitude), max(old.north, latitude))
            } else {
                for item in list { take(item, depth + 1) }
            }
        }
        take(coordinates, 0)
        return box.map { (($0.south + $0.north) / 2, ($0.west + $0.east) / 2) }
    }
}

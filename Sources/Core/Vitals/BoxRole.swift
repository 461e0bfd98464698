/// Carried by the person, or standing at home and looking after several (EDGE-13).
public enum BoxRole: String, Sendable, Hashable, Codable, CaseIterable {
    case phone, gateway
}

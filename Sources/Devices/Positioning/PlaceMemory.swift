import Foundation
import Sensing
import Vitals

/// Where the learned places of Wi-Fi networks are kept: some ten kilobytes that tell where the wearer lives. Called on one thread.
public struct PlaceStorage: Sendable {
    /// The last saved state; nil when there is none.
    public var load: @Sendable () throws -> [UInt8]?
    /// Replaces it as a whole, or not at all.
    public var save: @Sendable ([UInt8]) throws -> Void

    public init(load: @escaping @Sendable () throws -> [UInt8]?, save: @escaping @Sendable ([UInt8]) throws -> Void) {
        self.load = load
        self.save = save
    }
}

/// ``LearnedPlaces`` with its storage. For one thread.
struct PlaceMemory {
    /// How often is stored at most, in milliseconds: the card wears out, and what was learned since can be learned again.
    private static let saveInterval: Milliseconds = 1_800_000

    private let storage: PlaceStorage
    private let report: @Sendable (SourceProblem) -> Void
    private(set) var places: LearnedPlaces
    private var isChanged = false
    private var savedAt: Milliseconds?
    private var isSaveProblemTold = false

    init(_ storage: PlaceStorage, report: @escaping @Sendable (SourceProblem) -> Void) {
        self.storage = storage
        self.report = report
        var generator = SystemRandomNumberGenerator()
        places = LearnedPlaces(using: &generator)
        do {
            if let bytes = try storage.load() { places = try JSONDecoder().decode(LearnedPlaces.self, from: Data(bytes)) }
        } catch { report(.placesUnreadable(error)) }
    }

    mutating func learn(_ networks: [VisibleNetwork], at fix: PositionSample) {
        if places.learn(networks, at: fix) { isChanged = true }
        if savedAt.map({ fix.time - $0 >= Self.saveInterval }) ?? true { save(at: fix.time) }
    }

    mutating func save(at time: Milliseconds) {
        guard isChanged else { return }
        savedAt = time
        do {
            try storage.save([UInt8](JSONEncoder().encode(places)))
            isChanged = false
            isSaveProblemTold = false
        } catch {
            if !isSaveProblemTold { report(.placesUnsaved(error)) }
            isSaveProblemTold = true
        }
    }
}

extension SourceProblem {
    static func placesUnreadable(_ error: any Error) -> SourceProblem {
        SourceProblem(
            what: "The learned places of Wi-Fi networks cannot be read: \(error)",
            advice: "They are learned anew; nothing needs to be done",
            retries: true)
    }

    static func placesUnsaved(_ error: any Error) -> SourceProblem {
        SourceProblem(
            what: "The learned places of Wi-Fi networks cannot be stored: \(error)",
            advice: "Look whether the disk of this box is full. It is tried again", retries: true)
    }
}

import Configuration
import Seams

extension HubConfiguration {
    /// What whoever signs up accepts, in the operator's own words.
    public struct DocumentTexts: Sendable {
        /// `hub.documents.folder` / `HUB_DOCUMENTS_FOLDER`: a folder with terms and privacy statement in each language (docs/documents.md); the
        /// hub's own without.
        public var folder: String?

        init() {}

        init(_ config: ConfigReader) { folder = config.string(forKey: "folder").flatMap { $0.isEmpty ? nil : $0 } }
    }

    /// The operator's documents; nil for those of the hub.
    /// - Throws: ``HubConfigurationError`` with every mistake in them.
    func operatorDocuments(_ files: any FileSystem = Machine.system.files) throws -> OperatorDocuments? {
        try documents.folder.map { try OperatorDocuments($0, languages: Texts.all.map(\.lang), files: files) }
    }
}

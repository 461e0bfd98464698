import Exchange
import HubServices

/// What results of imports name, as texts have it.
enum ImportProblemNames {
    static let samples = ImportProblem.Code.allCases.map(\.rawValue)
    static let activity = ActivityProblem.Code.allCases.map(\.rawValue)
    static let leftOut =
        ImportReport.LeftOut.allCases.map(\.rawValue) + ActivityFile.LeftOut.allCases.map(\.rawValue)
        + ImportResult.LeftOut.allCases.map(\.rawValue)
    static let formats =
        ImportFile.allCases.filter { ![.takeoutDays, .clinicalDocument, .unknown].contains($0) }.map(\.rawValue)
        + ActivityFile.Format.allCases.map(\.rawValue)
}

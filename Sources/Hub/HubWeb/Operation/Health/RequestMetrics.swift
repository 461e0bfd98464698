import HTTPTypes
import HubServices
import Hummingbird
import SyncProtocol

/// Counts answers by the first word of a route. A segment's request costs one addition; what a stranger asks for makes no label of its own.
final class RequestMetrics: Sendable {
    /// By the class of their status, 1xx to 5xx.
    private final class Answers: Sendable {
        private let classes = (1...5).map { _ in MetricCounter() }

        func add(_ status: Int) { classes[min(max(status / 100, 1), 5) - 1].add() }

        /// - Parameter isWhole: also what did not happen: so that the first failure is seen as one more.
        func samples(_ route: String, isWhole: Bool = false) -> [MetricSample] {
            zip(1..., classes).compactMap { number, counter in
                isWhole || counter.value > 0 ? MetricSample(.requests, counter.value, route, "\(number)xx") : nil
            }
        }
    }

    /// Whose times are told apart.
    enum Kind: String, CaseIterable {
        case urgent, api, pages
    }

    static let other = "other", root = "root", segments = "segments"

    private let segmentAnswers = Answers()
    private let others = Answers()
    private let roots = Answers()
    private let answers: [Substring: Answers]
    private let urgent = MetricHistogram(), api = MetricHistogram(), pages = MetricHistogram()
    private let uptime: @Sendable () -> Duration

    /// - Parameters:
    ///   - routes: whose first words are told apart; all else is `other`.
    ///   - uptime: a clock that nobody sets.
    init(routes: some Sequence<String>, uptime: @escaping @Sendable () -> Duration) {
        let words = Set(routes.compactMap { $0.split(separator: "/").first }.filter { !$0.hasPrefix("{") && !$0.hasPrefix("*") })
        answers = words.reduce(into: [:]) { $0[$1] = Answers() }
        self.uptime = uptime
    }

    /// Of a batch of segments.
    func segments(_ status: Int) { segmentAnswers.add(status) }

    /// Of anything else: has it answered, and counts.
    /// - Parameter path: with or without a query.
    func count(_ path: String, _ answer: () async throws -> Response) async throws -> Response {
        let start = uptime(), first = path.prefix { $0 != "?" }.split(separator: "/", maxSplits: 1).first
        let counted = first.map { answers[$0] ?? others } ?? roots
        do {
            let response = try await answer()
            counted.add(response.status.code)
            histogram(of: path, first).note(uptime() - start)
            return response
        } catch {
            counted.add((error as? any HTTPResponseError)?.status.code ?? 500)
            throw error
        }
    }

    private func histogram(of path: String, _ first: Substring?) -> MetricHistogram {
        UrgentRoutes.contains(path) ? urgent : first == "api" ? api : pages
    }

    var samples: [MetricSample] {
        let routes = answers.sorted { $0.key < $1.key }.flatMap { $1.samples(String($0)) }
        return segmentAnswers.samples(Self.segments, isWhole: true) + roots.samples(Self.root) + routes + others.samples(Self.other)
            + urgent.samples(of: .requestTime, Kind.urgent.rawValue) + api.samples(of: .requestTime, Kind.api.rawValue)
            + pages.samples(of: .requestTime, Kind.pages.rawValue)
    }
}

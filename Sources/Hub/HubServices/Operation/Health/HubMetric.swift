/// The figures of a hub that a monitoring system reads at `/metrics`. Names, labels and units stay as they are from one version to the next
/// (docs/metrics.md). None of them is about a person, and what a label can say is a short list that nobody outside can make longer.
public enum HubMetric: String, CaseIterable, Sendable {
    case ready = "trackme_ready"
    case checkState = "trackme_check_state"
    case build = "trackme_build_info"
    case clock = "trackme_clock_timestamp_seconds"
    case clockLead = "trackme_clock_behind_seconds"
    case clockSynchronized = "trackme_clock_synchronized"
    case diskFree = "trackme_disk_free_bytes"
    case diskSize = "trackme_disk_size_bytes"
    case diskSync = "trackme_disk_sync_seconds"
    case databaseWritable = "trackme_database_writable"
    case databaseWait = "trackme_database_wait_seconds"
    case databaseBytes = "trackme_database_bytes"
    case certificateEnd = "trackme_certificate_end_timestamp_seconds"
    case ways = "trackme_ways"
    case waysFailing = "trackme_ways_failing"
    case sosWorking = "trackme_sos_working"
    case sosCases = "trackme_sos_open_cases"
    case sosUnreached = "trackme_sos_unreached_cases"
    case sosUnreachedAge = "trackme_sos_unreached_seconds"
    case sosUnserved = "trackme_sos_unserved_people"
    case mails = "trackme_mails_waiting"
    case mailsAge = "trackme_mails_waiting_seconds"
    case deliveries = "trackme_webhook_deliveries_waiting"
    case webhooksLate = "trackme_webhooks_late_seconds"
    case timersLate = "trackme_timers_late"
    case mergeSegments = "trackme_merge_waiting_segments"
    case mergeAge = "trackme_merge_waiting_seconds"
    case ingestBatches = "trackme_ingest_batches_total"
    case ingestSegments = "trackme_ingest_segments_total"
    case ingestSamples = "trackme_ingest_samples_total"
    case ingestCommit = "trackme_ingest_commit_seconds"
    case requests = "trackme_requests_total"
    case requestTime = "trackme_request_seconds"
    case connections = "trackme_connections"
    case connectionsMax = "trackme_connections_max"
    case logLines = "trackme_log_lines_total"
    case processCPU = "process_cpu_seconds_total"
    case processMemory = "process_resident_memory_bytes"
    case processFiles = "process_open_fds"
    case processFilesMax = "process_max_fds"
    case processStart = "process_start_time_seconds"

    /// As Prometheus knows them (text format 0.0.4).
    public enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    /// What a figure is.
    public struct Facts: Sendable, Hashable {
        public let kind: Kind
        /// The names of its labels, in the order of ``MetricSample/labels``.
        public let labels: [String]
        /// One sentence.
        public let help: String
    }

    public var facts: Facts {
        switch self {
        case .ready: gauge("1 while /readyz answers 200, else 0.")
        case .checkState: gauge("A check of /readyz: 0 ok, 1 warning, 2 failing.", "check")
        case .build: gauge("Always 1; the label is the version of the program.", "version")
        case .clock: gauge("The time of day of the hub, UTC.")
        case .clockLead: gauge("By how much the clock lies behind the latest time that this process saw; 0 unless it was set back.")
        case .clockSynchronized: gauge("1 while systemd-timesyncd keeps the clock right, else 0; absent where something else does.")
        case .diskFree: gauge("Room left to the hub on the disk of its directory.")
        case .diskSize: gauge("Size of that disk.")
        case .diskSync: gauge("How long the last small file took to the disk (fsync).")
        case .databaseWritable: gauge("1 where the last look could have written, else 0.", "database")
        case .databaseWait: gauge("How long the last look waited for the writer.", "database")
        case .databaseBytes: gauge("Size of a database with its write-ahead log.", "database")
        case .certificateEnd: gauge("When the certificate ends that the hub shows, UTC; absent without TLS.")
        case .ways: gauge("Ways out that are watched: mail, text, voice, push, room.", "way")
        case .waysFailing: gauge("Those of them that fail.", "way")
        case .sosWorking: gauge("1 while an alarm would be seen to, else 0.")
        case .sosCases: gauge("Open cases of AutomatedSOS, tests left out.")
        case .sosUnreached: gauge("Those of them that nobody who can help has taken.")
        case .sosUnreachedAge: gauge("How long the oldest of these is open; 0 for none.")
        case .sosUnserved: gauge("People with AutomatedSOS on whom no way out would serve.")
        case .mails: gauge("Mails that have not left.")
        case .mailsAge: gauge("How long the oldest of them waits; 0 for none.")
        case .deliveries: gauge("Deliveries that wait for receivers of webhooks.")
        case .webhooksLate: gauge("How long a webhook is due that nobody has tried; 0 for none.")
        case .timersLate: gauge("Timers that are late: by a minute, of runs by five.")
        case .mergeSegments: gauge("Segments in the journal that are not merged.")
        case .mergeAge: gauge("How long the oldest of them waits; 0 for none.")
        case .ingestBatches: counter("Batches of segments by what became of them: stored, failed.", "outcome")
        case .ingestSegments: counter("Segments by what became of them: stored, refused, forked.", "outcome")
        case .ingestSamples: counter("Samples that were stored.")
        case .ingestCommit: histogram("How long one commit of batches took, fsync included.")
        case .requests: counter("Answers by the first word of a route and the class of the status.", "route", "status")
        case .requestTime: histogram("From a request to the head of its answer, segments left out: urgent ones, the API, pages.", "kind")
        case .connections: gauge("Open connections.")
        case .connectionsMax: gauge("Connections that the hub takes at once.")
        case .logLines: counter("Lines of the log by their level.", "level")
        case .processCPU: counter("CPU seconds of this process.")
        case .processMemory: gauge("Resident memory of this process.")
        case .processFiles: gauge("Open files of this process.")
        case .processFilesMax: gauge("Files that this process may have open.")
        case .processStart: gauge("When this process began, UTC.")
        }
    }

    private func gauge(_ help: String, _ labels: String...) -> Facts { Facts(kind: .gauge, labels: labels, help: help) }
    private func counter(_ help: String, _ labels: String...) -> Facts { Facts(kind: .counter, labels: labels, help: help) }
    private func histogram(_ help: String, _ labels: String...) -> Facts { Facts(kind: .histogram, labels: labels, help: help) }

    /// The table of docs/metrics.md.
    public static var table: String {
        let rows = allCases.map { metric in
            let facts = metric.facts, labels = facts.labels.map { "`\($0)`" }.joined(separator: ", ")
            return "| `\(metric.rawValue)` | \(facts.kind.rawValue) | \(labels) | \(facts.help) |"
        }
        return (["| name | type | labels | what it says |", "| --- | --- | --- | --- |"] + rows).joined(separator: "\n") + "\n"
    }
}

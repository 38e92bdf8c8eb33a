internal import StepDomain

extension SyncView {
    /// `istep sync --json`.
    public struct Document: Codable, Sendable {
        public struct Notice: Codable, Sendable {
            public var kind: String
            public var message: String
        }

        public struct Failure: Codable, Sendable {
            public var message: String
            @Nullable public var advice: String?
        }

        public struct Entry: Codable, Sendable {
            public var name: String
            public var address: String
            public var model: String
            /// `complete` or `failed`.
            public var outcome: String
            /// ISO 8601 with offset; null where the sync was not begun.
            @Nullable public var start: String?
            @Nullable public var end: String?
            /// Slots that the history did not have, had with fewer steps, had the same; and readings kept apart.
            public var added: Int
            public var grown: Int
            public var unchanged: Int
            public var implausible: Int
            /// Steps that the history gained.
            public var steps: Int
            /// Raw frames kept.
            public var frames: Int
            /// Per cent.
            @Nullable public var battery: Int?
            @Nullable public var connectedSeconds: Double?
            public var notices: [Notice]
            @Nullable public var failure: Failure?
        }

        public var version = 1
        public var pedometers: [Entry]
        /// As `istep share --json` tells them; empty where nothing is shared.
        public var shares: [ShareView.Document.Destination]
    }

    public var document: Document {
        Document(pedometers: reports.map { report in
            Document.Entry(
                name: report.pedometer.name, address: report.pedometer.address, model: report.pedometer.model,
                outcome: report.failure == nil ? "complete" : "failed",
                start: report.record.map { Words.iso($0.start, localTime) },
                end: report.record?.end.map { Words.iso($0, localTime) },
                added: report.counts.added, grown: report.counts.grown, unchanged: report.counts.unchanged,
                implausible: report.counts.implausible, steps: report.counts.steps, frames: report.counts.frames,
                battery: report.battery, connectedSeconds: report.connectedSeconds.flatMap(tenths),
                notices: report.notices.map { Document.Notice(kind: $0.kind, message: words($0, report)) },
                failure: report.failure.map {
                    Document.Failure(message: report.failureText ?? "no reason given", advice: advice($0))
                })
        }, shares: shares?.document.destinations ?? [])
    }

    private func tenths(_ seconds: Double) -> Double? { seconds.isFinite ? (seconds * 10).rounded() / 10 : nil }
}

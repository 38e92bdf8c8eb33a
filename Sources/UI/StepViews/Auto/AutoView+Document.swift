internal import StepDomain

extension AutoView {
    /// `istep auto --json`.
    public struct Document: Codable, Sendable {
        public struct Trigger: Codable, Sendable {
            public var enabled: Bool
            public var active: Bool
            /// ISO 8601 with offset.
            @Nullable public var last: String?
            @Nullable public var next: String?
        }

        public struct Run: Codable, Sendable {
            /// ISO 8601 with offset.
            public var end: String
            /// Null where it was ended by its time limit or a signal.
            @Nullable public var exitCode: Int?
            /// systemd's word.
            public var result: String
        }

        public var version = 1
        /// `user` or `system`.
        public var scope: String
        @Nullable public var user: String?
        /// Null where it is not known, and system-wide.
        @Nullable public var lingers: Bool?
        public var night: Trigger
        public var midnight: Trigger
        public var adapter: Trigger
        public var watch: Trigger
        @Nullable public var lastRun: Run?
    }

    public var document: Document {
        var document = Document(
            scope: "system", user: nil, lingers: nil, night: document(state.night), midnight: document(state.midnight),
            adapter: document(state.adapter), watch: document(state.watch),
            lastRun: state.lastRun.map { Document.Run(end: Words.iso($0.end, localTime), exitCode: $0.exitCode, result: $0.result) })
        if case .user(let name, let lingers) = state.owner {
            document.scope = "user"
            document.user = name
            document.lingers = lingers
        }
        return document
    }

    private func document(_ trigger: Trigger) -> Document.Trigger {
        Document.Trigger(
            enabled: trigger.isEnabled, active: trigger.isActive, last: trigger.last.map { Words.iso($0, localTime) },
            next: trigger.next.map { Words.iso($0, localTime) })
    }
}

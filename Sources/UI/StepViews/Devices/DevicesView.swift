public import StepDomain

/// The pedometers in use.
public struct DevicesView: View {
    public struct Entry: Sendable {
        public var pedometer: Pedometer
        /// The model's title, for people.
        public var model: String
        /// Whose it is.
        public var user: String
        /// The newest, complete or not.
        public var lastSync: SyncRecord?

        public init(pedometer: Pedometer, model: String, user: String, lastSync: SyncRecord?) {
            self.pedometer = pedometer
            self.model = model
            self.user = user
            self.lastSync = lastSync
        }
    }

    let entries: [Entry]
    let now: Timestamp
    let localTime: LocalTime

    public init(_ entries: [Entry], now: Timestamp, localTime: LocalTime) {
        self.entries = entries
        self.now = now
        self.localTime = localTime
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        if entries.isEmpty { page.line("No pedometer yet. Find one: istep scan, then istep add ADDRESS.") }
        let names = entries.map { Printable($0.pedometer.name, limit: 24).description }
        let width = names.map(Columns.of).max() ?? 0
        for (entry, name) in zip(entries, names) {
            page.line(
                InkedText(Columns.pad(name, width), .strong) + "  \(Printable(entry.pedometer.address, limit: 17))  "
                    + InkedText(Printable(entry.user, limit: 24).description))
            page.paragraph(entry.model, ink: .faint, indent: 2)
            page.paragraph(synced(entry.lastSync), indent: 2, hanging: 4)
        }
        return page.lines
    }

    private func synced(_ record: SyncRecord?) -> String {
        guard let record else { return "never synced" }
        guard record.outcome == .complete else { return "last sync " + record.trouble(now: now) }
        let moment = record.end ?? record.start
        return "synced \(Words.ago(moment, now: now)), \(Words.clock(moment, localTime))"
    }
}

extension DevicesView {
    /// `istep devices --json`.
    public struct Document: Codable, Sendable {
        public struct Device: Codable, Sendable {
            public var name: String
            public var address: String
            /// `public` or `random`.
            public var addressType: String
            /// The model's key, such as `colmi`.
            public var model: String
            /// The same for people.
            public var modelTitle: String
            public var user: String
            public var options: [String: String]
            /// All of its history before this moment is in; ISO 8601 with offset.
            @Nullable public var readThrough: String?
            @Nullable public var lastSync: SyncDocument?
        }

        public var version = 1
        public var pedometers: [Device]
    }

    public var document: Document {
        Document(pedometers: entries.map { entry in
            Document.Device(
                name: entry.pedometer.name, address: entry.pedometer.address, addressType: entry.pedometer.addressType,
                model: entry.pedometer.model, modelTitle: entry.model, user: entry.user, options: entry.pedometer.options,
                readThrough: entry.pedometer.cursor.readThrough.map { Words.iso($0, localTime) },
                lastSync: entry.lastSync.map { SyncDocument($0, localTime) })
        })
    }
}

public import StepDomain

/// The pedometers in use.
public struct DevicesView: View {
    public struct Entry: Sendable {
        public var pedometer: Pedometer
        /// The model's title, for people.
        public var model: String
        /// What is not certain about how it is read; nil for a model that is not experimental.
        public var caveat: String?
        /// The user that it belongs to.
        public var user: String
        /// The last ones, newest first.
        public var syncs: [SyncRecord]

        public init(pedometer: Pedometer, model: String, caveat: String? = nil, user: String, syncs: [SyncRecord]) {
            self.pedometer = pedometer
            self.model = model
            self.caveat = caveat
            self.user = user
            self.syncs = syncs
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
        if entries.isEmpty { page.advice(.firstPedometer()) }
        page.list(
            entries, name: \.pedometer.name, limit: 24,
            beside: { StyledText("\(Printable($0.pedometer.address, limit: 17))  \(Printable($0.user, limit: 24))") },
            below: { show($0, on: &$1) })
        return page.lines
    }

    private func show(_ entry: Entry, on page: inout Page) {
        let history = SyncHistory(syncs: entry.syncs)
        page.paragraph(entry.model + (history.battery.map { ", battery \($0) %" } ?? ""), emphasis: .faint, indent: 2)
        if let moment = entry.pedometer.cursor.readThrough {
            page.paragraph("its steps are stored up to \(Words.clock(moment, localTime))", indent: 2, hanging: 4)
        }
        if entry.pedometer.isOfImport {
            if let moment = history.lastComplete?.end {
                page.paragraph("last import \(Words.clock(moment, localTime))", indent: 2, hanging: 4)
            }
            return
        }
        page.paragraph(history.state(now: now, localTime), indent: 2, hanging: 4)
        if let attempts = history.attemptsSince(now: now) {
            page.paragraph(attempts, emphasis: .doubtful, indent: 2, hanging: 4)
        }
    }
}

extension DevicesView {
    /// `istep devices --json`.
    public struct Document: JSONDocument {
        public struct Device: Codable, Sendable {
            public var name: String
            public var address: String
            /// `public` or `random`.
            public var addressType: String
            /// The model's key, such as `colmi`.
            public var model: String
            /// The same for people.
            public var modelTitle: String
            /// What is not certain about how this model is read; null for a model that is not experimental.
            @Nullable public var caveat: String?
            public var user: String
            public var options: [String: String]
            /// All of its history before this moment is stored; ISO 8601 with offset.
            @Nullable public var readThrough: String?
            /// Per cent, as it last reported.
            @Nullable public var battery: Int?
            @Nullable public var lastComplete: SyncDocument?
            /// Complete or not.
            @Nullable public var lastSync: SyncDocument?

            static let schema = JSONSchema.object([
                .init("name", .text, "The name that the user chose."),
                .init("address", .text, "Its Bluetooth address."),
                .init("addressType", .choice(["public", "random"]), "Type of the Bluetooth address."),
                .init("model", .text, "Key of the model, such as colmi."),
                .init("modelTitle", .text, "The model in words."),
                .init("caveat", .nullable(.text), "What is unconfirmed about reading this model; null if nothing is."),
                .init("user", .text, "The user that it belongs to."),
                .init("options", .map(keys: "option", .text), "How a generic pedometer is read."),
                .init("readThrough", .nullable(.time), "All of its steps before this time are in the history."),
                .init("battery", .nullable(.integer), "Per cent, as it last reported."),
                .init("lastComplete", .nullable(SyncDocument.schema), "The last sync that was complete."),
                .init("lastSync", .nullable(SyncDocument.schema), "The last sync, complete or not."),
            ])
        }

        public var version = 1
        public var pedometers: [Device]

        public static let schema = JSONSchema.object([
            .version, .init("pedometers", .list(Device.schema), "The pedometers."),
        ])
    }

    public var document: Document {
        Document(
            pedometers: entries.map { entry in
                let history = SyncHistory(syncs: entry.syncs)
                return Document.Device(
                    name: entry.pedometer.name, address: entry.pedometer.address,
                    addressType: entry.pedometer.addressType,
                    model: entry.pedometer.model, modelTitle: entry.model, caveat: entry.caveat, user: entry.user,
                    options: entry.pedometer.options,
                    readThrough: entry.pedometer.cursor.readThrough.map { Words.iso($0, localTime) },
                    battery: history.battery, lastComplete: history.lastComplete.map { SyncDocument($0, localTime) },
                    lastSync: entry.syncs.first.map { SyncDocument($0, localTime) })
            })
    }
}

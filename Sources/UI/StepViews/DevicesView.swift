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
        var page = TextPage(style)
        if entries.isEmpty { page.advice(.firstPedometer()) }
        page.list(
            entries, name: \.pedometer.name, limit: 24,
            beside: { StyledText("\(Printable($0.pedometer.address, limit: 17))  \(Printable($0.user, limit: 24))") },
            below: { show($0, on: &$1) })
        return page.lines
    }

    private func show(_ entry: Entry, on page: inout TextPage) {
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

/// `istep devices --json`.
extension DevicesView: Described {
    public static let keys: [JSONKey<DevicesView>] = [
        .version,
        .list("pedometers", "The pedometers.") { view in
            view.entries.map { DeviceRecord(entry: $0, localTime: view.localTime) }
        },
    ]
}

private struct DeviceRecord: Described {
    let entry: DevicesView.Entry, localTime: LocalTime

    private var pedometer: Pedometer { entry.pedometer }
    private var history: SyncHistory { SyncHistory(syncs: entry.syncs) }

    static let keys: [JSONKey<DeviceRecord>] = [
        .init(.chosenName) { $0.pedometer.name },
        .init(.address) { $0.pedometer.address },
        .init(.addressType) { $0.pedometer.addressType },
        .init(.model) { $0.pedometer.model },
        .init(.modelTitle) { $0.entry.model },
        .init(.caveat) { $0.entry.caveat },
        .init("user", .text, "The user that it belongs to.") { $0.entry.user },
        .init("options", .map(keys: "option", .text), "How a generic pedometer is read.") { $0.pedometer.options },
        .init("readThrough", .nullable(.time), "All of its steps before this time are in the history.") { device in
            device.pedometer.cursor.readThrough.map { Words.iso($0, device.localTime) }
        },
        .init(.battery) { $0.history.battery },
        .optional("lastComplete", "The last sync that was complete.") { device in
            device.history.lastComplete.map { SyncDocument(record: $0, localTime: device.localTime) }
        },
        .optional("lastSync", "The last sync, complete or not.") { device in
            device.entry.syncs.first.map { SyncDocument(record: $0, localTime: device.localTime) }
        },
    ]
}

extension JSONDocument {
    public static let devices = JSONDocument(
        "devices", "The pedometers; with add, forget and devices --rename the one that was added, removed or renamed.",
        DevicesView.self)
}

/// Peripherals that a scan has heard.
public struct ScanView: View {
    public struct Row: Hashable, Sendable {
        public var address: String
        /// `public` or `random`.
        public var addressType: String
        /// As advertised: hostile.
        public var name: String?
        /// Signal strength in dBm.
        public var rssi: Int?
        /// Key of the model that it is recognised as, such as `colmi`.
        public var model: String?
        /// The model's title, for people.
        public var modelTitle: String?
        /// Services that it advertises.
        public var services: [String]
        public var isConnected: Bool
        public var isPaired: Bool

        public init(
            address: String, addressType: String, name: String? = nil, rssi: Int? = nil, model: String? = nil,
            modelTitle: String? = nil, services: [String] = [], isConnected: Bool = false, isPaired: Bool = false
        ) {
            self.address = address
            self.addressType = addressType
            self.name = name
            self.rssi = rssi
            self.model = model
            self.modelTitle = modelTitle
            self.services = services
            self.isConnected = isConnected
            self.isPaired = isPaired
        }
    }

    let rows: [Row]
    let hidden: Int

    /// - Parameter hidden: devices heard and not listed, because istep does not recognise them.
    public init(rows: [Row], hidden: Int = 0) {
        self.rows = rows
        self.hidden = hidden
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        let names = rows.map { $0.name.map { Printable($0, limit: 24).description } ?? "(no name)" }
        let width = names.map(Columns.of).max() ?? 0
        for (row, name) in zip(rows, names) {
            let signal = row.rssi.map { "\($0) dBm" } ?? "-"
            page.line(
                InkedText(Printable(row.address, limit: 17).description, .strong) + "  \(Columns.padLeft(signal, 8))  "
                    + "\(Columns.pad(name, width))  " + InkedText(Printable(note(row), limit: 40).description, .faint))
        }
        if rows.isEmpty {
            page.paragraph(
                "No pedometer heard. Bring it close and wake it (put a ring on its charger for a moment); a phone that is "
                    + "connected to it hides it.")
        }
        if hidden > 0 {
            page.paragraph(
                "\(Words.count(hidden, "other device")) in range \(hidden == 1 ? "is" : "are") no pedometer that istep "
                    + "recognises; istep scan --all shows \(hidden == 1 ? "it" : "them").", ink: .faint)
        }
        return page.lines
    }

    private func note(_ row: Row) -> String {
        let states = [row.isConnected ? "connected" : nil, row.isPaired ? "paired" : nil].compactMap(\.self)
        let model = row.modelTitle ?? row.model
        // What it is comes last: it is the longest, and the first to be cut.
        return (states + [model].compactMap(\.self)).joined(separator: ", ")
    }
}

extension ScanView {
    /// `istep scan --json`.
    public struct Document: Codable, Sendable {
        public struct Peripheral: Codable, Sendable {
            public var address: String
            public var addressType: String
            @Nullable public var name: String?
            /// dBm.
            @Nullable public var rssi: Int?
            /// Key of the model, null where istep does not recognise it.
            @Nullable public var model: String?
            @Nullable public var modelTitle: String?
            public var services: [String]
            public var connected: Bool
            public var paired: Bool
        }

        public var version = 1
        public var peripherals: [Peripheral]
        /// Devices heard and not listed.
        public var hidden: Int
    }

    public var document: Document {
        Document(
            peripherals: rows.map { row in
                Document.Peripheral(
                    address: row.address, addressType: row.addressType, name: row.name, rssi: row.rssi, model: row.model,
                    modelTitle: row.modelTitle, services: row.services, connected: row.isConnected, paired: row.isPaired)
            }, hidden: hidden)
    }
}

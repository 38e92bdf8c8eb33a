package import StepDomain
public import StepServices

/// Peripherals that a scan has heard.
public struct ScanView: View {
    let rows: [ScannedDevice]
    /// Devices heard and not listed, because istep does not recognise them.
    var hidden = 0
    /// Only devices with some name or service were searched for.
    var isFiltered = false
    /// Nil for a scan that connects to no device.
    var probing: Probing?
    /// The names of the pedometers of the history, by address.
    var registered: [String: String] = [:]
    /// The beginning of the name that was searched for.
    var namePrefix: String?
    /// Names in range that do not begin with it.
    var otherNames: [String] = []

    /// What a scan that connects to devices has found out.
    struct Probing: Sendable {
        /// Devices listed that were not connected to, and devices that were neither listed nor connected to.
        var skipped = 0, unlisted = 0
        /// How many it connects to at most.
        let limit: Int
        /// Whether the user has interrupted it.
        var isInterrupted = false
        /// Why devices could not be connected to, by address.
        var failures: [String: String] = [:]
        /// The model that a device's name indicates and its services do not show, by address.
        var refuted: [String: String] = [:]

        fileprivate var reason: String { isInterrupted ? "the command was interrupted" : "at most \(limit) are" }
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        let names = rows.map { $0.name.map { Printable($0, limit: 24).description } ?? "(no name)" }
        let width = names.map(Columns.of).max() ?? 0
        let notes = rows.map { Printable(Self.note($0, registeredAs: registered[$0.address]), limit: 120).description }
        // The names and notes go below the devices if one of them has no room beside. Address, signal and blanks take
        // 29 columns.
        let areNamesBelow = 29 + width > style.width
        let areBelow = areNamesBelow || 31 + width + (notes.map(Columns.of).max() ?? 0) > style.width
        for ((row, name), note) in zip(zip(rows, names), notes) {
            let signal = row.rssi.map { "\($0) dBm" } ?? "-"
            let device =
                StyledText(Printable(row.address, limit: 17).description, .strong) + "  \(Columns.padLeft(signal, 8))  "
            let beside = areNamesBelow ? "" : areBelow ? name : Columns.pad(name, width) + "  "
            page.row(device + StyledText(beside) + StyledText(areBelow ? "" : note, .faint))
            if areNamesBelow { page.wrap(StyledText("    " + name), hanging: 4) }
            if areBelow, !note.isEmpty { page.paragraph(note, emphasis: .faint, indent: 4) }
            if let model = probing?.refuted[row.address] {
                page.paragraph(
                    "Its services are not those of this model: \(Printable(model, limit: 100)).", emphasis: .doubtful,
                    indent: 4)
            }
            if let failure = probing?.failures[row.address] {
                page.paragraph(
                    "Its services are not known: \(Printable(failure, limit: 200))", emphasis: .doubtful, indent: 4)
            }
        }
        let experimental = rows.compactMap(\.kind).filter(\.isExperimental)
        for (index, kind) in experimental.enumerated() where experimental.firstIndex(of: kind) == index {
            page.paragraph("\(kind.title) is experimental: \(kind.caveat ?? "")", emphasis: .doubtful, hanging: 4)
        }
        if rows.isEmpty {
            let advice = Advice.noneInRange.markup
            if isFiltered || hidden + (probing?.unlisted ?? 0) > 0 {
                let name = namePrefix.map {
                    "No device was found whose name begins with '\(Printable($0))' (in upper or lower case). "
                }
                let names = otherNames.map { Printable($0).description }.joined(separator: ", ")
                page.paragraph(
                    (name ?? "No pedometer found. ") + (names.isEmpty ? "" : "Names in range: \(names). ") + advice)
            } else {
                page.advice(
                    """
                    No pedometer found, and no other Bluetooth device was heard. \(advice) If other devices are near, the adapter may not \
                    receive: \(command: "istep doctor")
                    """)
            }
        }
        if hidden > 0 {
            page.advice(
                """
                \(Words.count(hidden, "other device")) in range \(hidden == 1 ? "is" : "are") not recognised as \(hidden == 1 ? "a pedometer" : "pedometers"). \
                To see \(hidden == 1 ? "it" : "them"): \(command: "istep scan --all")
                """, emphasis: .faint)
        }
        if let probing, probing.skipped > 0 {
            page.advice(
                """
                \(probing.skipped) of these devices \(probing.skipped == 1 ? "was" : "were") not connected to: \(probing.reason). \
                To see the services of one: \(command: "istep gatt list ADDRESS")
                """, emphasis: .faint)
        }
        if let probing, probing.unlisted > 0 {
            page.advice(
                """
                \(Words.count(probing.unlisted, "other device")) in range \(probing.unlisted == 1 ? "was" : "were") not connected to: \
                \(probing.reason). To see \(probing.unlisted == 1 ? "it" : "them"): \(command: "istep scan --all")
                """, emphasis: .faint)
        }
        let unknown = rows.count { $0.kind == nil && registered[$0.address] == nil }
        if unknown > 0 {
            // A scan that connects to devices has looked at their services already.
            let probe: Advice =
                probing == nil ? "To recognise a model by its services: \(command: "istep scan --all --probe")" : ""
            page.advice(
                """
                \(unknown) of these devices \(unknown == 1 ? "is" : "are") of no known model. \(probe) \
                If one is your pedometer, find the value with its steps, and register it: \
                \(command: "istep gatt list ADDRESS"), \
                \(command: "istep add ADDRESS --model generic --service UUID --characteristic UUID")
                """, emphasis: .faint)
        }
        return page.lines
    }

    /// What is known of a device, in words.
    package static func note(_ row: ScannedDevice, registeredAs name: String?) -> String {
        let name = name.map { "registered as '\(Printable($0, limit: 32))'" }
        let states = [name, row.isConnected ? "connected" : nil, row.isPaired ? "paired" : nil].compactMap(\.self)
        let kind = row.kind.map { kind in
            (row.evidence.map { "\(words($0)): " } ?? "") + kind.title
                + (kind.isExperimental ? " (experimental)" : "")
        }
        return (states + [kind].compactMap(\.self)).joined(separator: ", ")
    }

    /// What shows the model, from the name, which others may have, too, to all services of the device.
    private static func words(_ evidence: KindEvidence) -> String {
        switch evidence {
        case .name: "by its name"
        case .advertisedData: "by its data"
        case .advertisedService: "by its service"
        case .services: "by its services"
        }
    }
}

extension ScanView {
    public init(_ report: ScanReport) {
        self.init(
            rows: report.devices, hidden: report.hidden, isFiltered: report.isFiltered,
            probing: report.probing.map {
                Probing(
                    skipped: $0.skipped, unlisted: $0.unlisted, limit: $0.limit, isInterrupted: $0.isInterrupted,
                    failures: $0.failures.mapValues { "\($0)" }, refuted: $0.refuted.mapValues(\.title))
            }, registered: report.registered, namePrefix: report.namePrefix, otherNames: report.otherNames)
    }
}

/// `istep scan --json`.
extension ScanView: Described {
    public static let keys: [JSONKey<ScanView>] = [
        .version,
        .list("peripherals", "The strongest signal first.") { view in
            view.rows.map { Peripheral(row: $0, registeredAs: view.registered[$0.address]) }
        },
        .init("hidden", .integer, "Number of devices that were heard and are not listed.") {
            $0.hidden + ($0.probing?.unlisted ?? 0)
        },
    ]
}

private struct Peripheral: Described {
    let row: ScannedDevice, registeredAs: String?

    static let keys: [JSONKey<Peripheral>] = [
        .init(.address) { $0.row.address },
        .init(.addressType) { $0.row.addressType },
        .init("name", .nullable(.text), "As it advertises it.") { $0.row.name },
        .init("rssi", .nullable(.integer), "Signal strength in dBm.") { $0.row.rssi },
        .init("model", .nullable(.text), "Key of the model; null where istep does not recognise it.") {
            $0.row.kind?.key
        },
        .init("modelTitle", .nullable(.text), "The model in words.") { $0.row.kind?.title },
        .init(
            "evidence", .nullable(.choice(KindEvidence.allCases.map { "\($0)" })),
            "How the model was recognised, from the weakest evidence to the strongest; services: after a connection."
        ) { $0.row.evidence.map { "\($0)" } },
        .init(.caveat) { $0.row.kind?.caveat },
        .init("services", .list(.text), "UUIDs of the services that it advertises.") { $0.row.services },
        .init("connected", .boolean, "This machine is connected to it.") { $0.row.isConnected },
        .init("paired", .boolean, "It is paired with this machine.") { $0.row.isPaired },
        .init("registeredAs", .nullable(.text), "The user's name for it; null for one that is not registered.") {
            $0.registeredAs
        },
    ]
}

extension JSONDocument {
    public static let scan = JSONDocument(
        "scan", "Devices that the scan has heard.",
        ScanView.self)
}

/// What the commands print with `--json`, one document each: the reference for people, and as JSON Schema.
public enum JSONReference {
    public struct Entry: Sendable {
        /// The name of the document, such as `show`.
        public let name: String
        /// The command lines that print it, without `istep` and `--json`.
        public let commands: [String]
        let summary: String
        let schema: JSONSchema

        fileprivate init(_ name: String, _ commands: [String], _ summary: String, _ document: any JSONOutput.Type) {
            self.name = name
            self.commands = commands
            self.summary = summary
            schema = document.schema
        }
    }

    public static let documents = [
        Entry("scan", ["scan"], "Devices that the scan has heard.", JSONRecord<ScanView>.self),
        Entry("gatt", ["gatt list"], "Services and values of a device.", JSONRecord<GATTTableView>.self),
        Entry(
            "value", ["gatt read", "gatt write", "gatt notify"],
            "A value of a device; with gatt notify one such document for each value.",
            JSONRecord<GATTValueView>.self),
        Entry("capture", ["gatt capture"], "The file with the raw frames of a sync.", JSONRecord<CaptureView>.self),
        Entry(
            "devices", ["devices", "add", "forget"],
            "The pedometers; with add, forget and devices --rename the one that was added, removed or renamed.",
            JSONRecord<DevicesView>.self),
        Entry(
            "sync", ["sync", "watch"],
            "What a sync read and shared. watch prints one such document for each of its syncs.",
            JSONRecord<SyncView>.self),
        Entry(
            "live", ["watch --live"], "Live steps of all connected pedometers, a line each time they change.",
            JSONRecord<LiveDocument>.self),
        Entry("show", ["show", "correct"], "A day of a user.", JSONRecord<DayView>.self),
        Entry(
            "explanation", ["show --explain"], "The samples and syncs behind the figures of a day.",
            JSONRecord<DayExplanationView>.self),
        Entry(
            "history", ["history"], "A week, month, year or any range of days of a user.",
            JSONRecord<HistoryView>.self),
        Entry(
            "status", ["status"], "Notices, and for each user today's steps and the pedometers.",
            JSONRecord<StatusView>.self),
        Entry("import", ["import"], "What an import would change, or has changed.", JSONRecord<ImportView>.self),
        Entry(
            "takeover", ["import EXPORT"], "An export that becomes the history, or would become it.",
            JSONRecord<ExportRestoreView>.self),
        Entry("export", ["export FILE"], "The export that was written.", JSONRecord<ExportView>.self),
        Entry("formats", ["import --formats"], "The formats that can be imported.", JSONRecord<FormatsView>.self),
        Entry("imports", ["imports list"], "What was imported, from where and when.", JSONRecord<ImportsView>.self),
        Entry(
            "removal", ["imports remove"], "What taking an import back would change, or has changed.",
            JSONRecord<ImportRemovalView>.self),
        Entry(
            "replay", ["replay"], "What decoding stored frames again would change, or has changed.",
            JSONRecord<ReplayView>.self),
        Entry(
            "profile", ["profile"], "A user's height, weight and so on, by the day from which they hold.",
            JSONRecord<ProfileView>.self),
        Entry("plan", ["plan"], "A user's goals, by the day from which they hold.", JSONRecord<PlanView>.self),
        Entry(
            "share", ["share", "outbox send", "outbox retry"], "What was sent to each destination.",
            JSONRecord<ShareView>.self),
        Entry("previews", ["share --dry-run"], "What would be sent.", JSONRecord<PreviewView>.self),
        Entry("destinations", ["share --list"], "The destinations that are set up.", JSONRecord<DestinationsView>.self),
        Entry(
            "outbox", ["outbox list", "outbox drop", "share --queue"],
            "Days of the outbox: those that wait, those that were dropped, or those that were just put into it.",
            JSONRecord<OutboxView>.self),
        Entry(
            "auto", ["auto on", "auto off", "auto status"], "Automatic sync: what starts it, and how it ran last.",
            JSONRecord<AutoView>.self),
        Entry(
            "config", ["config check"], "The configuration's files and all that is wrong with them.",
            JSONRecord<ConfigView>.self),
        Entry("kinds", ["config kinds"], "The kinds of destinations.", JSONRecord<KindsView>.self),
        Entry("example", ["config example"], "An example configuration.", JSONRecord<ExampleView>.self),
        Entry("doctor", ["doctor"], "What each check has found.", JSONRecord<DoctorView>.self),
        Entry(
            "repair", ["doctor --repair"], "What was saved of a damaged history, and what is lost.",
            JSONRecord<RepairView>.self),
        Entry(
            "users", ["users", "users add", "users rename"], "The users; with add and rename the one that was changed.",
            JSONRecord<UsersView>.self),
        Entry("move", ["move"], "What a move to another user would change, or has changed.", JSONRecord<MoveView>.self),
        Entry(
            "deletion", ["delete", "users remove"], "What a deletion would lose, or has lost.",
            JSONRecord<DeletionView>.self),
        Entry(
            "readmission", ["delete --readmit"], "Deleted days that syncs and imports may bring again.",
            JSONRecord<ReadmissionView>.self),
        Entry("backup", ["backup"], "The backup that was made.", JSONRecord<BackupView>.self),
        Entry("backups", ["restore"], "The backups that are there.", JSONRecord<BackupsView>.self),
        Entry("restore", ["restore FILE"], "What a restore would do, or has done.", JSONRecord<RestoreView>.self),
        Entry(
            "inspection", ["postgres check"], "What a shared database lacks, or has otherwise than this istep needs.",
            JSONRecord<InspectionView>.self),
        Entry(
            "rebuilding", ["restore --from"], "A history that is built from a shared database, or would be.",
            JSONRecord<SharedRestoreView>.self),
        Entry("report", ["report -o FILE"], "The report that was written.", JSONRecord<ReportView>.self),
        Entry("serve", ["serve"], "The address of the local pages.", JSONRecord<ServeView>.self),
        Entry(
            "guests", ["serve --guests HOST"], "Where the web server in front of the guests' pages finds them.",
            JSONRecord<GuestsView>.self),
        Entry("version", ["--version"], "The program's version.", JSONRecord<VersionDocument>.self),
        Entry(
            "error", ["any command that fails"],
            "What failed. Printed in place of the usual document; standard error has the same text.",
            JSONRecord<ErrorDocument>.self),
    ]

    /// The documents of a command, or the one of a name; all if there are no words.
    ///
    /// - Parameter words: the beginning of a command line without `istep`, such as `gatt list`.
    public static func documents(of words: [String]) -> [Entry] {
        documents.filter { entry in
            words == [entry.name]
                || entry.commands.contains { $0.split(separator: " ").map(String.init).starts(with: words) }
        }
    }

    /// The subcommands that print documents, in the order of the reference.
    public static var subcommands: [String] {
        documents.filter { $0.name != "error" && $0.name != "version" }.flatMap(\.commands).reduce(into: []) {
            known, command in
            let word = String(command.prefix { $0 != " " })
            if !known.contains(word) { known.append(word) }
        }
    }

    // MARK: As JSON Schema

    /// Documents as one JSON Schema (draft 2020-12), each under `$defs` by its name, with those that they refer to.
    public static func schema(of entries: [Entry] = JSONReference.documents) throws -> String {
        try JSONText.pretty(Whole(entries: entries))
    }

    private struct Whole: Encodable {
        let entries: [Entry]

        func encode(to encoder: any Encoder) throws {
            let defined = Set(entries.map(\.name) + entries.flatMap(\.schema.references))
            var container = encoder.container(keyedBy: JSONSchema.Word.self)
            try container.encode("https://json-schema.org/draft/2020-12/schema", forKey: "$schema")
            try container.encode("Output of istep with --json", forKey: "title")
            try container.encode(entries.map { JSONSchema.document($0.name) }, forKey: "anyOf")
            var definitions = container.nestedContainer(keyedBy: JSONSchema.Word.self, forKey: "$defs")
            for entry in documents where defined.contains(entry.name) {
                try definitions.encode(Definition(entry: entry), forKey: .init(entry.name))
            }
        }
    }

    private struct Definition: Encodable {
        let entry: Entry

        func encode(to encoder: any Encoder) throws {
            try entry.schema.encode(to: encoder)
            var container = encoder.container(keyedBy: JSONSchema.Word.self)
            try container.encode(entry.title, forKey: "title")
            try container.encode(entry.summary, forKey: "description")
        }
    }

    // MARK: For people

    /// The reference as text.
    public static func lines(_ style: TextStyle, of entries: [Entry] = JSONReference.documents) -> [String] {
        var page = Page(style)
        if entries.count == documents.count {
            page.paragraph(
                """
                With --json a command prints one JSON document on standard output, even if it fails. Each has the key version: 1. This \
                number changes when a key is renamed or removed or its meaning changes. All keys are always present; an unknown value \
                is null. Later versions of istep may add keys: ignore keys that you do not know.
                """)
        }
        for entry in entries {
            if !page.lines.isEmpty { page.blank() }
            page.wrap(StyledText(entry.title, .strong), hanging: 2)
            page.paragraph(entry.summary, indent: 2)
            if case .object(let keys) = entry.schema { show(keys, 2, on: &page) }
        }
        return page.lines
    }

    private static func show(_ keys: [JSONSchema.Key], _ indent: Int, on page: inout Page) {
        for key in keys where key.name != "version" {
            let note = (key.isDeprecated ? "Deprecated. " : "") + key.description
            page.wrap(
                StyledText(String(repeating: " ", count: indent)) + StyledText(key.name, .strong)
                    + StyledText(": \(key.schema.words). \(note)"),
                hanging: indent + 4)
            if let inner = key.schema.innerKeys { show(inner, indent + 2, on: &page) }
        }
    }
}

extension JSONReference.Entry {
    fileprivate var title: String {
        name == "error" ? commands[0] : commands.map { "istep \($0)" }.joined(separator: ", ")
    }
}

extension JSONSchema {
    /// The kind of value, for people.
    fileprivate var words: String {
        switch self {
        case .text: "text"
        case .integer: "whole number"
        case .number: "number"
        case .boolean: "true or false"
        case .day: "date"
        case .time: "time with offset"
        case .choice(let words):
            words.count == 1 ? words[0] : words.dropLast().joined(separator: ", ") + " or \(words.last ?? "")"
        case .constant(let number): "\(number)"
        case .list(let item): "list of \(item.innerKeys == nil ? item.words : "objects")"
        case .map(let keys, let value): "object by \(keys): \(value.words)"
        case .object: "object"
        case .nullable(let value): "\(value.words); or null"
        case .document(let name): "object as of \(name)"
        }
    }

    /// Names of the documents in this value.
    fileprivate var references: [String] {
        switch self {
        case .document(let name): [name]
        case .object(let keys): keys.flatMap(\.schema.references)
        case .list(let item), .nullable(let item), .map(_, let item): item.references
        default: []
        }
    }

    /// The keys of the objects in this value, directly or in a list.
    fileprivate var innerKeys: [Key]? {
        switch self {
        case .object(let keys): keys
        case .list(let item), .nullable(let item): item.innerKeys
        default: nil
        }
    }
}

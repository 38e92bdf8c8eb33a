public import StepDomain
public import StepServices

/// The imports of a history.
public struct ImportsView: View {
    let imports: [ImportRecord]
    let users: [User]
    let formats: [ForeignFormat]
    let localTime: LocalTime

    public init(_ imports: [ImportRecord], users: [User], formats: [ForeignFormat], localTime: LocalTime) {
        self.imports = imports
        self.users = users
        self.formats = formats
        self.localTime = localTime
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        if imports.isEmpty { page.advice("Nothing was imported. To import a file: \(command: "istep import FILE")") }
        for record in imports {
            page.row(
                StyledText("\(record.id)", .strong)
                    + StyledText(
                        "  \(title(record)), \(Words.clock(record.at, localTime)), \(Printable(name(record), limit: 24))"
                    ))
            page.paragraph(
                record.sources.map { Printable($0, limit: 64).description }.joined(separator: ", "), indent: 4)
            if let first = record.firstDay, let last = record.lastDay {
                let days = Words.count(record.changedDays, "day")
                page.paragraph(
                    "\(Words.days(first, last)), \(Words.count(record.steps, "step")); added or changed \(days)",
                    indent: 4)
            }
            let decided = [
                ImportView.Decision.corrections.count(record.corrections),
                ImportView.Decision.exclusions.count(record.exclusions),
            ].compactMap(\.self)
            if !decided.isEmpty { page.paragraph(decided.joined(separator: ", "), indent: 4) }
            page.path("   ", record.path, emphasis: .faint)
        }
        return page.lines
    }

    private func title(_ record: ImportRecord) -> String {
        formats.first { $0.key == record.format }?.title ?? record.format
    }
    private func name(_ record: ImportRecord) -> String { users.first { $0.id == record.user }?.name ?? "" }
}

/// `istep imports --json`.
extension ImportsView: Described {
    public static let keys: [JSONKey<ImportsView>] = [
        .version,
        .list("imports", "The oldest first.") { view in
            view.imports.map { Entry(record: $0, user: view.name($0), localTime: view.localTime) }
        },
    ]
}

private struct Entry: Described {
    let record: ImportRecord, user: String, localTime: LocalTime

    static let keys: [JSONKey<Entry>] = [
        .init("id", .integer, "Its number.") { $0.record.id },
        .init("user", .text, "The user whose steps they are.") { $0.user },
        .init("time", .time, "When it was made.") { Words.iso($0.record.at, $0.localTime) },
        .init(.path) { $0.record.path },
        .init("format", .text, "Key of the format.") { $0.record.format },
        .init("digest", .text, "Equal for files that say the same of the same sources.") { $0.record.digest },
        .init("sources", .list(.text), "The names of its sources.") { $0.record.sources },
        .init("days", .integer, "Days that it has.") { $0.record.days },
        .init("steps", .integer, "Steps that it has, of all sources.") { $0.record.steps },
        .init("firstDay", .nullable(.day), "Its first day.") { $0.record.firstDay?.description },
        .init("lastDay", .nullable(.day), "Its last day.") { $0.record.lastDay?.description },
        .init("changedDays", .integer, "Days whose steps were different after it.") { $0.record.changedDays },
        .init("corrections", .integer, "Corrected days of another history that it has brought.") {
            $0.record.corrections
        },
        .init("exclusions", .integer, "Blocks of excluded time of another history that it has brought.") {
            $0.record.exclusions
        },
    ]
}

/// What taking an import back would change, or has changed.
public struct ImportRemovalView: View {
    let record: ImportRecord
    let removal: Importing.Removal

    public init(_ record: ImportRecord, _ removal: Importing.Removal) {
        self.record = record
        self.removal = removal
    }

    private var changes: ImportChanges { removal.changes }
    private var isDone: Bool { removal.backup != nil }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        page.path("\(isDone ? "Took back" : "Would take back") import \(record.id):", record.path)
        let gone = changes.days.filter { $0.after == nil }, changed = changes.days.filter { $0.after != nil }
        if let first = gone.first?.day, let last = gone.last?.day {
            let steps = Words.count(gone.reduce(0) { $0 + ($1.before ?? 0) }, "step")
            page.labelled(
                "Gone", StyledText("\(Words.count(gone.count, "day")), \(Words.days(first, last)), \(steps)"),
                width: 12)
        }
        page.labelled(
            "Changed",
            StyledText(
                changed.isEmpty ? (gone.isEmpty ? "no day" : "no other day") : Words.count(changed.count, "day")),
            width: 12)
        page.changedDays(changed) { $2.labelled("", StyledText($0, $1), width: 12) }
        for (kind, counts) in [
            (ImportView.Decision.corrections, changes.corrections), (.exclusions, changes.exclusions),
        ] {
            if let taken = kind.count(counts.taken) { page.labelled("", StyledText(taken), width: 12) }
        }
        removal.destinations.show(on: &page, isWholeUser: false)
        if let backup = removal.backup { page.backupBefore(backup) }
        return page.lines
    }
}

/// `istep imports remove --json`.
extension ImportRemovalView: Described {
    public static let keys: [JSONKey<ImportRemovalView>] = [
        .version,
        .list("shared", "Destinations that keep days which istep cannot take back there.") {
            $0.removal.destinations.filter { $0.kind == .keeps }.map(Keeper.init)
        },
        .list("destinations", "Destinations that have days of which nothing is known any more.") {
            $0.removal.destinations
        },
        .init("id", .integer, "Number of the import.") { $0.record.id },
        .init("path", .text, "Of its file or folder.") { $0.record.path },
        .list("changes", "Days with other steps than before.") { $0.changes.days },
        .init("corrections", .integer, "Corrected days that it has brought, and that are taken back.") {
            $0.changes.corrections.taken
        },
        .init("exclusions", .integer, "Blocks of excluded time that it has brought, and that are taken back.") {
            $0.changes.exclusions.taken
        },
        .init("isDone", .boolean, "Whether it was taken back.") { $0.isDone },
        .init(.backup) { $0.removal.backup },
    ]
}

private struct Keeper: Described {
    let days: DestinationFate

    static let keys: [JSONKey<Keeper>] = [
        .init("name", .text, "Of a destination.") { $0.days.name },
        .init("days", .integer, "Days that it keeps, and of which nothing is known any more.") { $0.days.days },
    ]
}

/// The formats that can be imported.
public struct FormatsView: View {
    let formats: [ForeignFormat]

    public init(_ formats: [ForeignFormat]) { self.formats = formats }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        for format in formats { page.labelled(format.key, StyledText("\(format.title): \(format.files)"), width: 18) }
        return page.lines
    }
}

/// `istep import --formats --json`.
extension FormatsView: Described {
    public static let keys: [JSONKey<FormatsView>] = [
        .version, .list("formats", "In the order in which they are recognised.") { $0.formats },
    ]
}

extension ForeignFormat: Described {
    public static let keys: [JSONKey<ForeignFormat>] = [
        .init("key", .text, "The word of --format.") { $0.key }, .init("title", .text, "The program.") { $0.title },
        .init("files", .text, "Which files it has.") { $0.files },
    ]
}

extension JSONDocument {
    public static let formats = JSONDocument(
        "formats", "The formats that can be imported.",
        FormatsView.self)
    public static let imports = JSONDocument(
        "imports", "What was imported, from where and when.",
        ImportsView.self)
    public static let removal = JSONDocument(
        "removal", "What taking an import back would change, or has changed.",
        ImportRemovalView.self)
}

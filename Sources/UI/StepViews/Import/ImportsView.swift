public import StepDomain

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
        var page = Page(style)
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
            page.path("   ", record.path, emphasis: .faint)
        }
        return page.lines
    }

    private func title(_ record: ImportRecord) -> String {
        formats.first { $0.key == record.format }?.title ?? record.format
    }
    private func name(_ record: ImportRecord) -> String { users.first { $0.id == record.user }?.name ?? "" }

    /// `istep imports --json`.
    public struct Document: JSONDocument {
        public struct Entry: Codable, Sendable {
            public var id: Int64
            public var user: String
            public var time: String
            public var path: String
            public var format: String
            public var digest: String
            public var sources: [String]
            public var days: Int
            public var steps: Int
            @Nullable public var firstDay: String?
            @Nullable public var lastDay: String?
            public var changedDays: Int
        }

        public var version = 1
        public var imports: [Entry]

        public static let schema = JSONSchema.object([
            .version,
            .init(
                "imports",
                .list(
                    .object([
                        .init("id", .integer, "Its number."),
                        .init("user", .text, "The user whose steps they are."),
                        .init("time", .time, "When it was made."),
                        .init("path", .text, "Of the file or folder."),
                        .init("format", .text, "Key of the format."),
                        .init("digest", .text, "Equal for files that say the same of the same sources."),
                        .init("sources", .list(.text), "The names of its sources."),
                        .init("days", .integer, "Days that it has."),
                        .init("steps", .integer, "Steps that it has, of all sources."),
                        .init("firstDay", .nullable(.day), "Its first day."),
                        .init("lastDay", .nullable(.day), "Its last day."),
                        .init("changedDays", .integer, "Days whose steps were different after it."),
                    ])), "The oldest first."),
        ])
    }

    public var document: Document {
        Document(
            imports: imports.map { record in
                Document.Entry(
                    id: record.id, user: name(record), time: Words.iso(record.at, localTime), path: record.path,
                    format: record.format,
                    digest: record.digest, sources: record.sources, days: record.days, steps: record.steps,
                    firstDay: record.firstDay?.description, lastDay: record.lastDay?.description,
                    changedDays: record.changedDays)
            })
    }
}

/// What taking an import back would change, or has changed.
public struct ImportRemovalView: View {
    let record: ImportRecord
    let changes: ImportChanges
    let state: ImportView.State

    public init(_ record: ImportRecord, _ changes: ImportChanges, _ state: ImportView.State) {
        self.record = record
        self.changes = changes
        self.state = state
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        page.path("\(state == .preview ? "Would take back" : "Took back") import \(record.id):", record.path)
        let unknown = changes.days.count { $0.after == nil }
        page.labelled(
            "Days",
            StyledText("\(changes.days.count) with other steps, of \(unknown) of them nothing is known any more"),
            width: 12)
        for shared in changes.shared {
            page.paragraph(
                "\(Printable(shared.name, limit: 32)) keeps \(Words.count(shared.days, "day")) of these: istep sends no unknown day. Delete \(shared.days == 1 ? "it" : "them") there.",
                emphasis: .doubtful, hanging: 2)
        }
        if case .stored(let backup?) = state { page.path("The history before it is kept:", backup) }
        return page.lines
    }

    /// `istep imports remove --json`.
    public struct Document: JSONDocument {
        public var version = 1
        public var id: Int64
        public var path: String
        public var changes: [DayChangeDocument]
        public var shared: [ImportView.Document.Overlap]
        public var isDone: Bool
        @Nullable public var backup: String?

        public static let schema = JSONSchema.object([
            .version,
            .init(
                "shared",
                .list(
                    .object([
                        .init("name", .text, "Of a destination."),
                        .init("days", .integer, "Days that it keeps, and of which nothing is known any more."),
                    ])), "Destinations that keep days which istep cannot take back there."),
            .init("id", .integer, "Number of the import."),
            .init("path", .text, "Of its file or folder."),
            .init("changes", .list(DayChangeDocument.schema), "Days with other steps than before."),
            .init("isDone", .boolean, "Whether it was taken back."),
            .init("backup", .nullable(.text), "The backup that was made before."),
        ])
    }

    public var document: Document {
        var backup: String?
        if case .stored(let path) = state { backup = path }
        return Document(
            id: record.id, path: record.path, changes: changes.days.map(DayChangeDocument.init),
            shared: changes.shared.map { .init(name: $0.name, days: $0.days) }, isDone: state != .preview,
            backup: backup)
    }
}

/// The formats that can be imported.
public struct FormatsView: View {
    let formats: [ForeignFormat]

    public init(_ formats: [ForeignFormat]) { self.formats = formats }

    public func lines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        for format in formats { page.labelled(format.key, StyledText("\(format.title): \(format.files)"), width: 18) }
        return page.lines
    }

    /// `istep import --formats --json`.
    public struct Document: JSONDocument {
        public struct Format: Codable, Sendable {
            public var key: String
            public var title: String
            public var files: String
        }

        public var version = 1
        public var formats: [Format]

        public static let schema = JSONSchema.object([
            .version,
            .init(
                "formats",
                .list(
                    .object([
                        .init("key", .text, "The word of --format."), .init("title", .text, "The program."),
                        .init("files", .text, "Which files it has."),
                    ])), "In the order in which they are recognised."),
        ])
    }

    public var document: Document {
        Document(formats: formats.map { .init(key: $0.key, title: $0.title, files: $0.files) })
    }
}

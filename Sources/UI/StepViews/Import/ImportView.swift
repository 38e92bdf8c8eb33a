public import StepDomain

/// What an import would change, or has changed.
public struct ImportView: View {
    public enum State: Sendable, Equatable {
        case preview
        /// With the path of the backup that was made before; nil if there was no history.
        case stored(backup: String?)
    }

    let history: ForeignHistory
    let changes: ImportChanges
    let state: State

    public init(_ history: ForeignHistory, _ changes: ImportChanges, _ state: State) {
        self.history = history
        self.changes = changes
        self.state = state
    }

    /// Days that are listed with their steps.
    private static let listed = 8

    public func lines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        page.path("\(history.format.title):", history.path)
        if history.isEmpty {
            page.paragraph("It has no steps: there is nothing to import.", indent: 2)
            showNotes(on: &page)
            return page.lines
        }
        for (index, track) in history.tracks.enumerated() {
            let name = changes.sources.indices.contains(index) ? changes.sources[index] : track.source.name
            page.labelled(index == 0 ? "Source" : "", StyledText("\(Printable(name, limit: 64))", .strong), width: 12)
            if let first = track.firstDay, let last = track.lastDay {
                let what =
                    "\(Words.days(first, last)): \(Words.count(track.days.count, "day")), \(Words.count(track.steps, "step"))"
                page.labelled("", StyledText(what), width: 12)
            }
        }
        page.labelled("Time zone", StyledText(zone), width: 12)
        for overlap in changes.overlaps {
            page.labelled(
                "Also there",
                StyledText(
                    "\(Printable(overlap.name, limit: 64)), \(Words.count(overlap.days, "day")): of the same minutes the greater count"
                ),
                width: 12)
        }
        showNotes(on: &page)
        showChanges(on: &page)
        return page.lines
    }

    private var zone: String {
        switch history.zone {
        case .records: "as each record says"
        case .named(let name): "\(Printable(name, limit: 64)), as you said"
        case .machine(let name):
            "\(name.map { "\(Printable($0, limit: 64)), " } ?? "")that of this machine: the file does not say it. Another one: --zone NAME"
        }
    }

    private func showNotes(on page: inout Page) {
        for note in history.notes {
            switch note {
            case .decision(let words): page.labelled("Note", StyledText("\(Printable(words, limit: 400))"), width: 12)
            case .leftOut(let count, let reason):
                page.labelled(
                    "Left out",
                    StyledText("\(Words.count(count, "record")) \(Printable(reason, limit: 200))", .doubtful), width: 12
                )
            }
        }
    }

    private func showChanges(on page: inout Page) {
        if changes.deletedDays > 0 {
            page.labelled(
                "Left out", StyledText("\(Words.count(changes.deletedDays, "day")) that you have deleted", .doubtful),
                width: 12)
        }
        if changes.isOfDeletedDays { return page.paragraph("It has no other days: nothing changes.") }
        if let same = changes.sameAs {
            return page.paragraph("Import \(same) has said all of this: nothing changes.")
        }
        if changes.isOwn {
            return page.paragraph("It is an export of this history, which has all of this: nothing changes.")
        }
        let added = changes.newDays, corrected = changes.correctedDays
        let isDone = state != .preview
        page.labelled(
            isDone ? "Added" : "Would add",
            StyledText(
                "\(Words.count(added.count, "day")), \(Words.count(added.reduce(0) { $0 + ($1.after ?? 0) }, "step"))"),
            width: 12)
        page.labelled(
            isDone ? "Changed" : "Would change",
            StyledText(corrected.isEmpty ? "no day" : Words.count(corrected.count, "day")), width: 14)
        for change in corrected.suffix(Self.listed) {
            page.labelled(
                "", StyledText("\(change.day)  \(Self.steps(change.before)) to \(Self.steps(change.after))"), width: 14)
        }
        if corrected.count > Self.listed {
            page.labelled("", StyledText("and \(corrected.count - Self.listed) before", .faint), width: 14)
        }
        guard case .stored(let backup) = state, let id = changes.id else { return }
        if let backup { page.path("The history before it is kept:", backup) }
        page.advice("To take it back: \(command: "istep imports remove \(id)")")
    }

    static func steps(_ steps: Int?) -> String { steps.map(Words.grouped) ?? "nothing" }
}

extension ImportView {
    /// `istep import --json`.
    public struct Document: JSONDocument {
        public struct Source: Codable, Sendable {
            public var name: String
            public var firstDay: String
            public var lastDay: String
            public var days: Int
            public var steps: Int

            static let schema = JSONSchema.object([
                .init("name", .text, "The name of the source in the history."),
                .init("firstDay", .day, "Its first day in the file."),
                .init("lastDay", .day, "Its last day in the file."),
                .init("days", .integer, "Days with anything known."),
                .init("steps", .integer, "Steps of all days, of this source alone."),
            ])
        }

        public struct Overlap: Codable, Sendable {
            public var name: String
            public var days: Int
        }

        public var version = 1
        public var format: String
        public var path: String
        /// `records`, `named` or `machine`.
        public var zoneKnownBy: String
        @Nullable public var zone: String?
        public var sources: [Source]
        public var overlaps: [Overlap]
        public var notes: [String]
        public var leftOut: Int
        public var changes: [DayChangeDocument]
        public var deletedDays: Int
        public var isDone: Bool
        @Nullable public var id: Int64?
        @Nullable public var sameAs: Int64?
        @Nullable public var backup: String?

        public static let schema = JSONSchema.object([
            .version,
            .init("format", .text, "Key of the format, such as gadgetbridge."),
            .init("path", .text, "Of the file or folder."),
            .init("zoneKnownBy", .choice(["records", "named", "machine"]), "How the time zone is known."),
            .init("zone", .nullable(.text), "The time zone that was used; null if each record has its offset."),
            .init("sources", .list(Source.schema), "The pedometers or apps in the file."),
            .init(
                "overlaps",
                .list(
                    .object([
                        .init("name", .text, "Of a pedometer or another source."),
                        .init("days", .integer, "Days on which both have steps."),
                    ])), "Others with steps on the same days."),
            .init("notes", .list(.text), "Guesses and decisions about the file."),
            .init("leftOut", .integer, "Records that are not imported."),
            .init("changes", .list(DayChangeDocument.schema), "Days with other steps than before."),
            .init("deletedDays", .integer, "Days that were deleted from the history: they are left out."),
            .init("isDone", .boolean, "Whether it was stored."),
            .init("id", .nullable(.integer), "Number of the import, if it was stored."),
            .init("sameAs", .nullable(.integer), "The import that has said all of this before."),
            .init("backup", .nullable(.text), "The backup that was made before."),
        ])
    }

    public var document: Document {
        var (zoneKnownBy, zone): (String, String?) = ("records", nil)
        switch history.zone {
        case .records: break
        case .named(let name): (zoneKnownBy, zone) = ("named", name)
        case .machine(let name): (zoneKnownBy, zone) = ("machine", name)
        }
        var (notes, leftOut): ([String], Int) = ([], 0)
        for note in history.notes {
            switch note {
            case .decision(let words): notes.append(words)
            case .leftOut(let count, let reason):
                notes.append("\(count) left out: \(reason)")
                leftOut += count
            }
        }
        var backup: String?
        if case .stored(let path) = state { backup = path }
        return Document(
            format: history.format.key, path: history.path, zoneKnownBy: zoneKnownBy, zone: zone,
            sources: history.tracks.enumerated().map { index, track in
                Document.Source(
                    name: changes.sources.indices.contains(index) ? changes.sources[index] : track.source.name,
                    firstDay: track.firstDay?.description ?? "", lastDay: track.lastDay?.description ?? "",
                    days: track.days.count,
                    steps: track.steps)
            },
            overlaps: changes.overlaps.map { .init(name: $0.name, days: $0.days) }, notes: notes, leftOut: leftOut,
            changes: changes.days.map(DayChangeDocument.init), deletedDays: changes.deletedDays,
            isDone: state != .preview && changes.id != nil,
            id: state == .preview ? nil : changes.id, sameAs: changes.sameAs, backup: backup)
    }
}

/// A day with other steps than before.
public struct DayChangeDocument: Codable, Sendable {
    public var day: String
    @Nullable public var before: Int?
    @Nullable public var after: Int?

    init(_ change: DayChange) {
        day = change.day.description
        _before = Nullable(wrappedValue: change.before)
        _after = Nullable(wrappedValue: change.after)
    }

    static let schema = JSONSchema.object([
        .init("day", .day, "The day."),
        .init("before", .nullable(.integer), "Its steps before; null if nothing was known of it."),
        .init("after", .nullable(.integer), "Its steps after; null if nothing is known of it."),
    ])
}

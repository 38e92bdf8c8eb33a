public import StepDomain

/// A backup that was made.
public struct BackupView: View {
    let backup: HistoryContents

    public init(_ backup: HistoryContents) { self.backup = backup }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        page.path("Backup, read back and verified:", backup.path)
        backup.show(in: &page)
        return page.lines
    }

    /// `istep backup --json`.
    public static let keys: [JSONKey<BackupView>] = [
        .version, .record("backup", "What the backup holds.") { $0.backup },
    ]
}

/// The existing backups, the newest first.
public struct BackupsView: View {
    let directory: String
    let backups: [StoredBackup]
    let isHistoryThere: Bool

    /// - Parameter isHistoryThere: whether there is a history that could be backed up.
    public init(directory: String, _ backups: [StoredBackup], isHistoryThere: Bool = true) {
        self.directory = directory
        self.backups = backups
        self.isHistoryThere = isHistoryThere
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        guard !backups.isEmpty else {
            page.path("There is no backup in", directory)
            if isHistoryThere {
                page.advice("Make one: \(command: "istep backup")")
            } else {
                page.advice(
                    """
                    There is no history to back up either. Restore a backup from another place: \(command: "istep restore FILE"). Or start a new \
                    history: \(command: "istep add")
                    """)
            }
            return page.lines
        }
        for backup in backups {
            page.path("\(Words.size(backup.bytes)), \(Self.words(backup.origin)):", backup.path)
        }
        page.advice("Restore one: \(command: "istep restore FILE")")
        return page.lines
    }

    private static func words(_ origin: BackupName.Origin) -> String {
        switch origin {
        case .user: "made by you"
        case .schedule: "automatic"
        case .import: "before an import, a deletion or a move"
        }
    }

    /// `istep restore --json` without a file.
    public static let keys: [JSONKey<BackupsView>] = [
        .version,
        .init("directory", .text, "Where backups are kept.") { $0.directory },
        .list("backups", "The newest first.") { $0.backups },
    ]
}

extension StoredBackup: Described {
    public static let keys: [JSONKey<Self>] = [
        .init("path", .text, "Of the file.") { $0.path },
        .init("isAutomatic", .boolean, "Whether it was made automatically; istep deletes the oldest of these.") {
            $0.origin != .user
        },
        .init("bytes", .integer, "Size of the file.") { $0.bytes },
    ]
}

/// What a restore would do, or has done.
public struct RestoreView: View {
    let backup: HistoryContents
    let history: String
    let isDone: Bool
    let old: String?
    let isSharingUncertain: Bool
    let lost: HistoryLosses?

    /// - Parameters:
    ///   - backup: what the backup holds.
    ///   - history: the path of the history.
    ///   - isDone: whether the history is replaced by now.
    ///   - old: where the previous history is kept; nil if there was none.
    ///   - isSharingUncertain: whether days that were shared since the backup may be sent again.
    ///   - lost: before a restore, what only the history has; nil if that is not known.
    public init(
        _ backup: HistoryContents, history: String, isDone: Bool, old: String?, isSharingUncertain: Bool = false,
        lost: HistoryLosses? = nil
    ) {
        self.backup = backup
        self.history = history
        self.isDone = isDone
        self.old = old
        self.isSharingUncertain = isSharingUncertain
        self.lost = lost
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        page.path("Backup:", backup.path)
        backup.show(in: &page)
        page.path(isDone ? "Restored to:" : "Would replace:", history)
        if !isDone { showLosses(in: &page) }
        if let old {
            page.path("The previous history is kept:", old)
            // The record of shared days of a damaged history cannot be read, and the history cannot be restored.
            if !isSharingUncertain { page.advice("To undo the restore: \(command: "istep restore", old)") }
        }
        if isSharingUncertain {
            page.advice(
                """
                The record of what was shared since the backup could not be read completely. The next sync may send such days again. \
                To prevent this, set `since` of each destination to the first day that may be sent, and check \
                the configuration: \(command: "istep config check")
                """)
        }
        return page.lines
    }

    private func showLosses(in page: inout TextPage) {
        guard let lost else {
            return page.paragraph(
                "This history is damaged or cannot be read, so it is not known what a restore would lose.")
        }
        guard lost != HistoryLosses() else {
            return page.paragraph(
                "The backup has all users, pedometers, steps, corrections, plans and profiles of this history.")
        }
        page.paragraph("The backup lacks all or part of:", emphasis: .doubtful)
        func count(_ number: Int, _ noun: String) -> String { number == 0 ? "" : Words.count(number, noun) }
        func days(_ days: [Day]) -> String {
            guard let first = days.first, let last = days.last else { return "" }
            return "\(Words.count(days.count, "day")), \(first == last ? "\(first)" : "\(first) to \(last)")"
        }
        let rows = [
            ("Users", HistoryContents.names(lost.people)), ("Pedometers", HistoryContents.names(lost.pedometers)),
            ("Days read", days(lost.days)), ("By hand", days(lost.corrections)), ("Plans", count(lost.plans, "plan")),
            ("Profiles", count(lost.profiles, "profile")),
        ]
        for (label, value) in rows where !value.isEmpty { page.labelled(label, StyledText(value), width: 12) }
    }

    /// `istep restore FILE --json`.
    public static let keys: [JSONKey<RestoreView>] = [
        .version,
        .record("backup", "What the backup holds.") { $0.backup },
        .init("history", .text, "Path of the history.") { $0.history },
        .init("isDone", .boolean, "Whether the history was replaced.") { $0.isDone },
        .init("old", .nullable(.text), "Where the replaced history is kept.") { $0.old },
        .init("isSharingUncertain", .boolean, "Whether days that were shared since the backup may be sent again.") {
            $0.isSharingUncertain
        },
    ]
}

/// What a history or a backup holds, as `istep backup`, `istep restore` and `istep doctor --repair` show it.
extension HistoryContents: Described {
    public static let keys: [JSONKey<Self>] = [
        .init("path", .text, "Of the file.") { $0.path },
        .init("schema", .integer, "Version of its schema.") { $0.version },
        .init("bytes", .integer, "Size of the file.") { $0.size },
        .init("people", .list(.text), "Names of the users.") { $0.people },
        .init("pedometers", .list(.text), "Names of the pedometers.") { $0.pedometers },
        .init("samples", .integer, "Number of step samples.") { $0.samples },
        .init("syncs", .integer, "Number of recorded syncs.") { $0.syncs },
        .init("corrections", .integer, "Number of days whose steps were entered by hand.") { $0.corrections },
        .init("firstDay", .nullable(.day), "Day of the first sample.") { $0.firstDay?.description },
        .init("lastDay", .nullable(.day), "Day of the last sample.") { $0.lastDay?.description },
    ]

    fileprivate static func names(_ names: [String]) -> String {
        names.map { Printable($0, limit: 32).description }.joined(separator: ", ")
    }

    func show(in page: inout TextPage) {
        let names = { (names: [String]) in names.isEmpty ? "none" : Self.names(names) }
        let days = firstDay.map { $0 == lastDay ? "\($0)" : "\($0) to \(lastDay ?? $0)" } ?? "none"
        let rows = [
            ("Users", names(people)), ("Pedometers", names(pedometers)), ("Days read", days),
            ("Samples", "\(Words.grouped(samples)), of \(Words.count(syncs, "sync"))"),
            ("By hand", corrections == 0 ? "none" : Words.count(corrections, "day")),
            ("File", "\(Words.size(size)), schema \(version)"),
        ]
        for (label, value) in rows { page.labelled(label, StyledText(value), width: 12) }
    }
}

extension JSONDocument {
    public static let backup = JSONDocument(
        "backup", "The backup that was made.",
        BackupView.self)
    public static let backups = JSONDocument(
        "backups", "The backups that are there.",
        BackupsView.self)
    public static let restore = JSONDocument(
        "restore", "What a restore would do, or has done.",
        RestoreView.self)
}

extension TextPage {
    /// The backup that was made before a change.
    mutating func backupBefore(_ path: String) {
        self.path("The history before it is kept, until backups of later changes replace it:", path)
    }
}

internal import StepDomain

/// `istep import --json`.
extension ImportView {
    public static let keys: [JSONKey<ImportView>] = [
        .version,
        .init("format", .text, "Key of the format, such as gadgetbridge.") { $0.history.format.key },
        .init(.path) { $0.history.path },
        .init("zoneKnownBy", .choice(["records", "named", "machine"]), "How the time zone is known.") {
            switch $0.history.zone {
            case .records: "records"
            case .named: "named"
            case .machine: "machine"
            }
        },
        .init("zone", .nullable(.text), "The time zone that was used; null if each record has its offset.") {
            $0.history.zone.name
        },
        .list("sources", "The pedometers or apps in the file.") { view in
            view.history.tracks.enumerated().map { index, track in
                let name = view.changes.sources.indices.contains(index) ? view.changes.sources[index] : nil
                return Source(name: name ?? track.source.name, track: track)
            }
        },
        .list("overlaps", "Others with steps on the same days.") { $0.changes.overlaps.map(Other.init) },
        .list("superseded", "Sources of which an earlier import reaches further, and counts before this file.") {
            $0.changes.superseded.map(Earlier.init)
        },
        .init("notes", .list(.text), "Guesses and decisions about the file.") {
            $0.history.notes.map { note in
                switch note {
                case .decision(let words): words
                case .leftOut(let count, let reason): "\(count) left out: \(reason)"
                }
            }
        },
        .init("leftOut", .integer, "Records that are not imported.") {
            $0.history.notes.reduce(0) { sum, note in if case .leftOut(let count, _) = note { sum + count } else { sum }
            }
        },
        .list("changes", "Days with other steps than before.") { $0.changes.days },
        .init("deletedDays", .integer, "Days that were deleted from the history: they are left out.") {
            $0.changes.deletedDays
        },
        .init("corrections", .integer, "Corrected days of another history that are taken over.") {
            $0.changes.corrections.taken
        },
        .init(
            "correctionsLeftOut", .integer, "Those that are not, because the user has decided otherwise here."
        ) { $0.changes.corrections.kept },
        .init("exclusions", .integer, "Blocks of excluded time of another history that are taken over.") {
            $0.changes.exclusions.taken
        },
        .init(
            "exclusionsLeftOut", .integer, "Those that are not, because the user has decided otherwise here."
        ) { $0.changes.exclusions.kept },
        .init(.isStored) { $0.state != .preview && $0.changes.id != nil },
        .init("id", .nullable(.integer), "Number of the import, if it was stored.") {
            $0.state == .preview ? nil : $0.changes.id
        },
        .init("sameAs", .nullable(.integer), "The import that has said all of this before.") { $0.changes.sameAs },
        .init(.backup) { $0.state.backup },
    ]
}

extension ZoneKnowledge {
    fileprivate var name: String? {
        switch self {
        case .records: nil
        case .named(let name): name
        case .machine(let name): name
        }
    }
}

extension ImportView.State {
    /// The path of the backup that was made before.
    var backup: String? { if case .stored(let path) = self { path } else { nil } }
}

private struct Source: Described {
    let name: String, track: ForeignTrack

    static let keys: [JSONKey<Source>] = [
        .init("name", .text, "The name of the source in the history.") { $0.name },
        .init("firstDay", .day, "Its first day in the file.") { $0.track.firstDay?.description ?? "" },
        .init("lastDay", .day, "Its last day in the file.") { $0.track.lastDay?.description ?? "" },
        .init("days", .integer, "Days with anything known.") { $0.track.days.count },
        .init("steps", .integer, "Steps of all days, of this source alone.") { $0.track.steps },
    ]
}

private struct Other: Described {
    let overlap: ImportChanges.Overlap

    static let keys: [JSONKey<Other>] = [
        .init("name", .text, "Of a pedometer or another source.") { $0.overlap.name },
        .init("days", .integer, "Days on which both have steps.") { $0.overlap.days },
    ]
}

private struct Earlier: Described {
    let superseded: ImportChanges.Superseded

    static let keys: [JSONKey<Earlier>] = [
        .init("source", .text, "Of the source.") { $0.superseded.source },
        .init("import", .integer, "The number of the import that counts.") { $0.superseded.by },
        .init("days", .integer, "Days of which the file says otherwise.") { $0.superseded.days },
    ]
}

extension JSONDocument {
    public static let `import` = JSONDocument(
        "import", "What an import would change, or has changed.",
        ImportView.self)
}

internal import StepDomain

/// The rows of days and samples that go to a shared database.
struct PostgresRows: Sendable {
    /// The columns of `istep.day` that a machine sends, in the order of `day`, with their types.
    static let dayColumns: [(name: String, type: String)] = [
        ("subject", "text"), ("day", "date"), ("machine", "text"), ("steps", "integer"), ("distance_m", "integer"),
        ("energy_kcal", "integer"), ("goal", "integer"), ("completeness", "text"), ("in_progress", "boolean"),
        ("corrected_at", "timestamptz"), ("utc_offset", "integer"), ("excluded", "tstzmultirange"),
        ("has_samples", "boolean"), ("last_sync", "timestamptz"), ("evidence", "json"),
    ]

    var machine: String
    /// Subjects by the users' names in lower case; nil if each user is a subject by name.
    var subjects: [String: String]?
    /// The users' names by their subjects.
    var users: [String: String] = [:]
    var includesSamples: Bool
    /// Whether profile, plans, pedometers and the user's own texts are sent as well.
    var isPersonal = false

    /// A pedometer's part of a day, with the name that no other has on this day: a pedometer that is out of use can
    /// have the name of one in use.
    struct Track {
        var name: String
        var rank: Int
        var content: SharedDay.Track
    }

    func subject(_ user: User) -> String { subjects?[user.name.lowercased()] ?? user.name }

    func day(_ day: SharedDay) -> [String?] {
        let summary = day.summary
        let excluded = summary.excluded.map(\.exclusion.span).map { "[\(time($0.start)),\(time($0.end)))" }
        let count: (Int?) -> String? = { $0.map { "\($0)" } }
        return [
            subject(day.user), "\(day.day)", machine, "\(day.steps)", count(day.metres), count(day.kilocalories),
            summary.isRestDay ? "0" : count(summary.goal), summary.completeness.rawValue,
            flag(summary.isInProgress), summary.isCorrected ? time(summary.correctedAt ?? Timestamp(0)) : nil,
            "\(day.utcOffset)", "{\(excluded.joined(separator: ","))}", flag(includesSamples),
            summary.lastSync.map(time), evidence(day),
        ]
    }

    private func evidence(_ day: SharedDay) -> String? {
        includesSamples ? columnText(PostgresEvidence(day, tracks(day), isPersonal: isPersonal)) : nil
    }

    /// None if samples are not sent.
    func tracks(_ day: SharedDay) -> [Track] {
        guard includesSamples else { return [] }
        var taken: Set<String> = []
        return day.tracks.enumerated().map { index, track in
            let rank = track.evidence.map { Int($0.pedometer) } ?? index
            let isFree = taken.insert(track.pedometer).inserted
            return Track(
                name: isFree ? track.pedometer : "\(track.pedometer) (\(rank))", rank: rank, content: track)
        }
    }

    /// What is stored of a person; nil if nothing.
    func person(_ day: SharedDay) -> String? { day.person.flatMap { columnText(PostgresPerson($0)) } }

    /// The rows of `istep.sample`, with the columns of `PostgresSamples.columns`.
    func samples(_ day: SharedDay) -> [[String?]] {
        tracks(day).flatMap { track in
            track.content.samples.map { sample in
                [
                    subject(day.user), machine, track.name, time(sample.start), "\(sample.length)", "\(sample.steps)",
                    "\(sample.utcOffset)", "\(day.day)", "\(track.rank)", sample.distance.map(Self.number),
                    sample.energy.map(Self.number),
                ]
            }
        }
    }

    /// For display: the fields of a row in the text format of COPY (PostgreSQL documentation, COPY), with visible
    /// separators.
    static func text(_ row: [String?]) -> String {
        let escapes: [Character: String] = [
            "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\r\n": "\\r\\n", "\t": "\\t", "\0": "",
        ]
        return row.map { $0.map { $0.map { escapes[$0] ?? "\($0)" }.joined() } ?? "\\N" }.joined(separator: " | ")
    }

    private func time(_ moment: Timestamp) -> String { moment.iso8601(utcOffset: 0) }

    /// As PostgreSQL writes it.
    static func number(_ number: Double) -> String {
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private func flag(_ flag: Bool) -> String { flag ? "t" : "f" }
}

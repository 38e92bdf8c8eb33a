internal import Foundation
internal import Postgres
internal import StepDomain

/// All that a machine has sent of a subject except the samples, which are too many to be held.
struct PostgresContent {
    private let path: String
    private var person: PostgresPerson?
    private var days: [Day] = []
    /// The sources by name, as they were added.
    private var numbers: [String: Int] = [:]
    /// When the pedometers were last read, and until when the samples reach.
    private var lastSync = 0

    private struct Day {
        var day: String
        var steps: String?
        /// Seconds since 1970.
        var correctedAt: Int?
        var received: Int
        var isDeleted: Bool
        var evidence: PostgresEvidence
    }

    init(_ connection: PostgresConnection, _ held: HeldHistory, _ now: Timestamp, path: String) throws {
        self.path = path
        let key = [held.subject, held.machine]
        let stored = try connection.run(
            "SELECT content::text FROM istep.person WHERE subject = $1 AND machine = $2", key)
        person = try stored.first?.first?.map { try Self.decoded($0, "istep.person", path) }
        var ranks: [String: Int] = [:]
        func note(_ source: String, _ rank: Int) { ranks[source] = min(ranks[source] ?? rank, rank) }
        for row in try connection.run(
            """
            SELECT source, min(rank) FROM istep.sample WHERE subject = $1 AND machine = $2
            GROUP BY source LIMIT \(Self.maximumSources + 1)
            """, key)
        {
            note(row[0] ?? "", row[1].flatMap { Int($0) } ?? 0)
        }
        var bytes = 0
        try connection.each(Self.query, key + ["\(now.seconds)"]) { row in
            bytes += row[5]?.utf8.count ?? 0
            guard bytes <= Self.maximumBytes, ranks.count <= Self.maximumSources else {
                throw ImportError.malformed(path: path, reason: "it has more than a person's history")
            }
            let evidence: PostgresEvidence =
                try row[5].map { try Self.decoded($0, "istep.day", path) }
                ?? PostgresEvidence(blocks: try row[6].map { try Self.decoded($0, "istep.day", path) } ?? [])
            guard evidence.isBounded else { throw Self.malformed(path, "a number") }
            for source in evidence.sources { note(source.name, source.rank) }
            lastSync = max(lastSync, row[7].flatMap { Int($0) } ?? 0)
            days.append(
                Day(
                    day: row[0] ?? "", steps: row[1], correctedAt: row[2].flatMap { Int($0) },
                    received: row[3].flatMap { Int($0) } ?? 0, isDeleted: row[4] == "t", evidence: evidence))
        }
        for (index, source) in ranks.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }).enumerated() {
            numbers[source.key] = index + 1
        }
    }

    /// Names of pedometers: one that is renamed each week for ten years has as many.
    private static let maximumSources = 500
    /// Of the evidence of all days: a hundred years of days with 1,700 bytes each.
    private static let maximumBytes = 64 << 20

    /// Times that a clock ahead has sent are taken for now. Days of before version 4 have only the spans of exclusions.
    private static let query = """
        SELECT to_char(day, 'YYYY-MM-DD'), steps,
            CASE WHEN corrected_at IS NOT NULL THEN \(seconds("corrected_at")) END, \(seconds("received")),
            steps = 0 AND completeness = 'unknown' AND corrected_at IS NULL, evidence::text,
            CASE WHEN evidence IS NULL THEN (SELECT json_agg(json_build_object('start', \(seconds("lower(r)")),
                'end', \(seconds("upper(r)")), 'offset', utc_offset)) FROM unnest(excluded) AS r)::text END,
            \(seconds("coalesce(last_sync, received)"))
        FROM istep.day WHERE subject = $1 AND machine = $2 ORDER BY day
        """

    /// Also of what is no time, such as infinity.
    private static func seconds(_ time: String) -> String {
        "greatest(least(extract(epoch FROM \(time)), $3::bigint), 0)::bigint"
    }

    private static func decoded<Value: Decodable>(_ text: String, _ table: String, _ path: String) throws -> Value {
        guard text.utf8.count <= PostgresEvidence.maximumSize,
            let value = try? JSONDecoder().decode(Value.self, from: Data(text.utf8))
        else { throw ImportError.malformed(path: path, reason: "a row of \(table) is not JSON that istep writes") }
        return value
    }

    func number(of source: String) -> String { "\(numbers[source] ?? 0)" }

    /// The samples that do not count, by source and start.
    var excluded: [String: [Int: PostgresEvidence.Slot]] {
        var found: [String: [Int: PostgresEvidence.Slot]] = [:]
        for source in days.flatMap(\.evidence.sources) {
            for sample in source.excluded ?? [] { found[source.name, default: [:]][sample.start] = sample }
        }
        return found
    }

    typealias Receiver = (ExportTable, [String?]) throws -> Void

    func addPerson(of user: String, _ row: Receiver) throws {
        for profile in person?.profiles ?? [] {
            let lengths = [profile.stepLength, profile.runningStepLength].map { $0.map { "\($0)" } }
            try row(
                .profiles,
                [
                    user, "\(profile.validFrom)", profile.height.map { "\($0)" }, profile.weight.map { "\($0)" },
                    profile.sex.rawValue, profile.birthDate.map { "\($0)" },
                ] + lengths)
        }
        for plan in person?.plans ?? [] {
            guard plan.goals.count == 7 else {
                throw ImportError.malformed(path: path, reason: "a plan of istep.person has not seven days")
            }
            try row(.plans, [user, "\(plan.validFrom)"] + plan.goals.map { "\($0)" })
        }
    }

    /// Sources are out of use: `istep add` puts a pedometer of the same address to use again, with what it has counted.
    /// One whose address was not sent is a source like that of an import, and a pedometer of its name is added beside
    /// it.
    func addSources(of user: String, _ row: Receiver) throws {
        let devices = Dictionary((person?.pedometers ?? []).map { ($0.name, $0) }) { first, _ in first }
        let sources = numbers.sorted { $0.value < $1.value }
        for (name, number) in sources {
            let device = devices[name]
            try row(
                .pedometers,
                [
                    "\(number)", user, String(name.unicodeScalars.prefix(64)), device?.model ?? "import:istep-export",
                    device?.address ?? "IMPORT-P" + String("00000000\(number)".suffix(9)),
                    device?.addressType ?? "public", "{}", "{\"settings\":[]}", "{}", "true", nil,
                ])
        }
        let moment = ExportValue.time(lastSync, utcOffset: 0).text
        for (_, number) in sources {
            try row(
                .syncs,
                ["\(number)", user, "\(number)", moment, moment, "complete", nil, nil, nil]
                    + Array(repeating: "0", count: 6)
            )
        }
    }

    /// The tables that come after the samples.
    func addRest(of user: String, _ row: Receiver) throws {
        let sources = days.flatMap { day in day.evidence.sources.map { (day: day.day, source: $0) } }
        let bySource = Dictionary(grouping: sources, by: \.source.name).sorted {
            numbers[$0.key] ?? 0 < numbers[$1.key] ?? 0
        }
        for (name, parts) in bySource {
            let slots = Dictionary(parts.flatMap { $0.source.implausible ?? [] }.map { ($0.start, $0) }) { $1 }
            for slot in slots.values.sorted(by: { $0.start < $1.start }) {
                let number = number(of: name)
                try row(
                    .implausible,
                    [
                        user, number, "\(slot.start)", "\(slot.seconds)", "\(slot.steps)",
                        slot.distance.map { "\($0)" }, slot.energy.map { "\($0)" }, "\(slot.offset)", number,
                    ])
            }
        }
        for (name, parts) in bySource {
            for span in try joined(parts.flatMap(\.source.coverage)) {
                try row(
                    .coverage,
                    [user, number(of: name)]
                        + [span.span.start, span.span.end].map {
                            ExportValue.time($0.seconds, utcOffset: span.utcOffset).text
                        })
            }
        }
        for (name, parts) in bySource {
            for (day, source) in parts {
                guard let total = source.total else { continue }
                guard total.count == 3 else { throw Self.malformed(path, "a total") }
                try row(
                    .deviceTotals,
                    [
                        user, number(of: name), day, ExportValue.time(total[0], utcOffset: 0).text, "\(total[1])",
                        "\(total[2])",
                    ])
            }
        }
        try addDecisions(of: user, row)
    }

    /// What the user has decided.
    private func addDecisions(of user: String, _ row: Receiver) throws {
        for day in days {
            guard let at = day.correctedAt else { continue }
            let reason = day.evidence.reason
            try row(.corrections, [user, day.day, day.steps, ExportValue.time(at, utcOffset: 0).text, reason])
        }
        let blocks = days.flatMap { day in (day.evidence.blocks ?? []).map { (block: $0, at: day.received) } }
        // A block that lies on two days is there twice.
        var end = Int.min
        for (block, at) in blocks.sorted(by: { ($0.block.start, -$0.block.end) < ($1.block.start, -$1.block.end) })
        where block.end > end {
            let times = [max(block.start, end), block.end].map { ExportValue.time($0, utcOffset: block.offset).text }
            try row(.excluded, [user] + times + [ExportValue.time(at, utcOffset: block.offset).text, block.reason])
            end = block.end
        }
        for day in days where day.isDeleted {
            let at = ExportValue.time(day.received, utcOffset: 0).text
            try row(.deletedDays, [user, day.day, day.evidence.closed ?? true ? "true" : "false", at])
        }
    }

    /// Spans by start, none over another, and those that touch with the same offset in one.
    private func joined(_ spans: [[Int]]) throws -> [CoveredSpan] {
        var joined: [CoveredSpan] = []
        for numbers in spans.sorted(by: { $0.first ?? 0 < $1.first ?? 0 }) {
            guard numbers.count == 3 else { throw Self.malformed(path, "a span") }
            var span = CoveredSpan(TimeSpan(Timestamp(numbers[0]), Timestamp(numbers[1])), utcOffset: numbers[2])
            if let last = joined.last {
                span.span = TimeSpan(max(span.span.start, last.span.end), max(span.span.end, last.span.end))
                if span.span.isEmpty { continue }
                if last.span.end == span.span.start, last.utcOffset == span.utcOffset {
                    joined[joined.count - 1].span = TimeSpan(last.span.start, span.span.end)
                    continue
                }
            }
            joined.append(span)
        }
        return joined
    }

    private static func malformed(_ path: String, _ what: String) -> ImportError {
        .malformed(path: path, reason: "a row of istep.day has \(what) that istep does not write")
    }
}

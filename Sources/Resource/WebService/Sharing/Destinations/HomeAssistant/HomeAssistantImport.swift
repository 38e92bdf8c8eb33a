internal import Foundation
internal import HTTP
internal import StepDomain
internal import Support

/// Writes days to the long-term statistics of Home Assistant, one statistic of istep's own for each user, and reads
/// them back.
///
/// Home Assistant answers `recorder/import_statistics` before its recorder has stored anything, so that only reading
/// back confirms the import.
///
/// Source: homeassistant/components/recorder/websocket_api.py and statistics.py (`import_statistics` writes all rows of
/// one call in one transaction; a row with the same start is replaced).
struct HomeAssistantImport: Sendable {
    let transport: any WebSocketTransport
    let url: WebAddress
    let now: @Sendable () -> Timestamp
    let pause: @Sendable (Duration) async throws -> Void
    /// How long all questions and changes of one delivery may take; nothing is asked after it.
    var limit = HomeAssistantSession.standardLimit
    var clock: any Clock<Duration> = ContinuousClock()
    /// Pauses between checks whether the recorder has stored the rows: a minute in total, which is enough for a small
    /// computer.
    var pauses: [Duration] =
        Array(repeating: .milliseconds(50), count: 10) + Array(repeating: .milliseconds(500), count: 119)

    typealias Statistics = HomeAssistantStatistics

    /// The configuration that Home Assistant reports (`get_config`).
    struct ServerConfiguration: Decodable {
        var version: String
        var time_zone: String
        var components: [String]

        var hasRecorder: Bool { components.contains("recorder") }
    }

    struct Person: Decodable {
        var name: String?
        var is_admin: Bool
    }

    /// Does nothing if Home Assistant has no recorder: it has no statistics then.
    func deliver(_ payloads: [SharePayload], token: Secret) async throws(ShareFailure) {
        try await inSession(token) { (session) throws(ShareFailure) in
            let configuration = try await session.ask(Command(type: "get_config"), for: ServerConfiguration.self)
            guard configuration.hasRecorder else { return }
            guard let zone = TimeZone(identifier: configuration.time_zone) else {
                throw ShareFailure(
                    .misconfigured,
                    "the time zone of Home Assistant, \(Self.quotation(of: configuration.time_zone, token)), is not known here",
                    advice: "Install the package tzdata, or set `statistics = false`.")
            }
            for (metadata, days) in try batches(payloads, in: .zone(zone)) {
                try await update(metadata, days, &session)
            }
        }
    }

    /// Of which users Home Assistant has no rows in the hours of these days, which it has confirmed: their statistic
    /// was cleared there.
    func lost(_ payloads: [SharePayload], token: Secret) async throws(ShareFailure) -> Set<User.ID> {
        var lost: Set<User.ID> = []
        try await inSession(token) { (session) throws(ShareFailure) in
            let configuration = try await session.ask(Command(type: "get_config"), for: ServerConfiguration.self)
            guard configuration.hasRecorder, let zone = TimeZone(identifier: configuration.time_zone) else { return }
            for payload in payloads {
                let hours = try Statistics.hours(of: payload.day, in: .zone(zone), now: now()).hours
                let id = Import.Metadata(slug: payload.slug, user: payload.day.user.name).statistic_id
                let rows = try await rows(of: id, from: hours.lowerBound, through: hours.upperBound, &session)
                if rows.isEmpty { lost.insert(payload.day.user.id) }
            }
        }
        return lost
    }

    /// - Returns: version and rights, as text for the user.
    func check(token: Secret) async throws(ShareFailure) -> String {
        var words = ""
        try await inSession(token) { (session) throws(ShareFailure) in
            let configuration = try await session.ask(Command(type: "get_config"), for: ServerConfiguration.self)
            let person = try await session.ask(Command(type: "auth/current_user"), for: Person.self)
            let name = Self.quotation(of: person.name ?? "?", token)
            guard person.is_admin else {
                throw .notAdministrator("\(url.host) accepts the token, but its user \(name) is not an administrator")
            }
            let statistics =
                configuration.hasRecorder
                ? "its recorder keeps statistics" : "without its recorder: no statistics, only the sensor"
            // The token is masked before letters are left out: afterwards it could not be recognised.
            let version = HTTPResponse.excerpt(of: configuration.version, hiding: [token], limit: 20)
                .filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") }
            words = "Home Assistant \(version) at \(url.origin), administrator \(name); \(statistics)"
        }
        return words
    }

    /// A text of Home Assistant, which may repeat the token.
    private static func quotation(of text: String, _ token: Secret) -> String {
        quoted(HTTPResponse.excerpt(of: text, hiding: [token], limit: 64))
    }

    /// What `deliver` imports, one message per line, as far as it is known without a request: for a statistic that has
    /// no rows yet.
    func preview(_ payloads: [SharePayload], localTime: LocalTime) throws(ShareFailure) -> [String] {
        try batches(payloads, in: localTime).map { metadata, days in
            json(Import(metadata: metadata, stats: Statistics.update(days, rows: [], before: 0).map(Import.Row.init)))
        }
    }

    private func inSession(_ token: Secret, _ body: (inout HomeAssistantSession) async throws(ShareFailure) -> Void)
        async throws(ShareFailure)
    {
        let opened = try await HomeAssistantSession.open(transport, url, token: token, limit: limit, clock: clock)
        var session = opened
        try await cleaningUp({ await opened.close() }) { () async throws(ShareFailure) in try await body(&session) }
    }

    /// One batch for each user, sorted by statistic.
    private func batches(
        _ payloads: [SharePayload], in localTime: LocalTime
    ) throws(ShareFailure) -> [(Import.Metadata, [Statistics.DayHours])] {
        var batches: [(Import.Metadata, [Statistics.DayHours])] = []
        for (slug, payloads) in Dictionary(grouping: payloads, by: \.slug).sorted(by: { $0.key < $1.key }) {
            var days: [Statistics.DayHours] = []
            for payload in payloads { days.append(try Statistics.hours(of: payload.day, in: localTime, now: now())) }
            batches.append((Import.Metadata(slug: slug, user: payloads[0].day.user.name), days))
        }
        return batches
    }

    // MARK: Updating

    /// Maximum rows of one message. This is more than a year: a correction within a year is one transaction.
    private static let maximumRows = 10_000

    private func update(
        _ metadata: Import.Metadata, _ days: [Statistics.DayHours], _ session: inout HomeAssistantSession
    ) async throws(ShareFailure) {
        guard let first = days.map(\.hours.lowerBound).min() else { return }
        let id = metadata.statistic_id
        let known = try await rows(of: id, from: first, &session)
        let before = try await sum(of: id, before: first, &session)
        var metadata = metadata
        metadata.version = session.version
        let update = Statistics.update(days, rows: known, before: before)[...]
        for start in stride(from: 0, to: update.count, by: Self.maximumRows) {
            let part = update.dropFirst(start).prefix(Self.maximumRows)
            _ = try await session.ask(
                Import(metadata: metadata, stats: part.map(Import.Row.init)), for: HomeAssistantSession.NoResult?.self,
                changes: true)
            try await confirm(Array(part), of: id, &session)
        }
    }

    private func confirm(_ rows: [Statistics.Row], of id: String, _ session: inout HomeAssistantSession)
        async throws(ShareFailure)
    {
        guard let first = rows.first, let last = rows.last else { return }
        for pause in [.zero] + pauses {
            if pause > .zero {
                do { try await self.pause(pause) } catch { break }
            }
            let stored = Set(
                try await self.rows(of: id, from: first.start.seconds, through: last.start.seconds, &session))
            if rows.allSatisfy(stored.contains) { return }
        }
        throw ShareFailure(
            .unanswered, "\(url.host) accepted statistics, but its recorder did not store them",
            advice: "See the log of Home Assistant.")
    }

    // MARK: Reading

    /// Seconds. Rows of a year are below a megabyte.
    private static let window = 366 * 86_400
    /// Seconds: longer than any month.
    private static let month = 32 * 86_400

    /// - Parameter last: nil for all rows.
    private func rows(
        of id: String, from first: Int, through last: Int? = nil, _ session: inout HomeAssistantSession
    ) async throws(ShareFailure) -> [Statistics.Row] {
        // No day of istep begins later than tomorrow, in any time zone.
        let end = last.map { $0 + Statistics.hour } ?? max(first, now().seconds) + 3 * 86_400
        var rows: [Statistics.Row] = []
        for start in stride(from: first, to: end, by: Self.window) {
            rows += try await read(id, from: start, to: min(start + Self.window, end), period: "hour", &session)
        }
        return rows
    }

    /// The sum of the last row before an hour; 0 if there is none.
    private func sum(of id: String, before hour: Int, _ session: inout HomeAssistantSession) async throws(ShareFailure)
        -> Int
    {
        if let last = try await read(id, from: hour - Self.month, to: hour, period: "hour", &session).last {
            return last.sum
        }
        // Further back, months are enough: there are no rows in the time directly before the hour, so that no month
        // with rows is cut by it.
        return try await read(id, from: 0, to: hour - Self.month, period: "month", &session).last {
            $0.start.seconds < hour - Self.month
        }?.sum
            ?? 0
    }

    private func read(
        _ id: String, from start: Int, to end: Int, period: String, _ session: inout HomeAssistantSession
    ) async throws(ShareFailure) -> [Statistics.Row] {
        let question = Question(
            start_time: Timestamp(start).iso8601(utcOffset: 0), end_time: Timestamp(end).iso8601(utcOffset: 0),
            statistic_ids: [id],
            period: period)
        let answer = try await session.ask(question, for: [String: [Stored]].self)
        return (answer[id] ?? []).compactMap(\.row).sorted { $0.start < $1.start }
    }

    // MARK: Messages

    struct Command: Encodable { var type: String }

    private struct Question: Encodable {
        var type = "recorder/statistics_during_period"
        var start_time: String
        var end_time: String
        var statistic_ids: [String]
        var period: String
        var types = ["state", "sum"]
    }

    private struct Stored: Decodable {
        /// Milliseconds since 1970.
        var start: Double
        var state: Double?
        var sum: Double?

        /// Nil for what istep cannot have written.
        var row: Statistics.Row? {
            guard let start = whole(start / 1000), let sum = whole(sum ?? 0), let steps = whole(state ?? 0) else {
                return nil
            }
            return Statistics.Row(start: Timestamp(start), steps: steps, sum: sum)
        }

        /// Up to 10¹², so that no sum of them overflows: 30,000 years of 100,000 steps a day.
        private func whole(_ number: Double) -> Int? { abs(number) <= 1e12 ? Int(number.rounded()) : nil }
    }

    struct Import: Encodable {
        struct Metadata: Encodable {
            /// Such as `istep:anna_steps`.
            var statistic_id: String
            var name: String
            /// The version of Home Assistant; empty if it is not known.
            var version = ""

            init(slug: String, user: String) { (statistic_id, name) = ("istep:\(slug)_steps", "Steps of \(user)") }

            private enum Key: String, CodingKey {
                case statistic_id, name, source, has_sum, has_mean, mean_type, unit_of_measurement, unit_class
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(statistic_id, forKey: .statistic_id)
                try container.encode(name, forKey: .name)
                try container.encode("istep", forKey: .source)
                try container.encode(true, forKey: .has_sum)
                try container.encode(HomeAssistantSensor.unit, forKey: .unit_of_measurement)
                // Since 2025.11 `mean_type` (0: none) and `unit_class` take the place of `has_mean`; older versions
                // refuse keys that they do not know.
                if isSince2025_11 {
                    try container.encode(0, forKey: .mean_type)
                    try container.encodeNil(forKey: .unit_class)
                } else {
                    try container.encode(false, forKey: .has_mean)
                }
            }

            private var isSince2025_11: Bool {
                let numbers = version.split(separator: ".").prefix(2).map { Int($0) ?? 0 }
                return numbers.count == 2 && (numbers[0], numbers[1]) >= (2025, 11)
            }
        }

        struct Row: Encodable {
            var start: String
            var state: Int
            var sum: Int

            init(_ row: Statistics.Row) { (start, state, sum) = (row.start.iso8601(utcOffset: 0), row.steps, row.sum) }
        }

        var type = "recorder/import_statistics"
        var metadata: Metadata
        var stats: [Row]
    }
}

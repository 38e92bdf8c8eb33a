import Foundation

extension Fixture {
    static let postgres = Fixture(
        kind: "postgres", keeps: [.user, .day, .metres, .kilocalories, .goal, .samples],
        open: { PostgresVenue(database: try await .make()) })
}

private struct PostgresVenue: Venue {
    let database: PostgresDatabase

    var keys: String { database.keys(role: "pi") + "\nmachine = 'pi'" }

    func held() async throws -> [HeldDay] {
        let days = try await database.query(
            """
            SELECT json_build_object('user', subject, 'day', day, 'steps', steps, 'metres', distance_m,
                'kilocalories', energy_kcal, 'goal', nullif(goal, 0), 'samples', coalesce((
                    SELECT json_object_agg(source, steps) FROM (
                        SELECT source, json_agg(steps ORDER BY started) AS steps FROM istep.sample AS s
                        WHERE s.subject = d.subject AND s.day = d.day GROUP BY source) AS x), '{}'))
            FROM istep.day AS d ORDER BY day
            """)
        return try days.map { line in
            let row = try JSONDecoder().decode(Row.self, from: Data(line.utf8))
            return HeldDay(
                user: row.user, day: row.day, steps: row.steps, metres: row.metres, kilocalories: row.kilocalories,
                goal: row.goal, samples: row.samples)
        }
    }

    private struct Row: Decodable {
        var user: String
        var day: String
        var steps: Int
        var metres: Int?
        var kilocalories: Int?
        var goal: Int?
        var samples: [String: [Int]]
    }

    /// In the format of COPY, as it was sent.
    func sent() async throws -> [String] {
        let time = { (column: String) in "to_char(\(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS+00:00')" }
        let days = try await database.query(
            """
            COPY (SELECT 'istep.day', subject, day, machine, steps, distance_m, energy_kcal, goal, completeness, in_progress,
                \(time("corrected_at")), utc_offset, excluded, has_samples, \(time("last_sync")),
                evidence
            FROM istep.day ORDER BY day) TO STDOUT
            """)
        let samples = try await database.query(
            """
            COPY (SELECT 'istep.sample', subject, machine, source, \(time("started")), seconds, steps, utc_offset, day, rank,
                distance_m, energy_kcal
            FROM istep.sample ORDER BY rank, started) TO STDOUT
            """)
        return (days + samples).map { $0.replacing("\t", with: " | ") }
    }

    func announced(_ preview: String) -> [String] { preview.split(separator: "\n").dropFirst().map(String.init) }

    func close() async { await database.drop() }
}

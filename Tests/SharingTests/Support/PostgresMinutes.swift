import Foundation
import StepDatabase
import StepDomain
import TestSupport

/// A history with one pedometer that has counted every quarter of an hour, and `istep` itself that shares it.
struct PostgresMinutes {
    static let first = Day(daysSince1970: 16_071)  // 2014-01-01
    /// Steps of a day.
    static let steps = 96 * 7

    let directory: String
    let days: Int

    init(days: Int) throws {
        directory = try GuardedProcess.makeDirectory("istep-minutes")
        self.days = days
        let history = try StepDatabase(path: directory + "/history.sqlite")
        let anna = try history.addUser(named: "Anna")
        let ring = try history.addPedometer(
            Pedometer(
                id: 0, user: anna.id, model: "colmi", address: "30:34:42:00:00:01", addressType: "public", name: "ring")
        )
        let start = Timestamp(Self.first.daysSince1970 * 86_400), end = start + days * 86_400
        let sync = try history.beginSync(of: ring.id, at: end)
        let samples = (0..<days * 96).map { StepSample(start: start + $0 * 900, length: 900, steps: 7, utcOffset: 0) }
        _ = try history.merge(
            SampleBatch(samples: samples, coverage: [TimeSpan(start, end)]), sync: sync, localTime: .fixed(0))
        try history.endSync(sync, at: end, outcome: .complete, battery: nil, failure: nil, cause: nil)
        try history.close()
    }

    func remove() { try? FileManager.default.removeItem(atPath: directory) }

    /// What `istep share` needs to send all days.
    func command(_ keys: String) throws -> [String] {
        let me = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let istep = URL(fileURLWithPath: me).deletingLastPathComponent().appendingPathComponent("istep").path
        let table = "[share.family]\nkind = \"postgres\"\nmachine = 'pi'\n\(keys)"
        try table.write(toFile: directory + "/config.toml", atomically: false, encoding: .utf8)
        let last = Self.first.advanced(by: days - 1)
        return [
            "/usr/bin/env", "-i", "HOME=\(directory)", "XDG_RUNTIME_DIR=\(directory)", "TZ=UTC0", "LANG=C.UTF-8",
            istep, "share", "--config", directory + "/config.toml", "--db", directory + "/history.sqlite", "--from",
            "\(Self.first)", "--to", "\(last)", "--quiet",
        ]
    }

    /// Runs it to its end.
    func share(_ keys: String) async throws -> (status: Int32?, said: String) {
        let words = try command(keys)
        return try await GuardedProcess.run(words[0], Array(words.dropFirst()), in: directory)
    }

    /// What the database has after all days have arrived once: days, steps, machines, samples and their steps.
    var stored: [String] {
        ["\(days)\t\(days * Self.steps)\t1\t\(days * 96)\t\(days * Self.steps)"]
    }

    static let query = """
        SELECT count(*), sum(steps), max(machines), (SELECT count(*) FROM istep.sample), (SELECT sum(steps) FROM istep.sample)
        FROM istep.days
        """
}

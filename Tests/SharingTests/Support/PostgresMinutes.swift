import Foundation
import Glibc
import StepDatabase
import StepDomain
import Support
import Synchronization
import TestSupport
import Testing

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

    /// `istep` with words and a destination.
    func istep(_ words: [String], _ keys: String) throws -> [String] {
        let me = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let istep = URL(fileURLWithPath: me).deletingLastPathComponent().appendingPathComponent("istep").path
        let table = "[share.family]\nkind = \"postgres\"\nmachine = 'pi'\n\(keys)"
        try table.write(toFile: directory + "/config.toml", atomically: false, encoding: .utf8)
        return [
            "/usr/bin/env", "-i", "HOME=\(directory)", "XDG_RUNTIME_DIR=\(directory)", "TZ=UTC0", "LANG=C.UTF-8", istep,
        ] + words + ["--config", directory + "/config.toml"]
    }

    /// What `istep share` needs to send all days.
    func command(_ keys: String) throws -> [String] {
        try istep(
            [
                "share", "--db", directory + "/history.sqlite", "--from", "\(Self.first)", "--to",
                "\(Self.first.advanced(by: days - 1))", "--quiet",
            ], keys)
    }

    /// Runs it to its end.
    func share(_ keys: String) async throws -> (status: Int32?, said: String) {
        try await run(command(keys))
    }

    func run(_ words: [String]) async throws -> (status: Int32?, said: String) {
        try await GuardedProcess.run(words[0], Array(words.dropFirst()), in: directory)
    }

    /// Starts it, and waits until the proxy that `make` returns has killed it.
    func killed(
        _ words: (_ port: Int) throws -> [String],
        by make: (_ kill: @escaping @Sendable () -> Void) throws -> PostgresProxy
    ) async throws -> PostgresProxy {
        // The proxy waits until the number of the process is known.
        let process = Mutex<pid_t?>(nil)
        let proxy = try make { process.withLock { if let process = $0 { kill(process, SIGKILL) } } }
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        let words = try words(proxy.port)
        let started = try process.withLock { process in
            let started = try Spawn.start(words, descriptors: [null, null, null])
            process = started
            return started
        }
        #expect(try await blocking { Spawn.wait(for: started) } == nil, "it ended by itself")
        return proxy
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

import Foundation
import SimulatedBlueZ
import StepDatabase
import StepDomain
import Testing

/// A simulated ring and watch in range, a folder of their own, and the program configured to use both.
///
/// The local time is late in the evening, when their wearer rests, whatever the hour of the machine: no test begins on
/// one day and ends on the next, and the compared figures do not grow during a test.
struct Household {
    let stack: SimulatedBlueZ
    let ring: SimulatedColmi
    let watch: SimulatedGeneric
    let folder: Folder
    var istep: Command
    let zone: TimeZone

    static func live(
        _ timing: Timing = .immediate, quirks: Quirks = Quirks(), _ body: (Household) async throws -> Void
    ) async throws {
        // The program uses the machine's clock: it has no setting for the time.
        let offset = Self.restingOffset(at: Date())
        let zone = try #require(TimeZone(secondsFromGMT: offset * 60))
        let ring = SimulatedColmi(clock: .local(zone))
        let watch = SimulatedGeneric.infiniTime(zone: zone)
        let stack = try await SimulatedBlueZ.start(peripherals: [ring, watch], timing: timing, quirks: quirks)
        do {
            let folder = try Folder()
            // POSIX writes offsets west of Greenwich as positive.
            let west = "\(offset > 0 ? "-" : "")\(abs(offset) / 60):\(abs(offset) % 60)"
            let istep = Command(folder: folder, bus: stack.address, timeZone: "LOCAL\(west)")
            try await body(Household(stack: stack, ring: ring, watch: watch, folder: folder, istep: istep, zone: zone))
        } catch {
            await stack.stop()
            throw error
        }
        await stack.stop()
    }

    /// The UTC offset in minutes, a multiple of 30, at which it is between 22:45 and 23:15. No wearer has steps after
    /// 22:45, when a Saturday ends (`WalkingHistory`).
    private static func restingOffset(at now: Date) -> Int {
        let minute = Int(now.timeIntervalSince1970) / 60 % 1440, begin = 22 * 60 + 45
        let offset = (begin - minute + 1440 + 29) / 30 * 30 - 1440
        return offset > 14 * 60 ? offset - 1440 : offset
    }

    /// The steps of the ring's wearer this many days ago.
    func walked(daysAgo: Int) -> Int { ring.expectedSteps(daysAgo: daysAgo).reduce(0) { $0 + $1.steps } }

    /// Checks that the program leaves nothing of Bluetooth open.
    func expectNothingLeftOpen() async {
        let snapshot = await stack.snapshot
        #expect(snapshot.connected.isEmpty)
        #expect(snapshot.discovering.isEmpty)
    }
}

// MARK: The history and the configuration

extension Household {
    var database: String { folder.path + "/data/istep/history.sqlite" }

    func addRing() async throws {
        let add = try await istep("add", ring.address, "--name", "ring", "--timeout", "120")
        try #require(add.status == 0, "\(add.error)")
    }

    /// The watch, which stores only today's count.
    func addWatch(_ more: String...) async throws {
        let add = try await istep.run(
            [
                "add", "InfiniTime", "--name", "watch", "--model", "generic", "--counts", "today", "--format", "u32le",
                "--service", watch.steps.service.text, "--characteristic", watch.steps.characteristic.text, "--timeout",
                "120",
            ] + more)
        try #require(add.status == 0, "\(add.error)")
    }

    /// Records syncs in the nights this long ago in which no pedometer could be read.
    func failedNights(_ nightsAgo: ClosedRange<Int>, _ failure: String, _ cause: FailureCause) throws {
        let history = try StepDatabase(path: database)
        // By the machine's clock, as the program has it.
        let now = Timestamp(Int(Date().timeIntervalSince1970))
        for night in nightsAgo.reversed() {
            for pedometer in try history.pedometers() {
                let start = now - night * 86_400
                let sync = try history.beginSync(of: pedometer.id, at: start)
                try history.endSync(sync, at: start + 5, outcome: .failed, battery: nil, failure: failure, cause: cause)
            }
        }
        try history.close()
    }

    /// The steps of a day as shown to users.
    func grouped(daysAgo: Int) -> String {
        let steps = walked(daysAgo: daysAgo)
        let rest = String(steps % 1000)
        return steps < 1000 ? rest : "\(steps / 1000)," + String(repeating: "0", count: 3 - rest.count) + rest
    }
}

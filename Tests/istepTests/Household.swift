import Foundation
import SimulatedBlueZ
import Testing

/// A simulated ring and watch in range, a folder of their own, and the program configured to use both.
///
/// The local time is late in the evening, when their wearer rests, whatever the hour of the machine: no test begins on one day and ends on the
/// next, and the compared figures do not grow during a test.
struct Household {
    let stack: SimulatedBlueZ
    let ring: SimulatedRing
    let watch: SimulatedPedometer
    let folder: Folder
    var istep: Command
    let zone: TimeZone

    static func live(
        _ timing: Timing = .immediate, quirks: Quirks = Quirks(), _ body: (Household) async throws -> Void
    ) async throws {
        let hours = Self.restingOffset(at: Date())
        let zone = try #require(TimeZone(secondsFromGMT: hours * 3600))
        let ring = SimulatedRing(clock: .local(zone))
        let watch = SimulatedPedometer.infiniTime(zone: zone)
        let stack = try await SimulatedBlueZ.start(peripherals: [ring, watch], timing: timing, quirks: quirks)
        do {
            let folder = try Folder()
            // POSIX writes offsets west of Greenwich as positive.
            let istep = Command(folder: folder, bus: stack.address, timeZone: "LOCAL\(-hours)")
            try await body(Household(stack: stack, ring: ring, watch: watch, folder: folder, istep: istep, zone: zone))
        } catch {
            await stack.stop()
            throw error
        }
        await stack.stop()
    }

    /// The UTC offset in hours at which it is between 22:15 and 23:15. No wearer has steps after 22:15 (`WalkingHistory`).
    private static func restingOffset(at now: Date) -> Int {
        let (hour, minute) = (Int(now.timeIntervalSince1970) / 3600 % 24, Int(now.timeIntervalSince1970) / 60 % 60)
        let hours = (minute < 15 ? 23 : 22) - hour
        return hours > 14 ? hours - 24 : hours
    }

    /// The steps of the ring's wearer this many days ago.
    func walked(daysAgo: Int) -> Int { ring.truth(daysAgo: daysAgo).reduce(0) { $0 + $1.steps } }

    /// Checks that the program leaves nothing of Bluetooth open.
    func expectManners() async {
        let snapshot = await stack.snapshot
        #expect(snapshot.connected.isEmpty)
        #expect(snapshot.discovering.isEmpty)
    }
}

import Foundation
import SimulatedBlueZ
import Testing

/// A simulated ring and watch in range, a folder of their own, and the program configured to use both.
///
/// The local time is set to an hour of the day at which their wearer rests: no test begins on one day and ends on the
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
        let hours = try #require(Self.restingHours(at: Date()))
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

    /// A UTC offset in hours at which it is daytime, steps have been made today, and none are made for ten minutes.
    private static func restingHours(at now: Date) -> Int? {
        let hour = Int(now.timeIntervalSince1970) / 3600 % 24
        return (9...22).lazy.map { $0 - hour }.filter((-12...14).contains).first { hours in
            guard let zone = TimeZone(secondsFromGMT: hours * 3600) else { return false }
            let today = [0.0, 600].map { later in
                SimulatedRing(clock: .local(zone), now: { now + later }).truth(daysAgo: 0).reduce(0) { $0 + $1.steps }
            }
            return today[0] > 0 && today[0] == today[1]
        }
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

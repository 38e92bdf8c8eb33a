import Foundation
import SimulatedBlueZ
import Testing

/// A simulated ring and watch in range, a folder of their own, and the program pointed at both.
///
/// Local time is made to be about noon, so that no test begins on one day and ends on the next.
struct Household {
    let stack: SimulatedBlueZ
    let ring: SimulatedRing
    let watch: SimulatedPedometer
    let folder: Folder
    var istep: Command
    let zone: TimeZone

    static func live(_ timing: Timing = .immediate, _ body: (Household) async throws -> Void) async throws {
        let utc = Int(Date().timeIntervalSince1970) % 86_400
        // Whole hours: POSIX writes west of Greenwich as positive.
        let hours = (43_200 - utc) / 3600
        let zone = try #require(TimeZone(secondsFromGMT: hours * 3600))
        // Who wears them stands still from here on: what is compared must not grow while a test runs.
        let began = Date()
        let ring = SimulatedRing(clock: .local(zone), now: { began })
        let watch = SimulatedPedometer.infiniTime(zone: zone, now: { began })
        let stack = try await SimulatedBlueZ.start(peripherals: [ring, watch], timing: timing)
        do {
            let folder = try Folder()
            let istep = Command(folder: folder, bus: stack.address, timeZone: "LOCAL\(-hours)")
            try await body(Household(stack: stack, ring: ring, watch: watch, folder: folder, istep: istep, zone: zone))
        } catch {
            await stack.stop()
            throw error
        }
        await stack.stop()
    }

    /// What the ring's wearer walked so many days ago.
    func walked(daysAgo: Int) -> Int { ring.truth(daysAgo: daysAgo).reduce(0) { $0 + $1.steps } }

    /// Nothing of Bluetooth is left open by the program.
    func expectManners() async {
        let snapshot = await stack.snapshot
        #expect(snapshot.connected.isEmpty)
        #expect(snapshot.discovering.isEmpty)
    }
}

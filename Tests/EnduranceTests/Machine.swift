import BlueZ
import DBus
import Foundation
import GRDB
import Pedometers
import SimulatedBlueZ
@testable import StepDatabase
import StepDomain
@testable import StepServices
import Synchronization

/// A machine with its history, which syncs at night and has faults.
final class Machine: Sendable {
    let stack: SimulatedBlueZ
    let world: World
    let itinerary: Itinerary
    private let path: String

    /// - Parameter path: the path of the history.
    init(_ stack: SimulatedBlueZ, _ world: World, _ itinerary: Itinerary, path: String) {
        (self.stack, self.world, self.itinerary, self.path) = (stack, world, itinerary, path)
    }

    /// Opened again for each night, as every run of the program does.
    func history() throws -> StepDatabase { try StepDatabase(path: path) }

    /// One run, with its fault.
    ///
    /// - Parameter roll: decides when in the run the fault occurs, from 0.
    /// - Returns: nil if the machine did not finish the run.
    func sync(_ address: String, _ trouble: Trouble?, roll: Int) async throws -> SyncReport? {
        if trouble == .asleep { return nil }
        let database = try history()
        guard let pedometer = try database.pedometers().first(where: { $0.address == address }) else { return nil }
        if trouble == .fullDisk {
            // Makes SQLite report a full disk: the file may not grow by a page.
            try database.write { try $0.execute(sql: "PRAGMA max_page_count = \(Int.fetchOne($0, sql: "PRAGMA page_count") ?? 1)") }
        }
        let cut = trouble == .powerCut ? roll % 4 : nil
        let fuse = FusedHistory(database, merges: cut)
        await inject(trouble, address, roll)

        let offset = trouble == .machineClock ? (roll % 41 - 20) * 60 : 0
        let now: @Sendable () -> Timestamp = { [world] in world.now + offset }
        let place = itinerary.place(at: world.now)
        let blow = Blow { [stack] in
            switch trouble {
            case .daemonRestart: try? await stack.restart()
            case .unplugged: await stack.unplug()
            default: break
            }
        }
        // Without a fault nothing is waited for in vain, and a loaded machine must not reach a limit.
        let isHurried = trouble != nil && trouble != .machineClock
        let recorder = SyncRecorder(
            fuse, localTime: place, now: now,
            progress: { _, step in if case .reading(let done, _) = step, done > roll % 5 { blow.strike() } })
        let report = await recorder.read([pedometer], by: reader(place, isHurried: isHurried, now)).first
        await blow.done()
        if trouble == .unplugged { await stack.plug() }
        await stack.clearFaults()
        return fuse.isBlown ? nil : report
    }

    private func reader(_ place: LocalTime, isHurried: Bool, _ now: @escaping @Sendable () -> Timestamp) -> BluetoothPedometerReader {
        var limits = ConnectionLimits()
        // Of the hurried clock: a ring in range must be heard in a tenth of it.
        limits.scan = .seconds(10)
        limits.attempts = 2
        return BluetoothPedometerReader(
            limits: limits, localTime: place, now: now, clock: HurriedClock(pace: isHurried ? 100 : 1),
            central: { [stack] in try await Central.open(.address(stack.address), clock: HurriedClock(pace: isHurried ? 10 : 1)) })
    }

    private func inject(_ trouble: Trouble?, _ address: String, _ roll: Int) async {
        switch trouble {
        case .absent: await stack.inject(.outOfRange, for: address)
        case .drop:
            await stack.inject(.drop(afterPackets: roll % 90), for: address)
            await stack.inject(.drop(during: .read), for: address)
        case .refusal: await stack.inject(.refuseConnect(), for: address)
        case .garbled:
            let kinds: [Rubbish] = [.wrongChecksum, .swallowed, .doubled, .truncated(to: 7), .random(seed: UInt64(roll))]
            await stack.inject(.rubbish(kinds[roll % kinds.count], .every(9 + roll % 23)), for: address)
        default: break
        }
    }
}

/// An action that runs once in the middle of a sync.
private final class Blow: Sendable {
    private let task = Mutex<Task<Void, Never>?>(nil)
    private let body: @Sendable () async -> Void

    init(_ body: @escaping @Sendable () async -> Void) { self.body = body }

    func strike() {
        task.withLock { task in
            if task == nil { task = Task { await body() } }
        }
    }

    /// Runs the action now if it has not run yet, and waits for its end.
    func done() async {
        strike()
        await task.withLock { $0 }?.value
    }
}

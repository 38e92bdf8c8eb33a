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
import TestSupport

/// A machine with its history, which syncs at night and has faults.
final class Machine: Sendable {
    let stack: SimulatedBlueZ
    /// The time of the machine, its pedometers and people.
    let time: TestTime
    let itinerary: Itinerary
    private let path: String

    /// - Parameter path: the path of the history.
    init(_ stack: SimulatedBlueZ, _ time: TestTime, _ itinerary: Itinerary, path: String) {
        (self.stack, self.time, self.itinerary, self.path) = (stack, time, itinerary, path)
    }

    /// Opened again for each night, as every run of the program does.
    func history() throws -> StepDatabase { try StepDatabase(path: path) }

    /// One run, with its fault.
    ///
    /// - Parameter roll: decides when in the run the fault occurs, from 0.
    /// - Returns: nil if the machine did not finish the run.
    func sync(_ address: String, _ fault: NightFault?, roll: Int) async throws -> SyncReport? {
        if fault == .asleep { return nil }
        let database = try history()
        guard let pedometer = try database.pedometers().first(where: { $0.address == address }) else { return nil }
        if fault == .fullDisk {
            // Makes SQLite report a full disk: the file may not grow by a page.
            try database.write {
                try $0.execute(sql: "PRAGMA max_page_count = \(Int.fetchOne($0, sql: "PRAGMA page_count") ?? 1)")
            }
        }
        let cut = fault == .powerCut ? roll % 4 : nil
        let powerCutHistory = PowerCutHistory(database, merges: cut)
        await inject(fault, address, roll)

        let offset = fault == .machineClock ? (roll % 41 - 20) * 60 : 0
        let now: @Sendable () -> Timestamp = { [time] in time.now + offset }
        let localTime = itinerary.localTime(at: time.now)
        let midSync = OneTimeAction { [stack] in
            switch fault {
            case .daemonRestart: try? await stack.restart()
            case .unplugged: await stack.unplug()
            default: break
            }
        }
        // Without a fault nothing is waited for in vain, and a loaded machine must not reach a limit.
        let isFaster = fault != nil && fault != .machineClock
        let recorder = SyncRecorder(
            powerCutHistory, localTime: localTime, now: now,
            progress: { _, step in if case .reading(let done, _) = step, done > roll % 5 { midSync.run() } })
        let report = await recorder.read([pedometer], by: reader(localTime, isFaster: isFaster, now)).first
        await midSync.finish()
        if fault == .unplugged { await stack.plug() }
        await stack.clearFaults()
        return powerCutHistory.hasLostPower ? nil : report
    }

    private func reader(_ localTime: LocalTime, isFaster: Bool, _ now: @escaping @Sendable () -> Timestamp)
        -> BluetoothAccess
    {
        var limits = ConnectionLimits()
        // By the faster clock: a ring in range must be heard in a tenth of this time.
        limits.scan = .seconds(10)
        limits.attempts = 2
        return BluetoothAccess(
            limits: limits, localTime: localTime, now: now, clock: ScaledClock.faster(isFaster ? 100 : 1),
            central: { [stack] in
                try await Central.open(.address(stack.address), clock: ScaledClock.faster(isFaster ? 10 : 1))
            })
    }

    private func inject(_ fault: NightFault?, _ address: String, _ roll: Int) async {
        switch fault {
        case .absent: await stack.inject(.outOfRange, for: address)
        case .drop:
            await stack.inject(.drop(afterPackets: roll % 90), for: address)
            await stack.inject(.drop(during: .read), for: address)
        case .refusal: await stack.inject(.refuseConnect(), for: address)
        case .garbled:
            let kinds: [Corruption] = [
                .wrongChecksum, .dropped, .doubled, .truncated(to: 7), .random(seed: UInt64(roll)),
            ]
            await stack.inject(.corruption(kinds[roll % kinds.count], .every(9 + roll % 23)), for: address)
        default: break
        }
    }
}

/// An action that runs once in the middle of a sync.
private final class OneTimeAction: Sendable {
    private let task = Mutex<Task<Void, Never>?>(nil)
    private let body: @Sendable () async -> Void

    init(_ body: @escaping @Sendable () async -> Void) { self.body = body }

    func run() {
        task.withLock { task in
            if task == nil { task = Task { await body() } }
        }
    }

    /// Runs the action now if it has not run yet, and waits for its end.
    func finish() async {
        run()
        await task.withLock { $0 }?.value
    }
}

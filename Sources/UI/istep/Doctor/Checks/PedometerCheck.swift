import BlueZ
import Pedometers
import StepDatabase
import StepDomain

extension Check {
    /// Connects to a pedometer, checks its services, and has it tell of its battery and its clock.
    static func pedometer(_ pedometer: Pedometer, _ context: CheckupContext) -> Check {
        // Three attempts to connect, each given up by the kernel after 20 s, and the scan before.
        Check("pedometer", .pedometers, pedometer.name, needs: ["scan", "history"], limit: .seconds(120)) {
            guard let heard = context.heard, let database = context.database, let address = DeviceAddress(pedometer.address) else {
                return [Remark(.skipped, pedometer.name, "not connected to")]
            }
            let discovery = heard[address]
            let seen = PedometerRemarks(pedometer, discovery)
            do {
                // Two that connect to the same pedometer are in each other's way.
                return seen.of(try await locked(database) { try await reader(context, isHeard: discovery != nil).examine(pedometer) })
            } catch SyncLockError.held(_, let process) {
                let by = process.map { " (process \($0))" } ?? ""
                return [Remark(.skipped, pedometer.name, "not connected to: a sync has just begun\(by)")]
            } catch {
                return seen.of(error)
            }
        }
    }

    private static func locked<R>(_ database: String, _ body: () async throws -> R) async throws -> R {
        do {
            return try await SyncLock.hold(ofDatabase: database, leavingNothing: true, body)
        } catch let error as SyncLockError {
            if case .held = error { throw error }
            return try await body()     // where nobody may lock, nobody syncs
        }
    }

    private static func reader(_ context: CheckupContext, isHeard: Bool) -> BluetoothPedometerReader {
        // A bonded pedometer may call this machine alone, which no scan shows: what was not heard is tried all the same.
        let limits = ConnectionLimits(scan: .seconds(isHeard ? 20 : 3), attempts: 3)
        let instruments = context.instruments
        return BluetoothPedometerReader(
            adapter: context.adapter, limits: limits, localTime: instruments.localTime, now: instruments.now,
            central: { try await Central.open(instruments.bus, machine: instruments.machine) })
    }
}

/// Waits for an adapter that is just coming up: who plugs one in, or starts the machine, has programs begin before `bluetoothd` has
/// found it and switched it on.
///
/// It asks anew, each time over a connection of its own: until `bluetoothd` runs there is nothing that could tell of a change.
public struct AdapterWait: Sendable {
    /// After which nothing is asked any more.
    public var limit: Duration
    /// Between one look and the next.
    public var pause: Duration
    private let clock: any Clock<Duration>

    public init(limit: Duration = .seconds(15), pause: Duration = .seconds(1), clock: any Clock<Duration> = ContinuousClock()) {
        self.limit = limit
        self.pause = pause
        self.clock = clock
    }

    /// Returns when an adapter can be used, when none is going to be, or when patience is over: what is wrong then is told by whoever
    /// needs the adapter.
    ///
    /// - Parameters:
    ///   - adapter: such as `hci1`; nil for any.
    ///   - central: opened for each look and closed at its end.
    public func callAsFunction(_ adapter: String?, _ central: @Sendable () async throws -> Central) async {
        await wait(clock, adapter, central)
    }

    private func wait<C: Clock<Duration>>(_ clock: C, _ adapter: String?, _ central: () async throws -> Central) async {
        let deadline = clock.now.advanced(by: limit)
        while await mayComeUp(adapter, central) {
            // A bus may take its time to start bluetoothd.
            guard clock.now.advanced(by: pause) <= deadline, (try? await clock.sleep(for: pause)) != nil else { return }
        }
    }

    /// Whether there is none, and may be one soon.
    private func mayComeUp(_ adapter: String?, _ central: () async throws -> Central) async -> Bool {
        do {
            let central = try await central()
            let result: Bool
            do throws(BluetoothError) {
                _ = try await central.adapter(adapter)
                result = false
            } catch {
                result = error.mayPassByItself
            }
            await central.close()
            return result
        } catch {
            return (error as? BluetoothError)?.mayPassByItself ?? false
        }
    }
}

extension BluetoothError {
    /// A block, and a missing permission, are somebody's to lift.
    fileprivate var mayPassByItself: Bool {
        switch self {
        case .noAdapter, .adapterDown, .daemonNotRunning, .adapterLost: true
        default: false
        }
    }
}

/// Waits for an adapter that is just coming up: who plugs one in, or starts the machine, has programs begin before `bluetoothd` has
/// found it and switched it on.
///
/// It asks anew, each time over a connection of its own: until `bluetoothd` runs there is nothing that could tell of a change.
public struct AdapterWait: Sendable {
    /// How often to ask, at least once.
    public var tries: Int
    /// Between one and the next.
    public var pause: Duration
    private let clock: any Clock<Duration>

    /// By default it waits for 15 seconds.
    public init(tries: Int = 16, pause: Duration = .seconds(1), clock: any Clock<Duration> = ContinuousClock()) {
        self.tries = tries
        self.pause = pause
        self.clock = clock
    }

    /// Returns when an adapter can be used, when none is going to be, or when patience is over: what is wrong then is told by whoever
    /// needs the adapter.
    ///
    /// - Parameters:
    ///   - adapter: such as `hci1`; nil for any.
    ///   - central: opened for each try and closed at its end.
    public func callAsFunction(_ adapter: String?, _ central: @Sendable () async throws -> Central) async {
        for remaining in (0..<max(1, tries)).reversed() {
            do {
                let central = try await central()
                let isThere: Bool
                do throws(BluetoothError) {
                    _ = try await central.adapter(adapter)
                    isThere = true
                } catch {
                    isThere = !error.mayPassByItself
                }
                await central.close()
                if isThere { return }
            } catch {
                guard (error as? BluetoothError)?.mayPassByItself == true else { return }
            }
            guard remaining > 0, (try? await clock.sleep(for: pause)) != nil else { return }
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

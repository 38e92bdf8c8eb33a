extension Central {
    /// Waits for an adapter that is just coming up: when an adapter is plugged in, or the machine starts, programs may
    /// begin before `bluetoothd` has found it and switched it on.
    ///
    /// It checks repeatedly, each time over a new connection: until `bluetoothd` runs there is nothing that could
    /// signal a change. It returns when an adapter can be used, when none will come up, or when the limit is over. The
    /// error is then reported by the caller that needs the adapter.
    ///
    /// - Parameters:
    ///   - adapter: such as `hci1`; nil for any.
    ///   - limit: the time after which it stops checking.
    ///   - pause: the time between two checks.
    ///   - clock: measures `limit` and `pause`.
    ///   - central: opens a central for each check, which is closed at the end of the check.
    public static func waitForAdapter(
        _ adapter: String?, limit: Duration = .seconds(15), pause: Duration = .seconds(1),
        clock: any Clock<Duration> = ContinuousClock(), opening central: @Sendable () async throws -> Central
    ) async {
        let stopwatch = Stopwatch(clock)
        while await mayComeUp(adapter, central) {
            // A bus may need some time to start bluetoothd.
            guard stopwatch.elapsed() + pause <= limit, (try? await clock.sleep(for: pause)) != nil else { return }
        }
    }

    /// Whether no adapter can be used now, but one may come up soon.
    private static func mayComeUp(_ adapter: String?, _ central: () async throws -> Central) async -> Bool {
        do {
            _ = try await central().closing { try await $0.adapter(adapter) }
            return false
        } catch {
            return (error as? BluetoothError)?.mayPassByItself ?? false
        }
    }

    /// Waits for an adapter that was lost while it was in use: `bluetoothd` restarts, or the adapter is switched off
    /// and on or plugged in again. It is not switched on.
    ///
    /// - Parameters:
    ///   - adapter: such as `hci1`; nil for any.
    ///   - limit: the time to wait.
    /// - Throws: the adapter's error if it cannot be used by then, or if waiting does not help; `cancelled`.
    public func waitForAdapter(_ adapter: String? = nil, limit: Duration = .seconds(15)) async throws(BluetoothError) {
        let stopwatch = Stopwatch(clock)
        while true {
            let failure: BluetoothError
            do throws(BluetoothError) {
                _ = try await usableAdapter(adapter)
                return
            } catch {
                failure = error
            }
            let left = limit - stopwatch.elapsed()
            guard failure.mayPassByItself, left > .zero else { throw failure }
            do throws(BluetoothError) {
                try await daemon.wait(limit: left, doing: "") { cache in
                    cache.adapters.contains { (adapter == nil || $0.name == adapter) && $0.isPowered }
                        ? .success(()) : nil
                }
                return
            } catch {
                switch error {
                case .timedOut: throw failure
                case .cancelled, .noBus: throw error
                // The bluetoothd that had just started has ended again.
                default: try? await clock.sleep(for: .seconds(1))
                }
            }
        }
    }
}

extension BluetoothError {
    /// Whether an adapter may be usable again soon. A block, and a missing permission, remain until a user removes
    /// them.
    package var mayPassByItself: Bool {
        switch self {
        case .noAdapter, .adapterDown, .daemonNotRunning, .adapterLost: true
        default: false
        }
    }
}

internal import DBus

/// Looks out for peripherals that may come into range: for a program that stays.
///
/// Where BlueZ can monitor advertisements by itself it is asked to, which costs this program nothing while nobody comes; seldom scans
/// go with that. Elsewhere there are short scans with long pauses. What other programs' scans find counts as well. An adapter
/// that is switched off or pulled out, and a `bluetoothd` that ends, are waited for. It ends when the bus does.
///
/// ```swift
/// let lookout = Lookout(central)
/// await lookout.look(for: [address])
/// for await case .heard(let address) in lookout.sightings { … }
/// ```
public actor Lookout {
    /// What a lookout tells.
    public enum Sighting: Sendable, Hashable {
        /// A peripheral that is looked for is in range. May be told many times.
        case heard(DeviceAddress)
        /// It listens from now on.
        case listening(Means)
        /// It cannot listen now, and waits until it can.
        case blind(BluetoothError)
    }

    /// How a lookout listens.
    public enum Means: Sendable, Hashable { case monitor, scans }

    /// Ends when the bus goes away, and with `close`. Who does not read loses the oldest of 64 entries.
    public nonisolated let sightings: AsyncStream<Sighting>
    let continuation: AsyncStream<Sighting>.Continuation

    let central: Central
    private let adapter: String?
    let pace: ScanPace
    private var wanted: Set<DeviceAddress> = []
    /// Whether this round is known to hear, and has said so.
    private var hasBegun = false
    /// That a monitor was registered or a scan begun says nothing of an adapter that failed otherwise: something must be heard, or a whole
    /// scan come about.
    private var needsProof = false
    /// How long ago the last scan ended or, before the first, a monitor was registered.
    private var sinceScan: (@Sendable () -> Duration)?
    private var watch: Task<Void, Never>?
    private var rounds = 0

    /// - Parameters:
    ///   - adapter: such as `hci1`; by default the first one that is switched on.
    ///   - pace: of the scans where BlueZ has no monitor.
    public init(_ central: Central, adapter: String? = nil, pace: ScanPace = ScanPace()) {
        self.central = central
        self.adapter = adapter
        self.pace = pace
        (sightings, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
    }

    /// Looks for these from now on, and for no others; for nobody when there are none: then it uses no radio.
    public func look(for addresses: Set<DeviceAddress>) {
        guard addresses != wanted else { return }
        wanted = addresses
        let before = watch
        before?.cancel()
        watch = Task {
            await before?.value
            await self.run(addresses)
        }
    }

    /// Looks for nobody, and returns when that is so: no discovery of its own runs any more, and no monitor is registered. For before
    /// connecting, which a scan disturbs.
    public func rest() async {
        look(for: [])
        await watch?.value
    }

    /// Ends it for good.
    public func close() async {
        await rest()
        continuation.finish()
    }

    // MARK: What a round tells

    /// It listens.
    ///
    /// - Parameter isProven: and it has heard something, or scanned to the end.
    func begin(_ means: Means, isProven: Bool) {
        guard !hasBegun, isProven || !needsProof else { return }
        hasBegun = true
        needsProof = false
        continuation.yield(.listening(means))
    }

    /// Of the pause between two scans beside a monitor, what is left: it goes on from one round to the next.
    func left(of pause: Duration) -> Duration {
        guard let sinceScan else {
            self.sinceScan = central.daemon.clock.stopwatch()
            return pause
        }
        return max(.zero, pause - sinceScan())
    }

    func hasScanned() { sinceScan = central.daemon.clock.stopwatch() }

    // MARK: Whatever happens

    private func run(_ addresses: Set<DeviceAddress>) async {
        var setbacks = Setbacks()
        var releases = 0
        while !addresses.isEmpty, !Task.isCancelled {
            hasBegun = false
            do throws(BluetoothError) {
                let adapter = try await central.usableAdapter(adapter)
                rounds += 1
                let round = Round(lookout: self, adapter: adapter, addresses: addresses, number: rounds)
                if try await round.run(mayMonitor: releases < 3) == .released { releases += 1 }
                setbacks = Setbacks()
            } catch {
                guard error != .cancelled, !Task.isCancelled else { return }
                continuation.yield(.blind(error))
                // It could: what stands in the way now is new.
                if hasBegun { setbacks = Setbacks() }
                // The end of the bus may be told by a call before the daemon has heard of it.
                if case .noBus = error { return continuation.finish() }
                if await central.daemon.end != nil { return continuation.finish() }
                await recover(from: error, &setbacks)
            }
        }
    }

    private func recover(from error: BluetoothError, _ setbacks: inout Setbacks) async {
        let name = adapter
        @Sendable func isUsable(_ cache: ObjectCache) -> Bool {
            cache.isLoaded && cache.adapters.contains { (name == nil || $0.name == name) && $0.isPowered }
        }
        switch setbacks.answer(to: error, isUsable: isUsable(await central.daemon.cache)) {
        case .tryAgain: needsProof = false
        case .pause(let pause):
            needsProof = true
            try? await central.clock.sleep(for: pause)
        case .waitForAdapter:
            needsProof = false
            // Not for ever: what the bus starts on demand is asked for again some time.
            try? await central.daemon.wait(limit: .seconds(1800), doing: "") { isUsable($0) ? .success(()) : nil }
        }
    }
}

extension Clock where Duration == Swift.Duration {
    /// Tells how long ago it was made.
    fileprivate func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: self.now) }
    }
}

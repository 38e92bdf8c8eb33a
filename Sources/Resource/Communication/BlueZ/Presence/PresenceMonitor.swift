/// Watches for peripherals that may come into range: for a long-running program.
///
/// If BlueZ can monitor advertisements by itself, it is asked to: that costs this program nothing while no peripheral
/// is near; rare scans are added. Otherwise there are short scans with long pauses. Results of other programs' scans
/// count as well. If an adapter is switched off or pulled out, or `bluetoothd` ends, it waits for them. It ends when
/// the bus does.
///
/// ```swift
/// let presence = PresenceMonitor(central)
/// await presence.watch(for: [address])
/// for await case .discovered(let address) in presence.events { … }
/// ```
public actor PresenceMonitor {
    /// The events of a monitor.
    public enum Event: Sendable, Hashable {
        /// A peripheral that is looked for is in range. May be reported many times.
        case discovered(DeviceAddress)
        /// It is listening from now on.
        case listening(Mode)
        /// It cannot listen now, and waits until it can.
        case unavailable(BluetoothError)
    }

    /// How a monitor listens.
    public enum Mode: Sendable, Hashable { case monitor, scans }

    /// Ends when the bus goes away, when the central is closed, and with `close`. If it is not read, the oldest of 64
    /// entries are lost.
    public nonisolated let events: AsyncStream<Event>
    let continuation: AsyncStream<Event>.Continuation

    let central: Central
    private let adapter: String?
    let pace: ScanPace
    /// The address that the data of an advertisement names.
    let identity: @Sendable (Discovery) -> DeviceAddress?
    private var wanted = Targets()
    /// Whether this round was shown to receive advertisements, and this was reported.
    private var hasBegun = false
    /// After an adapter failed although it is usable, a registered monitor or a started scan does not prove that it
    /// works: something must be heard, or a whole scan must succeed.
    private var needsProof = false
    /// How long ago the last scan ended or, before the first, a monitor was registered.
    private var sinceScan: Stopwatch?
    private var listening: Task<Void, Never>?
    private var rounds = 0

    /// - Parameters:
    ///   - central: stays open as long as this is used.
    ///   - adapter: such as `hci1`; by default the first one that is switched on.
    ///   - pace: the times of the scans if BlueZ has no monitor.
    ///   - identity: the address that the data of an advertisement names, for peripherals that advertise from changing
    ///     addresses.
    public init(
        _ central: Central, adapter: String? = nil, pace: ScanPace = ScanPace(),
        identity: @escaping @Sendable (Discovery) -> DeviceAddress? = { _ in nil }
    ) {
        self.identity = identity
        self.central = central
        self.adapter = adapter
        self.pace = pace
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
    }

    /// What is looked for.
    struct Targets: Sendable, Hashable {
        var addresses: Set<DeviceAddress> = []
        /// The members of `addresses` that may be heard from another address, and are known by their data.
        var byData: Set<DeviceAddress> = []
    }

    /// Looks for these from now on, and for no others. With an empty set it looks for none and uses no radio.
    ///
    /// - Parameters:
    ///   - addresses: the devices to look for.
    ///   - byData: those of `addresses` that may be heard from another address: their data name this one.
    public func watch(for addresses: Set<DeviceAddress>, byData: Set<DeviceAddress> = []) {
        let targets = Targets(addresses: addresses, byData: byData.intersection(addresses))
        guard targets != wanted else { return }
        wanted = targets
        let before = listening
        before?.cancel()
        listening = Task {
            await before?.value
            await self.run(targets)
        }
    }

    /// Stops looking, and returns when that is done: it runs no discovery, and has no monitor registered. Called before
    /// connecting, which a scan disturbs.
    public func stop() async {
        watch(for: [])
        await listening?.value
    }

    /// Ends it permanently.
    public func close() async {
        await stop()
        continuation.finish()
    }

    // MARK: Events of a round

    /// Listening has begun.
    ///
    /// - Parameter isProven: whether it has heard something, or scanned to the end.
    func begin(_ mode: Mode, isProven: Bool) {
        guard !hasBegun, isProven || !needsProof else { return }
        hasBegun = true
        needsProof = false
        continuation.yield(.listening(mode))
    }

    /// The rest of the pause between two scans beside a monitor: it continues from one round to the next.
    func left(of pause: Duration) -> Duration {
        guard let sinceScan else {
            self.sinceScan = Stopwatch(central.daemon.clock)
            return pause
        }
        return max(.zero, pause - sinceScan.elapsed())
    }

    func hasScanned() { sinceScan = Stopwatch(central.daemon.clock) }

    // MARK: The loop

    private func run(_ targets: Targets) async {
        await central.daemon.pin(targets.addresses)
        await listen(for: targets)
        await central.daemon.unpin(targets.addresses)
    }

    private func listen(for targets: Targets) async {
        var failures = ListeningRetry()
        var releases = 0
        while !targets.addresses.isEmpty, !Task.isCancelled {
            hasBegun = false
            do throws(BluetoothError) {
                let adapter = try await central.usableAdapter(adapter)
                rounds += 1
                let round = Round(presence: self, adapter: adapter, targets: targets, number: rounds)
                if try await round.run(mayMonitor: releases < 3) == .released { releases += 1 }
                failures = ListeningRetry()
            } catch {
                guard !Task.isCancelled else { return }
                // The central was closed.
                guard error != .cancelled else { return continuation.finish() }
                continuation.yield(.unavailable(error))
                // It could listen before: the present obstacle is new.
                if hasBegun { failures = ListeningRetry() }
                // A call may report the end of the bus before the daemon has noticed it.
                if case .noBus = error { return continuation.finish() }
                if await central.daemon.end != nil { return continuation.finish() }
                await recover(from: error, &failures)
            }
        }
    }

    private func recover(from error: BluetoothError, _ failures: inout ListeningRetry) async {
        let name = adapter
        @Sendable func isUsable(_ cache: ObjectCache) -> Bool {
            cache.isLoaded && cache.adapters.contains { (name == nil || $0.name == name) && $0.isPowered }
        }
        let isUsableNow = isUsable(await central.daemon.cache)
        switch failures.answer(to: error, isUsable: isUsableNow) {
        case .tryAgain: needsProof = false
        case .pause(let pause):
            needsProof = isUsableNow
            try? await central.clock.sleep(for: pause)
        case .waitForAdapter:
            needsProof = false
            // Limited: a service that the bus starts on demand has to be requested again at some time.
            try? await central.daemon.wait(limit: .seconds(1800), doing: "") { isUsable($0) ? .success(()) : nil }
        }
    }
}

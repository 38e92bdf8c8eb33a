import BlueZ

/// A lookout that outlives its bus: where that goes away, or is not there yet, it is tried again.
actor Ears {
    private let wiring: Wiring
    private var lookout: Lookout?
    private var wanted: Set<DeviceAddress> = []

    init(_ wiring: Wiring) { self.wiring = wiring }

    /// Looks for these from now on, and for nobody else.
    func seek(_ addresses: Set<DeviceAddress>) async {
        wanted = addresses
        await lookout?.look(for: addresses)
    }

    /// Looks for nobody; returns when no scan of this runs any more.
    func rest() async {
        wanted = []
        await lookout?.rest()
    }

    /// Until the task is cancelled; leaves nothing open.
    func run(_ tell: @Sendable (Lookout.Sighting) -> Void) async {
        var setbacks = 0
        while !Task.isCancelled {
            do {
                let central = try await wiring.central()
                let lookout = Lookout(central, adapter: wiring.adapter)
                self.lookout = lookout
                await lookout.look(for: wanted)
                for await sighting in lookout.sightings {
                    if case .listening = sighting { setbacks = 0 }
                    tell(sighting)
                }
                self.lookout = nil
                await lookout.close()
                await central.close()
            } catch {
                if let error = error as? BluetoothError, error != .cancelled { tell(.blind(error)) }
            }
            setbacks += 1
            // Two seconds to begin with: a bus or a daemon that is just restarted is soon there again.
            try? await wiring.clock.sleep(for: .seconds(min(1 << min(setbacks, 6), 60)))
        }
    }
}

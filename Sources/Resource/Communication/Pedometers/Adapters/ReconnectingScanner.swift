internal import BlueZ
public import StepDomain
internal import Support

/// Listens for pedometers through BlueZ, and connects again if the bus goes away or is not there yet.
public actor ReconnectingScanner: PresenceScanner {
    private let access: BluetoothAccess
    private var presence: PresenceMonitor?
    private var wanted: Set<DeviceAddress> = []
    private var advertised: Set<DeviceAddress> = []
    /// The addresses as they were passed to `scan(for:)`, which may be written differently.
    private var names: [DeviceAddress: String] = [:]

    /// Two seconds at first: a bus or a daemon that is being restarted is back soon.
    static let backoff = ExponentialBackoff(first: .seconds(2), longest: .seconds(60))

    /// - Parameter access: a central is opened while it runs, and again each time the bus has gone away.
    public init(_ access: BluetoothAccess) { self.access = access }

    /// A text that is not an address is ignored.
    public func scan(for addresses: Set<String>, advertised: Set<String>) async {
        let pairs = addresses.compactMap { text in DeviceAddress(text).map { ($0, text) } }
        names = Dictionary(pairs) { first, _ in first }
        wanted = Set(pairs.map(\.0))
        self.advertised = Set(advertised.compactMap { DeviceAddress($0) })
        await presence?.watch(for: wanted, byData: self.advertised)
    }

    public func pause() async {
        wanted = []
        await presence?.stop()
    }

    public func run(_ report: @escaping @Sendable (PresenceEvent) -> Void) async {
        var failures = 0
        while !Task.isCancelled {
            do {
                let central = try await access.central()
                let presence = PresenceMonitor(central, adapter: access.adapter) { PedometerRegistry.identity(in: $0) }
                self.presence = presence
                await presence.watch(for: wanted, byData: advertised)
                for await event in presence.events {
                    switch event {
                    case .discovered(let address): if let name = names[address] { report(.discovered(address: name)) }
                    case .listening:
                        failures = 0
                        report(.listening)
                    case .unavailable(let error): report(.unavailable(error))
                    }
                }
                self.presence = nil
                await presence.close()
                await central.close()
            } catch {
                if let error = error as? BluetoothError, error != .cancelled { report(.unavailable(error)) }
            }
            failures += 1
            try? await access.environment.clock.sleep(for: Self.backoff.pause(after: failures))
        }
    }
}

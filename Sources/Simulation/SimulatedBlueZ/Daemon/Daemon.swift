import DBus

/// bluetoothd and the air around it: all state in one place, every step taken at once and completely.
///
/// What a step has to say goes to the outbox; what has to happen later is scheduled with `after`.
actor Daemon {
    typealias Action = @Sendable (isolated Daemon) -> Void

    let timing: Timing
    let quirks: Quirks
    var tree = ObjectTree()
    var adapters: [ObjectPath: Adapter] = [:]
    var devices: [ObjectPath: Device] = [:]
    var agents = AgentList()
    /// Everything that may be in range, by address.
    var peripherals: [String: any SimulatedPeripheral] = [:]
    var faults: [String: FaultBook] = [:]
    var dice = Dice(seed: 0x0ddb1a5e)
    /// Clients that left the bus. Their calls may still arrive: nothing is opened for them any more.
    var departed: Set<String> = []
    /// Calls that BlueZ 5.66 leaves without an answer; dropped, they would be answered.
    var unanswered: [Request] = []
    let events = EventLog()

    private var outbox: Outbox?
    private var ready: [Action] = []
    private var timers: [Int: Task<Void, Never>] = [:]
    private var lastNumber = 0
    private let air: AsyncStream<AirEvent>.Continuation
    private let airEvents: AsyncStream<AirEvent>
    private var listening: Task<Void, Never>?

    /// Something that a peripheral sent over a link.
    struct AirEvent: Sendable {
        let device: ObjectPath
        let link: Int
        let event: PeripheralLink.Event
    }

    init(timing: Timing, quirks: Quirks) {
        self.timing = timing
        self.quirks = quirks
        (airEvents, air) = AsyncStream.makeStream()
    }

    /// Takes one step, and the ones that follow from it without delay.
    func perform<Value: Sendable>(_ step: @Sendable (isolated Daemon) -> Value) -> Value {
        let value = step(self)
        while !ready.isEmpty {
            let steps = ready
            ready = []
            for step in steps { step(self) }
        }
        return value
    }

    /// Takes a step later; with no delay, as soon as the present step is complete.
    func after(_ delay: Duration, _ action: @escaping Action) {
        guard delay > .zero else { return ready.append(action) }
        let number = nextNumber()
        timers[number] = Task { [clock = timing.clock] in
            do { try await clock.sleep(for: delay) } catch { return }
            self.perform { daemon in
                // Cancelled between waking up and getting here: the step belongs to a daemon that is gone.
                guard daemon.timers.removeValue(forKey: number) != nil else { return }
                action(daemon)
            }
        }
    }

    /// A number that was not used before.
    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    // MARK: On and off the bus

    /// From now on `outbox` carries what the daemon says.
    func start(_ outbox: Outbox) {
        self.outbox = outbox
        if listening == nil {
            listening = Task { [airEvents] in
                for await event in airEvents { self.perform { $0.receive(event) } }
            }
        }
        exportAll()
    }

    /// The process ends: links, sessions and agents are gone, bonds and known devices are kept.
    func halt() {
        for timer in timers.values { timer.cancel() }
        timers = [:]
        ready = []
        outbox = nil
        forgetEverythingVolatile()
    }

    func shutDown() {
        halt()
        air.finish()
        listening?.cancel()
        events.finish()
    }

    // MARK: Speaking

    func emit(_ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue]) {
        outbox?.send(.signal(path, interface: interface, member: member, arguments))
    }

    func reply(_ request: Request, _ values: [DBusValue] = []) { outbox?.send(.reply(request.call, values)) }
    func fail(_ request: Request, _ error: BlueZError) { outbox?.send(.failure(request.call, error)) }

    /// Calls a client's object; without a bus nothing comes of it.
    func ask(
        _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue],
        then: @escaping @Sendable (isolated Daemon, Result<[DBusValue], DBusError>) -> Void = { _, _ in }
    ) {
        outbox?.send(
            .call(destination: destination, path, interface: interface, member: member, arguments) { result in
                await self.perform { then($0, result) }
            })
    }

    /// A link for a peripheral to speak through.
    func peripheralLink(_ number: Int, of device: ObjectPath) -> PeripheralLink {
        PeripheralLink { [air] event in air.yield(AirEvent(device: device, link: number, event: event)) }
    }
}

import DBus
internal import Dispatch

/// bluetoothd and the radio around it: all state is in one actor, and every step is atomic.
///
/// The messages of a step go to the outbox; later actions are scheduled with `after`.
actor SimulatedDaemon {
    typealias Action = @Sendable (isolated SimulatedDaemon) -> Void

    /// Runs the tasks of the daemon, too.
    nonisolated let executor = DaemonExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let timing: Timing
    let quirks: Quirks
    var tree = ObjectTree()
    var announcements = Announcements()
    var adapters: [ObjectPath: Adapter] = [:]
    var devices: [ObjectPath: Device] = [:]
    var agents = AgentList()
    /// All peripherals that may be in range, by address.
    var peripherals: [String: any SimulatedPeripheral] = [:]
    var faults: [String: InjectedFaults] = [:]
    var random = RandomSource(seed: 0x0ddb1a5e)
    /// Clients that left the bus. Their calls may still arrive, but no session is opened for them.
    var departed: Set<String> = []
    /// Calls that BlueZ 5.66 never answers. They are kept, because a dropped request would be answered.
    var unanswered: [Request] = []
    let events = EventLog()

    private var outbox: Outbox?
    private var ready: [Action] = []
    private var timers: [Int: Timer] = [:]
    private var lastNumber = 0
    private let radio: AsyncStream<RadioEvent>.Continuation
    private let radioEvents: AsyncStream<RadioEvent>
    private var listening: Task<Void, Never>?

    /// Data that a peripheral sent over a link.
    struct RadioEvent: Sendable {
        let device: ObjectPath
        let link: Int
        let event: PeripheralLink.Event
    }

    init(timing: Timing, quirks: Quirks) {
        self.timing = timing
        self.quirks = quirks
        (radioEvents, radio) = AsyncStream.makeStream()
    }

    /// Takes one step, and the steps that follow from it without delay.
    func perform<Value: Sendable>(_ step: @Sendable (isolated SimulatedDaemon) -> Value) -> Value {
        let value = step(self)
        announceAll()
        while !ready.isEmpty {
            let steps = ready
            ready = []
            for step in steps {
                step(self)
                announceAll()
            }
        }
        return value
    }

    /// Takes a step later; without a delay, as soon as the current step is complete.
    func after(_ delay: Duration, _ action: @escaping Action) {
        guard delay > .zero else { return ready.append(action) }
        let number = nextNumber()
        let wait = Task(executorPreference: executor) { [clock = timing.clock] in
            do { try await clock.sleep(for: delay) } catch { return }
            await self.fire(number)
        }
        timers[number] = Timer(delay: delay, action: action, wait: wait)
    }

    /// A step that is taken later.
    private struct Timer {
        let delay: Duration
        let action: Action
        let wait: Task<Void, Never>
    }

    /// Takes the steps of a timer and of those that were started before it with the same delay: tasks may wake in any
    /// order, but BlueZ's answers come in the order of the requests.
    private func fire(_ number: Int) {
        // Cancelled after its wait ended: the step belongs to a stopped daemon, or was taken.
        guard let delay = timers[number]?.delay else { return }
        for number in timers.keys.filter({ $0 <= number }).sorted() where timers[number]?.delay == delay {
            guard let timer = timers.removeValue(forKey: number) else { continue }
            timer.wait.cancel()
            perform { timer.action($0) }
        }
    }

    /// A number that was not used before.
    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Joining and leaving the bus

    /// From now on `outbox` receives the daemon's messages.
    func start(_ outbox: Outbox) {
        self.outbox = outbox
        if listening == nil {
            listening = Task(executorPreference: executor) { [radioEvents] in
                for await event in radioEvents { await self.perform { $0.receive(event) } }
            }
        }
        exportAll()
    }

    /// The process ends: links, sessions and agents are discarded, bonds and known devices are kept.
    func halt() {
        for timer in timers.values { timer.wait.cancel() }
        timers = [:]
        ready = []
        outbox = nil
        discardRuntimeState()
    }

    func shutDown() {
        halt()
        radio.finish()
        listening?.cancel()
        events.finish()
    }

    // MARK: Messages

    func emit(_ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue]) {
        outbox?.send(.signal(path, interface: interface, member: member, arguments))
    }

    func reply(_ request: Request, _ values: [DBusValue] = []) {
        announceAll()
        outbox?.send(.reply(request.call, values))
    }

    func fail(_ request: Request, _ error: BlueZError) {
        announceAll()
        outbox?.send(.failure(request.call, error))
    }

    /// Calls a client's object; the outcome is not awaited.
    func notify(
        _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = []
    ) {
        announceAll()
        outbox?.send(.notification(destination: destination, path, interface: interface, member: member, arguments))
    }

    /// Calls a client's object; without a bus the call is dropped.
    func ask(
        _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue],
        then: @escaping @Sendable (isolated SimulatedDaemon, Result<[DBusValue], DBusError>) -> Void
    ) {
        announceAll()
        outbox?.send(
            .call(destination: destination, path, interface: interface, member: member, arguments) { result in
                await self.perform { then($0, result) }
            })
    }

    /// The link through which a peripheral sends.
    func peripheralLink(_ number: Int, of device: ObjectPath) -> PeripheralLink {
        PeripheralLink { [radio] event in radio.yield(RadioEvent(device: device, link: number, event: event)) }
    }
}

/// A method call on one of the daemon's objects.
struct Request: Sendable {
    let call: DBusMethodCall
    let path: ObjectPath
    /// Empty if the caller omitted it, which D-Bus permits.
    let interface: String
    let member: String
    /// The caller's unique name.
    let sender: String

    init(_ call: DBusMethodCall) {
        self.call = call
        path = call.message.path ?? .root
        interface = call.message.interface ?? ""
        member = call.message.member ?? ""
        sender = call.message.sender ?? ""
    }

    var arguments: [DBusValue] { call.message.body }
    var signature: String { arguments.map(\.signature).joined() }

    /// The options of a GATT call, which rejects options of a wrong type, as BlueZ does.
    func options(at index: Int) throws(BlueZError) -> (offset: Int, type: String?) {
        guard arguments.indices.contains(index), let given = arguments[index].propertiesValue else {
            throw .invalidArguments
        }
        // BlueZ ignores the case of keys.
        let options = Dictionary(given.map { ($0.key.lowercased(), $0.value) }) { $1 }
        var offset = 0
        if let value = options["offset"] {
            guard case .uint16(let number) = value else { throw .invalidArguments }
            offset = Int(number)
        }
        guard let type = options["type"] else { return (offset, nil) }
        guard case .string(let text) = type else { throw .invalidArguments }
        return (offset, text.lowercased())
    }
}

/// The daemon's messages, in the order of its steps. The daemon itself never waits for the bus, so its steps are not
/// interrupted.
struct Outbox: Sendable {
    enum Message: Sendable {
        case signal(ObjectPath, interface: String, member: String, [DBusValue])
        case reply(DBusMethodCall, [DBusValue])
        case failure(DBusMethodCall, BlueZError)
        /// A call to a client whose outcome is not awaited.
        case notification(destination: String, ObjectPath, interface: String, member: String, [DBusValue])
        /// A call to a client; the outcome goes to the closure.
        case call(
            destination: String, ObjectPath, interface: String, member: String, [DBusValue],
            then: @Sendable (Result<[DBusValue], DBusError>) async -> Void)
    }

    private let continuation: AsyncStream<Message>.Continuation
    let messages: AsyncStream<Message>

    init() { (messages, continuation) = AsyncStream.makeStream() }

    func send(_ message: Message) { continuation.yield(message) }
    func close() { continuation.finish() }

    /// Sends until the outbox is closed.
    func deliver(to connection: DBusConnection, on executor: DaemonExecutor) async {
        for await message in messages {
            switch message {
            case .signal(let path, let interface, let member, let arguments):
                // On a closed connection there is no receiver.
                try? await connection.emit(path, interface, member, arguments)
            case .reply(let call, let values): await call.reply(values)
            case .failure(let call, let error): await call.fail(error.name, error.message)
            case .notification(let destination, let path, let interface, let member, let arguments):
                try? await connection.send(destination, path, interface, member, arguments)
            case .call(let destination, let path, let interface, let member, let arguments, let then):
                Task(executorPreference: executor) {
                    do throws(DBusError) {
                        // BlueZ allows an agent one minute.
                        let values = try await connection.call(
                            destination, path, interface, member, arguments, timeout: .seconds(60))
                        await then(.success(values))
                    } catch {
                        await then(.failure(error))
                    }
                }
            }
        }
    }
}

/// The thread of one simulated bluetoothd: the jobs of its actor and of all its tasks run here, in their order.
///
/// The threads of Swift's pool are as many as the processor's cores, and belong to the whole program. If other tasks
/// calculate on them, a daemon on the pool does not answer for seconds, and its clients report timeouts. A real daemon
/// is a process of its own.
final class DaemonExecutor: SerialExecutor, TaskExecutor {
    private let queue = DispatchQueue(label: "simulated bluetoothd")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            job.runSynchronously(isolatedTo: self.asUnownedSerialExecutor(), taskExecutor: self.asUnownedTaskExecutor())
        }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

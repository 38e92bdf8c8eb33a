/// Up to four transient faults that strike a program while it finds, connects to and reads a pedometer. The same for a
/// seed in every run.
///
/// The errors are those of `bluetoothd` 5.50 to 5.87, and each fault passes: a program that continues succeeds.
public struct FaultSequence: Sendable {
    /// A fault, and when it strikes.
    public enum Strike: Sendable, Hashable {
        case fault(Fault)
        /// `bluetoothd` ends, and is back after the pause.
        case restart(at: Moment, pause: Duration)
        /// The adapter is switched off, and on again after the pause.
        case powerOff(at: Moment, pause: Duration)
    }

    /// The moment of a reading at which the daemon or the adapter fails.
    public enum Moment: Sendable, Hashable {
        case searching, connecting, connected
        /// After this number of notifications.
        case packet(Int)
    }

    public let strikes: [Strike]

    /// - Parameters:
    ///   - seed: decides all.
    ///   - packets: the number of notifications of a whole reading.
    public init(seed: UInt64, packets: Int) {
        var random = RandomSource(seed: seed)
        var made: [Fault.Operation: Int] = [:]
        strikes = (0..<random.number(in: 0...4)).map { _ in Self.strike(&random, &made, packets) }
    }

    private static func strike(_ random: inout RandomSource, _ made: inout [Fault.Operation: Int], _ packets: Int)
        -> Strike
    {
        /// The next operation of this kind that no fault strikes yet, so that several faults follow each other.
        func next(_ operation: Fault.Operation) -> Fault.Occurrence {
            made[operation, default: 0] += 1
            return .at(made[operation, default: 0])
        }
        func pick<Value>(_ values: Value...) -> Value { values[random.number(in: 0...values.count - 1)] }
        switch random.number(in: 0...16) {
        case 0, 1: return .fault(.refuseConnect("le-connection-abort-by-local", next(.connect)))
        case 2:
            // The C library's texts, before 5.62.
            return .fault(
                .refuseConnect(
                    pick("Software caused connection abort", "Cancelled", "Input/output error"), next(.connect)))
        case 3:
            return .fault(
                .refuseConnect(pick("le-connection-timeout", "le-connection-abort-by-remote"), next(.connect)))
        // Another program's attempt.
        case 4:
            return .fault(
                .refuse(.connect, "Operation already in progress", name: "org.bluez.Error.InProgress", next(.connect)))
        case 5: return .fault(.unreachable(next(.connect)))
        case 6: return .fault(.drop(during: .connect, next(.connect)))
        case 7: return .fault(.drop(during: .resolve, next(.resolve)))
        case 8: return .fault(.stall(.resolve, next(.resolve)))
        // A link that exists for BlueZ alone.
        case 9: return .fault(.stall(.subscribe, next(.subscribe)))
        case 10: return .fault(.attError(.unlikelyError, on: .subscribe, next(.subscribe)))
        case 11:
            return pick(
                .fault(.refuse(.subscribe, "Operation failed", next(.subscribe))),
                .fault(
                    .refuse(
                        .subscribe, "Operation Not Permitted", name: "org.bluez.Error.NotPermitted", next(.subscribe))))
        case 12: return .fault(.staleHandles)
        case 13: return .fault(.refuse(.write, "Failed to initiate write", next(.write)))
        case 14: return .fault(.drop(afterPackets: random.number(in: 0...packets - 1)))
        case 15: return .restart(at: moment(&random, packets), pause: .seconds(random.number(in: 1...3)))
        default: return .powerOff(at: moment(&random, packets), pause: .seconds(2 + random.number(in: 0...4)))
        }
    }

    private static func moment(_ random: inout RandomSource, _ packets: Int) -> Moment {
        switch random.number(in: 0...3) {
        case 0: .searching
        case 1: .connecting
        case 2: .connected
        default: .packet(random.number(in: 0...packets - 1))
        }
    }
}

extension SimulatedBlueZ {
    /// Lets the faults strike from now on; runs until the task is cancelled.
    ///
    /// - Parameter address: of the peripheral.
    public func strike(_ sequence: FaultSequence, at address: String) async throws {
        var waiting: [FaultSequence.Strike] = []
        // Before the faults of the radio: what they cause may be a moment.
        var events = events.makeAsyncIterator()
        for _ in history { _ = await events.next() }
        for strike in sequence.strikes {
            if case .fault(let fault) = strike { await inject(fault, for: address) } else { waiting.append(strike) }
        }
        var packets = 0
        while let event = await events.next() {
            if case .notified = event { packets += 1 }
            for strike in waiting where strike.isDue(event, packets, of: address) {
                waiting.removeAll { $0 == strike }
                switch strike {
                case .fault: break
                case .restart(_, let pause):
                    await leaveBus()
                    try await daemon.timing.clock.sleep(for: pause)
                    try await returnToBus()
                case .powerOff(_, let pause):
                    await setPowered(false)
                    try await daemon.timing.clock.sleep(for: pause)
                    await setPowered(true)
                }
            }
        }
    }
}

extension FaultSequence.Strike {
    fileprivate func isDue(_ event: SimulationEvent, _ packets: Int, of address: String) -> Bool {
        switch self {
        case .fault: false
        case .restart(let moment, _), .powerOff(let moment, _):
            switch moment {
            case .searching: event == .discovering(true)
            case .connecting: event == .connecting(address)
            case .connected: event == .servicesResolved(address)
            case .packet(let number): packets > number
            }
        }
    }
}

/// The faults of one peripheral, and how often each could have occurred.
struct InjectedFaults {
    private var entries: [(fault: Fault, count: Int)] = []

    mutating func add(_ fault: Fault) { entries.append((fault, 0)) }
    mutating func remove(_ fault: Fault) { entries.removeAll { $0.fault == fault } }

    /// The effects of the faults on the next operation of this kind. Each call counts as one operation.
    mutating func next(_ operation: Fault.Operation) -> FaultEffects {
        var effects = FaultEffects()
        for index in entries.indices where entries[index].fault.effect.affects(operation) {
            entries[index].count += 1
            guard entries[index].fault.occurrence.includes(entries[index].count) else { continue }
            effects.add(entries[index].fault.effect)
        }
        return effects
    }

    var isOutOfRange: Bool { has(.outOfRange) }
    var neverResolves: Bool { has(.servicesNeverResolved) }
    var demandsPairing: Bool { has(.pairingDemanded) }
    var hasStaleHandles: Bool { has(.staleHandles) }

    var missingServices: Set<AttributeUUID> {
        Set(
            entries.compactMap { entry in
                switch entry.fault.effect {
                case .missingService(let uuid), .staleService(let uuid): uuid
                default: nil
                }
            })
    }

    /// BlueZ has dropped what it had stored about the peripheral.
    mutating func dropStored() {
        entries.removeAll { entry in
            switch entry.fault.effect {
            case .staleService, .staleHandles: true
            default: false
            }
        }
    }

    var pairingRefusal: BlueZError? {
        entries.lazy.compactMap { entry in
            if case .pairingRefused(let name, let message) = entry.fault.effect {
                BlueZError(name, message)
            } else {
                nil
            }
        }.first
    }

    func renamed(_ advertisement: Advertisement) -> Advertisement {
        var advertisement = advertisement
        for case .name(let name) in entries.map(\.fault.effect) { advertisement.name = name }
        return advertisement
    }

    private func has(_ effect: Fault.Effect) -> Bool { entries.contains { $0.fault.effect == effect } }
}

/// The effects of all faults on one operation.
struct FaultEffects {
    var delay: Duration = .zero
    var refusal: BlueZError?
    var drops = false
    var stalls = false
    var isUnreachable = false
    var error: ATTError?
    var corruptions: [Corruption] = []

    mutating func add(_ effect: Fault.Effect) {
        switch effect {
        case .refuse(_, let name, let message): refusal = BlueZError(name, message)
        case .unreachable: isUnreachable = true
        case .drop: drops = true
        case .stall: stalls = true
        case .attError(let error, _): self.error = error
        case .slow(let delay): self.delay += delay
        case .corruption(let corruption): corruptions.append(corruption)
        default: break
        }
    }

    /// The packets that arrive for one packet.
    func applied(to packet: [UInt8]) -> [[UInt8]] {
        corruptions.reduce([packet]) { packets, corruption in packets.flatMap(corruption.applied(to:)) }
    }
}

extension Fault.Effect {
    /// Whether an operation of this kind counts for the fault's occurrence.
    func affects(_ operation: Fault.Operation) -> Bool {
        switch self {
        case .unreachable: operation == .connect
        case .refuse(let kind, _, _), .drop(let kind), .stall(let kind), .attError(_, let kind): operation == kind
        case .slow: true
        case .corruption: operation == .notification
        default: false
        }
    }
}

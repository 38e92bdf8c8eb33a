/// The faults of one peripheral and how often each could have struck.
struct FaultBook {
    private var entries: [(fault: Fault, count: Int)] = []

    mutating func add(_ fault: Fault) { entries.append((fault, 0)) }
    mutating func remove(_ fault: Fault) { entries.removeAll { $0.fault == fault } }
    mutating func removeAll() { entries = [] }

    /// What the next operation of this kind meets. Each call counts as one operation.
    mutating func next(_ operation: Fault.Operation) -> Disturbance {
        var disturbance = Disturbance()
        for index in entries.indices where entries[index].fault.effect.strikes(operation) {
            entries[index].count += 1
            guard entries[index].fault.occurrence.includes(entries[index].count) else { continue }
            disturbance.add(entries[index].fault.effect)
        }
        return disturbance
    }

    var isOutOfRange: Bool { has(.outOfRange) }
    var neverResolves: Bool { has(.servicesNeverResolved) }
    var demandsPairing: Bool { has(.pairingDemanded) }

    var missingServices: Set<AttributeUUID> {
        Set(entries.compactMap { if case .missingService(let uuid) = $0.fault.effect { uuid } else { nil } })
    }

    var pairingRefusal: BlueZError? {
        entries.lazy.compactMap { entry in
            if case .pairingRefused(let name, let message) = entry.fault.effect { BlueZError(name, message) } else { nil }
        }.first
    }

    func renamed(_ advertisement: Advertisement) -> Advertisement {
        var advertisement = advertisement
        for case .name(let name) in entries.map(\.fault.effect) { advertisement.name = name }
        return advertisement
    }

    private func has(_ effect: Fault.Effect) -> Bool { entries.contains { $0.fault.effect == effect } }
}

/// All that goes wrong with one operation.
struct Disturbance {
    var delay: Duration = .zero
    var refusal: BlueZError?
    var drops = false
    var stalls = false
    var error: ATTError?
    var rubbish: [Rubbish] = []

    mutating func add(_ effect: Fault.Effect) {
        switch effect {
        case .refuse(let name, let message): refusal = BlueZError(name, message)
        case .drop: drops = true
        case .stall: stalls = true
        case .attError(let error, _): self.error = error
        case .slow(let delay): self.delay += delay
        case .rubbish(let rubbish): self.rubbish.append(rubbish)
        default: break
        }
    }

    /// What arrives of a packet.
    func applied(to packet: [UInt8]) -> [[UInt8]] {
        rubbish.reduce([packet]) { packets, rubbish in packets.flatMap(rubbish.applied(to:)) }
    }
}

extension Fault.Effect {
    /// Whether an operation of this kind counts for the fault's occurrence.
    func strikes(_ operation: Fault.Operation) -> Bool {
        switch self {
        case .refuse: operation == .connect
        case .drop(let kind), .stall(let kind), .attError(_, let kind): operation == kind
        case .slow: true
        case .rubbish: operation == .notification
        default: false
        }
    }
}

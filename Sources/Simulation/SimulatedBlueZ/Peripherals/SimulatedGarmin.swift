internal import Synchronization

/// A Garmin watch that sends today's steps by Multi-Link, as the sources of the model describe it. No hardware has
/// confirmed it.
extension SimulatedSerialBand {
    /// - Parameters:
    ///   - pair: which of the five pairs of characteristics it has.
    ///   - status: of the registration; 0 is success.
    ///   - isEncrypted: it takes requests over an encrypted link only.
    ///   - sendsAtOnce: it sends its steps when they are registered for, and not only when they grow.
    public static func garmin(
        _ memory: BandMemory, address: String = "C0:DE:6A:4E:00:01", pair: Int = 1, status: UInt8 = 0,
        isEncrypted: Bool = false,
        sendsAtOnce: Bool = true
    ) -> SimulatedSerialBand {
        func uuid(_ number: String) -> AttributeUUID { AttributeUUID("6a4e\(number)-667b-11e3-949a-0800200c9a66")! }
        let service = uuid("2800")
        let (answers, requests) = (
            CharacteristicID(service, uuid("281\(pair)")), CharacteristicID(service, uuid("282\(pair)"))
        )
        let isRegistered = Registration()
        let handle: UInt8 = 5
        @Sendable func steps() -> [UInt8] { [handle] + .little(memory.stepsToday, 4) + .little(10_000, 4) }
        var behaviour = Behaviour(
            advertisement: Advertisement(name: "vivosmart 5", services: ["fe1f"]),
            services: [
                SimulatedService(
                    service,
                    [
                        SimulatedCharacteristic(answers.characteristic, [.notify]),
                        SimulatedCharacteristic(
                            requests.characteristic, [.write, .writeWithoutResponse],
                            security: isEncrypted ? .encrypted : .open),
                    ])
            ]
        ) { request, characteristic in
            guard characteristic == requests, !isEncrypted, request.count == 13, request[0] == 0 else { return nil }
            let client = Array(request[2..<10])
            switch request[1] {
            case 5:
                isRegistered.value.withLock { $0 = false }
                return [(answers, [0, 6] + client + [0])]
            case 0 where request[10] == 7:
                guard status == 0 else { return [(answers, [0, 1] + client + [7, 0, status, 0, 0])] }
                isRegistered.value.withLock { $0 = true }
                return [(answers, [0, 1] + client + [7, 0, 0, handle, 0])] + (sendsAtOnce ? [(answers, steps())] : [])
            case 2 where request[12] == handle:
                isRegistered.value.withLock { $0 = false }
                return [(answers, [0, 3] + client + [7, 0, handle, 0])]
            default: return []
            }
        }
        behaviour.announcement = { isRegistered.value.withLock { $0 } ? [(answers, steps())] : [] }
        return SimulatedSerialBand(address: address, behaviour)
    }

    private final class Registration: Sendable {
        let value = Mutex(false)
    }
}

internal import Synchronization

/// A Casio watch with a life log, as the sources of the model describe it. No hardware has confirmed it.
extension SimulatedSerialBand {
    /// It advertises only after a button was pressed, and at some times of the day: a test keeps it out of range for
    /// the rest.
    ///
    /// - Parameters:
    ///   - isAcknowledged: another program has acknowledged the life log: its hours are gone.
    ///   - pieces: the largest number of bytes in a notification; a real watch has sent all 400 bytes in one, and also
    ///     182, 182 and 36.
    public static func casio(
        _ memory: BandMemory, address: String = "C0:DE:CA:51:00:01", isAcknowledged: Bool = false, pieces: Int = 182
    ) -> SimulatedSerialBand {
        func uuid(_ number: String) -> AttributeUUID { AttributeUUID("26eb\(number)-b012-49a8-b1f8-394fb2032b0f")! }
        let (service, requests, data) = (uuid("000d"), uuid("0023"), uuid("0024"))
        let isCleared = Flag(isAcknowledged)
        var behaviour = Behaviour(
            advertisement: Advertisement(name: "CASIO ABL-100WE", services: ["1804"]),
            services: [
                SimulatedService("1804", [SimulatedCharacteristic("2a07", [.read])]),
                SimulatedService(
                    service,
                    [
                        SimulatedCharacteristic(uuid("002c"), [.writeWithoutResponse]),
                        SimulatedCharacteristic(uuid("002d"), [.write, .notify]),
                        SimulatedCharacteristic(requests, [.write, .notify]),
                        SimulatedCharacteristic(data, [.writeWithoutResponse, .notify]),
                    ]),
            ]
        ) { request, characteristic in
            guard characteristic == CharacteristicID(service, requests) else { return nil }
            switch request {
            case [0, 0x11, 0, 0, 0]:
                let log = lifeLog(memory, hasHours: !isCleared.isSet)
                let sent = log.pieces(pieces).map { (CharacteristicID(service, data), $0) }
                return [(characteristic, [0, 0x11] + .little(log.count, 3) + [0, 0])] + sent
            case [4, 0x11, 0, 0, 0]:
                isCleared.set()
                return []
            default: return []
            }
        }
        behaviour.mtu = 185
        return SimulatedSerialBand(address: address, behaviour)
    }

    private static func lifeLog(_ memory: BandMemory, hasHours: Bool) -> [UInt8] {
        let (clock, today) = (memory.clock(), memory.today)
        func decimal(_ number: Int) -> UInt8 { UInt8((number / 10 % 10) << 4 | number % 10) }
        let empty: [UInt8] = [0xfe, 0xff]
        /// Walks of all intensities.
        func spread(_ steps: Int, _ count: Int) -> [UInt8] {
            (0..<count).flatMap { [UInt8].little(steps / count + ($0 < steps % count ? 1 : 0), 2) }
        }
        let hour = clock.seconds / 3_600 * 3_600
        var log = [clock.year, clock.month, clock.day, clock.hour, clock.minute, clock.second].map(decimal)
        for index in 0..<max(0, min(clock.hour, 17) - 6) {
            let steps = memory.steps(hour - (index + 1) * 3_600..<hour - index * 3_600)
            log += hasHours ? spread(steps, 5) : empty + empty + empty + empty + empty
        }
        while log.count < 294 { log += empty }
        log += [UInt8](repeating: 0, count: 24)
        for day in 1...7 {
            let steps = memory.steps(ofDay: today - day)
            log +=
                steps > 0
                ? .little(steps, 4) + .little(steps * 2 / 5, 4) : [0xfe, 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xff]
        }
        let (all, recent) = (memory.stepsToday, memory.steps(hour..<hour + 3_600))
        log +=
            .little(all, 4) + .little(all * 2 / 5, 4) + spread(recent, 3) + .little(0, 4) + .little(recent * 2 / 5, 4)
        return log + [all, all / 100, all / 10_000, all / 1_000_000].map { decimal($0 % 100) }
    }

    /// What a simulated watch remembers between requests.
    private final class Flag: Sendable {
        private let value: Mutex<Bool>
        init(_ value: Bool) { self.value = Mutex(value) }
        var isSet: Bool { value.withLock { $0 } }
        func set() { value.withLock { $0 = true } }
    }
}

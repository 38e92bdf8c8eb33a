internal import Synchronization

/// A band of the app FitPro, as the sources of the model describe it. No hardware has confirmed it.
extension SimulatedSerialBand {
    /// It sends the next frame when the last one was acknowledged, and steps only to a program that has begun as its
    /// app does.
    ///
    /// - Parameters:
    ///   - hasTotal: it sends its own total of today.
    ///   - deletes: it deletes the records whose frame was acknowledged, except those of the present quarter.
    public static func fitPro(
        _ memory: BandMemory, address: String = "C0:DE:F1:79:00:01", hasTotal: Bool = true, deletes: Bool = false
    ) -> SimulatedSerialBand {
        func uuid(_ number: Int) -> AttributeUUID { AttributeUUID("6e40000\(number)-b5a3-f393-e0a9-e50e24dcca9d")! }
        let (service, requests, answers) = (uuid(1), uuid(2), uuid(3))
        let transfer = Transfer()
        return SimulatedSerialBand(
            address: address,
            Behaviour(
                advertisement: Advertisement(name: "LH716"),
                services: [
                    SimulatedService(
                        service,
                        [
                            SimulatedCharacteristic(requests, [.write, .writeWithoutResponse]),
                            SimulatedCharacteristic(answers, [.notify]),
                        ])
                ]
            ) { request, characteristic in
                guard characteristic == CharacteristicID(service, requests), request.count >= 8 else { return nil }
                return transfer.reply(to: request, memory, hasTotal: hasTotal, deletes: deletes)
                    .flatMap { $0.pieces(20) }.map { (CharacteristicID(service, answers), $0) }
            })
    }

    /// The state of a transfer.
    private final class Transfer: Sendable {
        private struct State {
            var hasBegun = false
            /// Frames that are still to be sent, with the records in them.
            var waiting: [(frame: [UInt8], records: [Int])] = []
            var sent: [Int] = []
            var deleted: Set<Int> = []
        }
        private let state = Mutex(State())

        func reply(to request: [UInt8], _ memory: BandMemory, hasTotal: Bool, deletes: Bool) -> [[UInt8]] {
            state.withLock { state in
                switch (request[0], request[3], request[5]) {
                case (0xcd, 0x12, 0x0a):
                    state.hasBegun = true
                    return [Self.acknowledgement(of: request)]
                case (0xcd, 0x12, _):
                    return [Self.acknowledgement(of: request)]
                case (0xcd, 0x1a, let command):
                    return [Self.frame(0x1a, command, [0, 0, 0, 0])]
                case (0xcd, 0x20, 2):
                    return [
                        Self.frame(0x20, 2, [0, 0, 0, 0, 0, 0, 5] + Array("LH716".utf8) + [4] + Array("V4.6".utf8))
                    ]
                case (0xcd, 0x15, 6) where state.hasBegun:
                    state.waiting = Self.frames(memory, without: state.deleted, hasTotal: hasTotal)
                    state.sent = []
                case (0xdc, 0x15, _):
                    // The present quarter still grows.
                    let now = memory.clock().seconds
                    if deletes { state.deleted.formUnion(state.sent.filter { $0 + 900 <= now }) }
                default:
                    return []
                }
                guard !state.waiting.isEmpty else { return [] }
                let next = state.waiting.removeFirst()
                state.sent = next.records
                return [next.frame]
            }
        }

        private static func frames(
            _ memory: BandMemory, without deleted: Set<Int>, hasTotal: Bool
        ) -> [(frame: [UInt8], records: [Int])] {
            func date(_ day: Int) -> [UInt8] {
                let clock = WallClock(seconds: day * 86_400)
                return .big((clock.year - 2_000) << 9 | clock.month << 5 | clock.day, 2)
            }
            var frames: [(frame: [UInt8], records: [Int])] = []
            if hasTotal {
                let steps = memory.stepsToday
                let total = date(memory.today) + .big(steps, 4) + .big(steps * 3 / 4, 4) + .big(steps / 30, 2)
                frames.append((frame(0x15, 0x0c, total), []))
            }
            let records = memory.quarters.filter { $0.value > 0 && !deleted.contains($0.key) }
            for (day, quarters) in Dictionary(grouping: records, by: { $0.key / 86_400 }).sorted(by: { $0.key < $1.key }
            ) {
                let sorted = quarters.sorted { $0.key < $1.key }
                for start in stride(from: 0, to: sorted.count, by: 5) {
                    let part = sorted[start..<min(start + 5, sorted.count)]
                    let data = part.flatMap { quarter, steps -> [UInt8] in
                        let metres = steps * 3 / 4
                        let index = (quarter % 86_400) / 900
                        return .big(steps << 20 | 5 << 16 | metres, 4) + .big(index << 21 | 1 << 19 | (metres * 26), 4)
                    }
                    frames.append((frame(0x15, 2, date(day) + .big(part.count, 2) + data), part.map(\.key)))
                }
                frames.append((frame(0x15, 3, date(day) + [0, 1, 0, 8, 0, 8]), []))
            }
            return frames
        }

        private static func frame(_ group: UInt8, _ command: UInt8, _ data: [UInt8]) -> [UInt8] {
            [0xcd] + .big(data.count + 5, 2) + [group, 1, command] + .big(data.count, 2) + data
        }

        private static func acknowledgement(of request: [UInt8]) -> [UInt8] {
            [0xdc, 0, 5, request[3], 1] + .big(request.count, 2) + [1]
        }
    }
}

/// Bands and rings with documented protocols: what each answers. No hardware has confirmed them; the sources are those
/// of the models.
extension SimulatedSerialBand {
    static func characteristic(_ uuid: AttributeUUID, _ properties: Set<SimulatedCharacteristic.Property>)
        -> SimulatedCharacteristic
    {
        SimulatedCharacteristic(uuid, properties)
    }

    // MARK: No.1 F1

    /// - Parameter areTotals: each hour has the steps of the day so far.
    public static func no1f1(_ memory: BandMemory, address: String = "C0:DE:55:FF:00:01", areTotals: Bool = false)
        -> SimulatedSerialBand
    {
        let (requests, answers) = (CharacteristicID("55ff", "33f1"), CharacteristicID("55ff", "33f2"))
        return SimulatedSerialBand(
            address: address,
            Behaviour(
                advertisement: Advertisement(name: "X-RUN", services: ["55ff"]),
                services: [
                    SimulatedService("55ff", [characteristic("33f1", [.write]), characteristic("33f2", [.notify])])
                ]
            ) { request, characteristic in
                guard characteristic == requests else { return nil }
                switch request {
                case [0xa1]: return [(answers, [0xa1] + Array("F1V2.0".utf8))]
                case [0xa2]: return [(answers, [0xa2, 73])]
                case [0xb2, 0xfa]:
                    var (sent, checksum) = ([[UInt8]](), UInt8(0))
                    for hour in Set(memory.quarters.keys.map { $0 / 3_600 }).sorted() {
                        let clock = WallClock(seconds: hour * 3_600)
                        let from = areTotals ? clock.dayNumber * 86_400 : clock.seconds
                        let steps = [UInt8].big(memory.steps(from..<clock.seconds + 3_600), 2)
                        checksum ^= steps[0] ^ steps[1]
                        sent.append(
                            [0xb2] + .big(clock.year, 2) + [clock.month, clock.day, clock.hour].map { UInt8($0) }
                                + steps)
                    }
                    return (sent + [[0xb2, 0xfd, checksum]]).map { (answers, $0) }
                case let request where request.first == 0xa3: return [(answers, request)]
                default: return []
                }
            })
    }

    // MARK: Lefun

    /// - Parameters:
    ///   - missing: steps of the total that no record has.
    ///   - sendsTotals: it answers a request for a total. No client is known to send one.
    public static func lefun(
        _ memory: BandMemory, address: String = "C0:DE:18:D0:00:01", missing: Int = 0, sendsTotals: Bool = true
    ) -> SimulatedSerialBand {
        let (requests, answers) = (CharacteristicID("18d0", "2d01"), CharacteristicID("18d0", "2d00"))
        @Sendable func checksum(_ bytes: [UInt8]) -> UInt8 {
            bytes.reduce(0) { sum, byte in
                (0..<8).reduce(sum ^ byte) { value, _ in value & 1 == 1 ? value >> 1 ^ 0x8c : value >> 1 }
            }
        }
        @Sendable func answer(_ command: UInt8, _ fields: [UInt8]) -> (CharacteristicID, [UInt8]) {
            let bytes = [0x5a, UInt8(fields.count + 4), command] + fields
            return (answers, bytes + [checksum(bytes)])
        }
        return SimulatedSerialBand(
            address: address,
            Behaviour(
                advertisement: Advertisement(
                    name: "Lefun", manufacturerData: [0xdec0: [0x18, 0xd0, 0x00, 0x01] + Array("TJDR".utf8)]),
                services: [
                    SimulatedService(
                        "18d0",
                        [characteristic("2d01", [.write, .writeWithoutResponse]), characteristic("2d00", [.notify])])
                ]
            ) { request, characteristic in
                guard characteristic == requests, request.count >= 4, request[0] == 0xab,
                    checksum(request.dropLast()) == request.last
                else {
                    return nil
                }
                let fields = Array(request[3..<request.count - 1])
                let clock = memory.clock()
                switch (request[2], fields.first) {
                case (0x03, nil): return [answer(0x03, [88])]
                case (0x04, 0):
                    let time = [clock.year - 2000, clock.month, clock.day, clock.hour, clock.minute, clock.second]
                    return [answer(0x04, [0] + time.map { UInt8($0) })]
                case (0x04, 1): return [answer(0x04, [1, 1])]
                case (0x12, let daysAgo?):
                    guard sendsTotals else { return [] }
                    let day = memory.today - Int(daysAgo)
                    let date = WallClock(seconds: day * 86_400)
                    let head = [daysAgo] + [date.year - 2000, date.month, date.day].map { UInt8($0) }
                    return [answer(0x12, head + .big(memory.steps(ofDay: day) + missing, 4) + .big(0, 8))]
                case (0x13, let daysAgo?):
                    let day = memory.today - Int(daysAgo)
                    let records = memory.quarters.filter { $0.key / 86_400 == day && $0.value > 0 }.sorted {
                        $0.key < $1.key
                    }
                    guard !records.isEmpty else { return [answer(0x13, [daysAgo, 0, 0] + .big(0, 11))] }
                    return records.enumerated().map { index, record in
                        let time = WallClock(seconds: record.key)
                        let date = [time.year - 2000, time.month, time.day, time.hour, time.minute].map { UInt8($0) }
                        return answer(
                            0x13,
                            [daysAgo, UInt8(records.count), UInt8(index + 1)] + date + .big(record.value, 2)
                                + .big(0, 4))
                    }
                default: return []
                }
            })
    }

    // MARK: ID115

    public static func id115(_ memory: BandMemory, address: String = "C0:DE:0A:F0:00:01") -> SimulatedSerialBand {
        let (requests, answers) = (CharacteristicID("0af0", "0af1"), CharacteristicID("0af0", "0af2"))
        return SimulatedSerialBand(
            address: address,
            Behaviour(
                advertisement: Advertisement(name: "ID115", services: ["0af0"]),
                services: [
                    SimulatedService(
                        "0af0",
                        [
                            characteristic("0af1", [.write, .writeWithoutResponse]), characteristic("0af2", [.notify]),
                            characteristic("0af6", [.write, .writeWithoutResponse]), characteristic("0af7", [.notify]),
                        ])
                ]
            ) { request, characteristic in
                guard characteristic == requests else {
                    return characteristic == CharacteristicID("0af0", "0af6") ? [] : nil
                }
                guard request == [0x08, 0x03, 0x01, 0x00, 0x00] else { return [] }
                let (clock, midnight) = (memory.clock(), memory.today * 86_400)
                var data = [UInt8].little(clock.year, 2) + [UInt8(clock.month), UInt8(clock.day), 0, 0, 15]
                var packets = [data, .little(memory.stepsToday, 4) + .little(0, 12)]
                let ended = (clock.seconds - midnight) / 900
                let isWalking = memory.quarters[midnight + ended * 900] != nil
                data = (0..<ended + (isWalking ? 1 : 0)).flatMap { index -> [UInt8] in
                    let steps = memory.quarters[midnight + index * 900] ?? 0
                    return .little(steps << 2 | min(steps, 15) << 14 | steps / 25 << 18 | steps * 7 / 10 << 28, 5)
                }
                packets += data.pieces(15)
                let sent = packets.enumerated().map { (answers, [0x08, 0x03, UInt8($0 + 1), UInt8($1.count)] + $1) }
                return sent + [(answers, [0x08, 0xee, UInt8(packets.count), 0x00])]
            })
    }

    /// A band of another maker with a name as ID115 bands have, and without their service.
    public static func id115LookAlike(name: String = "ID115 (ID-1A2B)", address: String = "C0:DE:0A:F0:00:02")
        -> SimulatedSerialBand
    {
        SimulatedSerialBand(
            address: address,
            Behaviour(
                advertisement: Advertisement(name: name, services: ["ff00"]),
                services: [
                    SimulatedService(
                        "ff00", [characteristic("ff01", [.writeWithoutResponse]), characteristic("ff02", [.notify])])
                ]
            ) { _, _ in [] })
    }

    // MARK: MoYoung

    /// The order of the three numbers of FEE1: the first is that of real watches.
    public enum MoYoungOrder: Sendable, CaseIterable { case stepsFirst, distanceFirst, neither }

    /// - Parameters:
    ///   - sendsHours: whether it answers the request for the hours of today, which its own app never sends.
    ///   - isReversed: whether the argument 1 of the request for a past day is the day before yesterday.
    ///   - sendsPast: whether it answers requests for past days.
    public static func moYoung(
        _ memory: BandMemory, _ order: MoYoungOrder, isSecond: Bool = false, sendsHours: Bool = false,
        isReversed: Bool = false,
        sendsPast: Bool = true, address: String = "C0:DE:FE:EA:00:01"
    ) -> SimulatedSerialBand {
        let (requests, answers) = (CharacteristicID("feea", "fee2"), CharacteristicID("feea", "fee3"))
        @Sendable func numbers(ofDay day: Int) -> [UInt8] {
            let (steps, metres) = (memory.steps(ofDay: day), memory.steps(ofDay: day) * 7 / 10)
            let numbers =
                switch order {
                case .stepsFirst: [steps, metres, steps / 25]
                case .distanceFirst: [metres, steps, steps / 25]
                case .neither: [metres, steps / 25, steps]
                }
            return numbers.flatMap { [UInt8].little($0, 3) }
        }
        @Sendable func notifications(_ command: UInt8, _ data: [UInt8]) -> [(CharacteristicID, [UInt8])] {
            let frame = [0xfe, 0xea, isSecond ? 0x20 : 0x10, UInt8(data.count + 5), command] + data
            return frame.pieces(20).map { (answers, $0) }
        }
        var behaviour = Behaviour(
            advertisement: Advertisement(name: "C17", services: ["feea"]),
            services: [
                SimulatedService(.deviceInformation, [characteristic("2a29", [.read])]),
                SimulatedService(.battery, [characteristic(.batteryLevel, [.read])]),
                SimulatedService(
                    "feea",
                    [
                        characteristic("fee1", [.read, .notify]), characteristic("fee2", [.writeWithoutResponse]),
                        characteristic("fee3", [.notify]),
                    ]),
            ]
        ) { request, characteristic in
            guard characteristic == requests else { return nil }
            guard request.count == 6, request[2] == (isSecond ? 0x20 : 0x10) else { return [] }
            switch (request[4], request[5]) {
            case (0x59, 0) where sendsHours:
                let hours = (0..<24).flatMap { hour -> [UInt8] in
                    let start = memory.today * 86_400 + hour * 3_600
                    return .little(memory.steps(start..<start + 3_600), 2)
                }
                return notifications(0x59, [0] + hours)
            case (0x33, 1...2) where sendsPast:
                let daysAgo = isReversed ? 3 - Int(request[5]) : Int(request[5])
                return notifications(0x33, [request[5]] + numbers(ofDay: memory.today - daysAgo))
            default: return []
            }
        }
        behaviour.values = {
            [
                CharacteristicID(.deviceInformation, "2a29"): Array((isSecond ? "MOYOUNG-V2" : "MOYOUNG").utf8),
                CharacteristicID(.battery, .batteryLevel): [52],
                CharacteristicID("feea", "fee1"): numbers(ofDay: memory.today),
            ]
        }
        return SimulatedSerialBand(address: address, behaviour)
    }

    // MARK: CRP

    /// Today's steps and two more numbers can be read; it sends them by itself when its wearer walks. Its clock can be
    /// set, and it confirms nothing. It answers requests for the total and the half hours of a day, today included, and
    /// seven days before.
    ///
    /// - Parameters:
    ///   - isReadable: whether the steps can be read.
    ///   - hasHistory: whether it answers requests for days.
    ///   - missing: steps of the total of a past day that no half hour has.
    public static func crp(
        _ memory: BandMemory, isReadable: Bool = true, hasHistory: Bool = true, missing: Int = 0,
        address: String = "C0:DE:FD:DA:00:01"
    ) -> SimulatedSerialBand {
        let (steps, requests, answers) = (
            CharacteristicID("fdda", "fdd1"), CharacteristicID("fdda", "fdd2"), CharacteristicID("fdda", "fdd3")
        )
        @Sendable func today() -> [UInt8] {
            let today = memory.stepsToday
            return [today, today * 7 / 10, today / 25].flatMap { [UInt8].little($0, 3) }
        }
        var behaviour = Behaviour(
            advertisement: Advertisement(name: "R11", services: ["fdda"]),
            services: [
                SimulatedService(
                    "fdda",
                    [
                        characteristic("fdd1", isReadable ? [.read, .notify] : [.notify]),
                        characteristic("fdd2", [.writeWithoutResponse]), characteristic("fdd3", [.notify]),
                    ])
            ]
        ) { request, characteristic in
            guard characteristic == requests, request.starts(with: [0xfd, 0xda, 0x10, UInt8(request.count)]) else {
                return nil
            }
            if request.count == 11, request[4...5] == [1, 1], request.last == 8 { return [] }
            guard hasHistory, request.count == 7, request[4] == 2, request[6] <= 7 else { return [] }
            let (day, echo) = (memory.today - Int(request[6]), Array(request[5...6]))
            let data: [UInt8]
            switch request[5] {
            case 0x0d:
                let total = memory.steps(ofDay: day) + (request[6] == 0 ? 0 : missing)
                data =
                    echo + [UInt8].little(total, 4) + .little(total * 7 / 10, 4) + .little(0, 4)
                    + .little(total / 25, 4)
            case 0x12:
                data =
                    echo
                    + (0..<48).flatMap { slot -> [UInt8] in
                        let start = day * 86_400 + slot * 1_800
                        return .little(memory.steps(start..<start + 1_800), 2)
                    }
            default: return []
            }
            let frame = [0xfd, 0xda, 0x10, UInt8(data.count + 5), 2] + data
            return frame.pieces(20).map { (answers, $0) }
        }
        behaviour.values = { isReadable ? [steps: today()] : [:] }
        behaviour.announcement = { [(steps, today())] }
        if !isReadable { behaviour.greeting = { $0 == steps ? [(steps, today())] : [] } }
        return SimulatedSerialBand(address: address, behaviour)
    }
}

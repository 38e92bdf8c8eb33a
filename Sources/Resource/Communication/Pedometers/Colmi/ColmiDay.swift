internal import StepDomain

/// The answer to one request for a day's steps, as its packets come in.
///
/// - `43 FF …`: the ring has nothing of that day.
/// - `43 F0 n c …`: n records follow; c = 1 tells that calories come divided by ten.
/// - `43 yy mm dd slot index total calories(2) steps(2) metres(2)`: a record, date in binary-coded decimal, numbers little
///   endian, slot 0...95 a quarter of an hour of the ring's clock. The last has index = total − 1.
struct ColmiDay {
    /// A slot in the ring's wall clock.
    struct Record: Hashable {
        /// Seconds since 1970 as the ring's clock showed them when the slot began.
        var wall: Int
        /// Quarter of an hour of the day, 0...95.
        var slot: Int
        var steps: Int
        /// Kilocalories.
        var energy: Double
        var metres: Int
    }

    enum Progress: Hashable {
        case more
        /// All records are in.
        case complete
        /// The last record is in, others are missing.
        case gaps
        case noData
        case refused
        /// Not of this answer (an unsolicited packet).
        case other
    }

    private var divided = false
    private var total: Int?
    /// By index, as far as any came.
    private var records: [Record?] = []

    /// In the ring's order, which is that of time.
    var slots: [Record] { records.compactMap(\.self) }

    /// The day that its last record is of, as days since 1970; nil where none came.
    var date: Int? { slots.last.map { ColmiReckoning.day(ofWall: $0.wall) } }

    mutating func add(_ packet: ColmiPacket) -> Progress {
        guard packet.command == ColmiPacket.Command.steps else { return .other }
        if packet.isError { return .refused }
        switch packet[1] {
        case 0xff:
            return .noData
        case 0xf0:
            self = ColmiDay()       // a new answer: after a repeated request the old one may still trickle in
            total = Int(packet[2])
            divided = packet[3] == 1
            return total == 0 ? .noData : .more
        default:
            return addRecord(packet)
        }
    }

    private mutating func addRecord(_ packet: ColmiPacket) -> Progress {
        guard let record = decode(packet) else { return .other }
        let (index, count) = (Int(packet[5]), Int(packet[6]))
        if index >= records.count { records += Array(repeating: nil, count: index + 1 - records.count) }
        records[index] = record
        guard index == count - 1 else { return .more }
        // Without the header the calories' scale is unknown: as good as a gap, the day is asked for again.
        return total == count && records.count == count && !records.contains(nil) ? .complete : .gaps
    }

    private func decode(_ packet: ColmiPacket) -> Record? {
        guard let year = ColmiPacket.decimal(packet[1]), let month = ColmiPacket.decimal(packet[2]),
            let dayOfMonth = ColmiPacket.decimal(packet[3]),
            let day = Day(year: 2000 + year, month: month, day: dayOfMonth), packet[4] <= 95
        else { return nil }
        let calories = packet.uint16(at: 7) * (divided ? 10 : 1)
        return Record(
            wall: day.daysSince1970 * 86_400 + Int(packet[4]) * 900, slot: Int(packet[4]),
            steps: packet.uint16(at: 9), energy: Double(calories) / 1000, metres: packet.uint16(at: 11))
    }

    /// Seconds that each of the slots stands for.
    ///
    /// Some firmware counts by the hour and stamps the hour's first quarter; other firmware counts quarters. A day in which no
    /// slot lies off the hour is of the first kind.
    var slotLength: Int { records.allSatisfy { ($0?.slot ?? 0) % 4 == 0 } ? 3600 : 900 }
}

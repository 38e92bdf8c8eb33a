internal import StepDomain

/// The answer to one request for a day's steps, as its packets come in.
///
/// - `43 FF …`: the ring has no data for that day.
/// - `43 F0 n c …`: n records follow; c = 1 means that calories are sent divided by ten.
/// - `43 yy mm dd slot index total calories(2) steps(2) metres(2)`: a record, date in binary-coded decimal, numbers
///   little endian, slot 0...95 a quarter of an hour of the ring's clock. The index goes from 0 to total − 1; rings
///   send them in this order, and the answer is complete when all have arrived, in whatever order.
///
/// A record belongs to the answer if it comes after a header and has its total. Others are late copies of another
/// answer, and never replace a record of this one: the scale of their calories is not known. Records with the same
/// total and different dates are of different answers.
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
        /// All records have arrived.
        case complete
        /// The last record has arrived, others were left out before it; or it contradicts the header; or the header is
        /// missing.
        case gaps
        case noData
        case refused
        /// Not part of this answer: an unsolicited packet, or a record of another answer.
        case other
    }

    /// Records of one date.
    private struct Part {
        /// By index; nil for those that have not arrived.
        var records: [Record?]
        /// The index that arrived first.
        var first: Int
        /// Records that have arrived.
        var count = 0

        mutating func add(_ record: Record, at index: Int) {
            if records[index] == nil { count += 1 }
            // Twice: from an answer to a repeated request. A slot only grows.
            if records[index].map({ $0.steps <= record.steps }) ?? true { records[index] = record }
        }
    }

    /// The day that was requested, as days since 1970; nil for any.
    private let requested: Int?
    private var divided = false
    private var total: Int?
    private var parts: [Int: Part] = [:]

    init(of requested: Int? = nil) { self.requested = requested }

    /// The day of the records, as days since 1970: the requested one if it has any, otherwise the day with the most;
    /// nil if none arrived.
    var date: Int? {
        if let requested, parts[requested] != nil { return requested }
        return parts.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }?.key
    }

    /// The slots of this day by time.
    var slots: [Record] { (date.flatMap { parts[$0]?.records } ?? []).compactMap(\.self).sorted { $0.wall < $1.wall } }

    mutating func add(_ packet: ColmiPacket) -> Progress {
        guard packet.command == ColmiPacket.Command.steps else { return .other }
        if packet.isError { return .refused }
        switch packet[1] {
        case 0xff:
            return .noData
        case 0xf0:
            self = ColmiDay(of: requested)  // a new answer: after a repeated request the old one may still be arriving
            total = Int(packet[2])
            divided = packet[3] == 1
            return total == 0 ? .noData : .more
        default:
            return addRecord(packet)
        }
    }

    private mutating func addRecord(_ packet: ColmiPacket) -> Progress {
        guard let (day, record) = decode(packet) else { return .other }
        let (index, count) = (Int(packet[5]), Int(packet[6]))
        guard let total, count == total, index < total else {
            // Of the requested day: the header was lost, or contradicts the records. The end of these is that of the
            // answer.
            guard day == requested ?? day, date ?? day == day else { return .other }
            return index == count - 1 ? .gaps : .more
        }
        var part = parts[day] ?? Part(records: Array(repeating: nil, count: total), first: index)
        part.add(record, at: index)
        parts[day] = part
        guard day == date else { return .other }
        if part.count == total { return .complete }
        // If records arrive from the last to the first, the first one ends the answer.
        return index == (total > 1 && part.first == total - 1 ? 0 : total - 1) ? .gaps : .more
    }

    private func decode(_ packet: ColmiPacket) -> (day: Int, Record)? {
        guard let year = ColmiPacket.decimal(packet[1]), let month = ColmiPacket.decimal(packet[2]),
            let dayOfMonth = ColmiPacket.decimal(packet[3]),
            let day = Day(year: 2000 + year, month: month, day: dayOfMonth)?.daysSince1970, packet[4] <= 95
        else { return nil }
        let calories = packet.uint16(at: 7) * (divided ? 10 : 1)
        let record = Record(
            wall: day * 86_400 + Int(packet[4]) * 900, slot: Int(packet[4]),
            steps: packet.uint16(at: 9), energy: Double(calories) / 1000, metres: packet.uint16(at: 11))
        return (day, record)
    }

    /// Seconds that each of the slots covers.
    ///
    /// Some firmware counts by the hour and stamps the hour's first quarter; other firmware counts quarters. A day in
    /// which no slot lies off the hour is of the first kind.
    var slotLength: Int { slots.allSatisfy { $0.slot % 4 == 0 } ? 3600 : 900 }
}

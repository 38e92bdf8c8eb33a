/// The answers to the requests for days: which of them belongs to the present request, and which may come late.
///
/// An answer with records has a date. "No data" and errors have none.
struct ColmiAnswers {
    /// The answer that is being received.
    private(set) var answer = ColmiDay()
    /// The longest of the incomplete answers to the present request, or the complete one.
    private(set) var best = ColmiDay()
    /// An answer to an earlier request came, or "no data" that may be one.
    private(set) var hasLate = false
    /// The day of the present request.
    private var day = 0
    /// The date of an answer to the present request that was not the requested day's.
    private var otherDate: Int?
    /// Days that were requested more than once or did not answer, or whose answer may have been another day's: their
    /// answers may come late.
    private var repeated: Set<Int> = []

    /// A request is sent.
    mutating func begin(_ day: Int, attempt: Int) {
        if attempt > 1 {
            repeated.insert(day)
        } else {
            best = ColmiDay()
            otherDate = nil
        }
        self.day = day
        answer = ColmiDay(of: day)
    }

    mutating func add(_ packet: ColmiPacket) -> ColmiDay.Progress { answer.add(packet) }

    /// Whether the answer has another date than the requested day's, and is a late one to an earlier request.
    var isLate: Bool { answer.date.map { $0 != day && repeated.contains($0) } ?? false }

    /// Whether an answer without a date may be a late one to an earlier request.
    var mayBeLate: Bool { !repeated.subtracting([day]).isEmpty }

    /// Drops an answer with another date than the requested day's, unless it is the second such answer with this date:
    /// then the ring's today is not ours. A single one may be a late answer to an earlier request, also to one of the
    /// sync before.
    ///
    /// - Parameter isNearMidnight: the ring's today may differ from ours by a day.
    mutating func dropUnlessDated(isNearMidnight: Bool) {
        guard let date = answer.date, date != day else { return }
        if isLate {
            hasLate = true
        } else {
            guard date != otherDate, abs(date - day) > 1 || !isNearMidnight else { return }
            otherDate = date
        }
        answer = ColmiDay(of: day)
    }

    /// The request is sent again, or given up.
    mutating func keepBest(isNearMidnight: Bool) {
        dropUnlessDated(isNearMidnight: isNearMidnight)
        if answer.slots.count > best.slots.count { best = answer }
    }

    /// All records have arrived.
    mutating func complete() { best = answer }

    /// The request was given up.
    mutating func giveUp() { repeated.insert(day) }

    /// "No data" was taken for the answer. If it is a late one, the answer to this request comes during the next one.
    mutating func takeNothing() {
        guard mayBeLate else { return }
        repeated.insert(day)
        hasLate = true
    }
}

public import StepDomain

/// What this machine's clock is worth to a reading: the same for all models.
///
/// A cursor names moments of the clock with which it was written. If the clock was set since, they are moved by as
/// much; if it is not known by how much it was wrong, they count as moments in the future, of which every model knows
/// that nothing follows from them. So days that were read by a wrong clock are requested again, and a count is not
/// credited twice.
extension SessionContext {
    /// - Parameter mark: this machine's clock now. `pedometer.cursor` is changed by what it shows about the last
    ///   reading.
    public init(pedometer: Pedometer, localTime: LocalTime, days: Int? = nil, mark: ClockMark) {
        let before = pedometer.cursor.clockMark
        var current = pedometer
        current.cursor.clockMark = mark
        var change = before.map(mark.change) ?? .none
        // Then it is the present clock that may be wrong, and not the earlier one.
        if change == .unknown, before?.isTrusted == true, !mark.isTrusted { change = .none }
        // A clock that runs while the machine is off was believed then, and no time server has shown since that it was
        // wrong: it was right, and time has passed that the uptime does not show, as while a virtual machine is paused.
        if let before, case .set = change, mark.hasOwnClock, !mark.isTrusted, !before.isTrusted {
            // More may be requested than is needed, and no less.
            if mark.at < before.at, current.cursor.counter == nil, current.cursor.undecided == nil {
                current.cursor.readThrough = nil
            }
            change = .none
        }
        switch change {
        case .none: break
        case .set(let seconds): current.cursor.shift(by: seconds, isKnown: true, writtenAt: before?.at ?? mark.at)
        case .unknown: current.cursor.shift(by: Self.farAhead, isKnown: false, writtenAt: before?.at ?? mark.at)
        }
        self.init(pedometer: current, localTime: localTime, days: days, isClockTrusted: mark.isTrusted)
        // A board without a clock of its own is believed if its clock has been the same since an earlier reading.
        setsClock = mark.isBelieved || (before.map { !$0.isTrusted } ?? false) && change == .none
    }

    /// Seconds that are later than any reading of these years.
    private static let farAhead = 100 * 366 * 86_400

    /// A batch that keeps this machine's clock for the next reading.
    ///
    /// - Parameters:
    ///   - start: the clock when the reading began.
    ///   - mark: the clock now.
    ///   - stored: the cursor of the batches before; nil for none.
    func marked(_ batch: SampleBatch, start: ClockMark, now mark: ClockMark, after stored: PedometerCursor? = nil)
        -> SampleBatch
    {
        var batch = batch
        var cursor = batch.cursor ?? stored ?? pedometer.cursor
        cursor.clockMark = mark
        // The clock was set during the reading: which of its days were read by which time is not known.
        if mark.change(since: start) != .none { cursor.readThrough = nil }
        batch.cursor = cursor
        return batch
    }
}

extension PedometerCursor {
    /// The clock has been set by `seconds` since this was written.
    ///
    /// - Parameters:
    ///   - isKnown: whether it was set by so much. If not, the moments only become ones of the future.
    ///   - moment: when it was written, by the clock as it was. What is older may be of a time when the clock was
    ///     right.
    mutating func shift(by seconds: Int, isKnown: Bool, writtenAt moment: Timestamp) {
        func wasWritten(_ reading: CounterReading) -> Bool { abs(reading.at - moment) <= 600 }
        // Of slots, more may be requested than is needed, and no less.
        if let read = readThrough {
            let isOfCounter = [counter, undecided].contains { $0?.at == read }
            if isOfCounter {
                if abs(read - moment) <= 600 { readThrough = read + seconds }
            } else if seconds < 0 || !isKnown {
                readThrough = nil
            }
        }
        // A number that was never counted is read anew.
        if !isKnown, counter == nil { (undecided, readThrough, pastDays) = (nil, nil, nil) }
        if let last = counter, wasWritten(last) {
            counter = last.shifted(by: seconds)
            clockOffset = clockOffset.map { $0 - seconds }
        }
        if let last = undecided, wasWritten(last) { undecided = last.shifted(by: seconds) }
        if let last = alternative, wasWritten(last) { alternative = last.shifted(by: seconds) }
        // What seemed to be in the future was not, if the clock was behind.
        if seconds > 0 {
            tail = tail?.map { slot in
                var slot = slot
                if slot.start > moment, slot.base == slot.steps { slot.base = 0 }
                return slot
            }
        }
    }
}

extension CounterReading {
    fileprivate func shifted(by seconds: Int) -> CounterReading {
        let days =
            Day(of: at + seconds, utcOffset: utcOffset).daysSince1970 - Day(of: at, utcOffset: utcOffset).daysSince1970
        let counted = countsDay.map { $0.advanced(by: days) }
        return CounterReading(at: at + seconds, value: value, utcOffset: utcOffset, countsDay: counted)
    }
}

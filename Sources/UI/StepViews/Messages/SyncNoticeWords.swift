internal import StepDomain

extension SyncNotice {
    /// Distinguishes notices for programs.
    enum Kind: String, CaseIterable {
        case clockWasOff, batteryLow, undecodable, implausible, counterRestarted, lost, dayNotClosed, missing, undecided
        case countingStarted, oversized, clockCorrected, zoneChanged, zoneDiffers, appOutdated, stepsInDoubt
        case adapterRestarted
    }

    var kind: Kind {
        switch self {
        case .clockWasOff: .clockWasOff
        case .batteryLow: .batteryLow
        case .undecodable: .undecodable
        case .implausible: .implausible
        case .counterRestarted: .counterRestarted
        case .lost: .lost
        case .dayNotClosed: .dayNotClosed
        case .missing: .missing
        case .tooOld: .lost
        case .undecided: .undecided
        case .countingStarted: .countingStarted
        case .oversized: .oversized
        case .clockCorrected: .clockCorrected
        case .zoneChanged: .zoneChanged
        case .zoneDiffers: .zoneDiffers
        case .appOutdated: .appOutdated
        case .stepsInDoubt: .stepsInDoubt
        case .adapterRestarted: .adapterRestarted
        }
    }

    /// What happened, and what to do.
    var words: String { worded(Words.days) }

    /// - Parameter days: writes a first and a last day.
    func worded(_ days: (Day, Day) -> String) -> String {
        switch self {
        case .clockWasOff(let seconds):
            let by =
                seconds.map { $0 == 0 ? "" : " by \(Words.duration($0)) (it was \($0 > 0 ? "ahead" : "behind"))" } ?? ""
            let cause =
                (seconds ?? 0).isMoreThanAZone
                ? "A restart or an empty battery may have reset it."
                : "Another program may have set it, often to UTC: let only one program set it."
            return "Its clock was wrong\(by), so hours read now may be wrong. \(cause)"
        case .batteryLow(let percent):
            return "Its battery is at \(percent) %: charge it soon."
        case .undecodable(let frames):
            return "\(Words.count(frames, "packet")) could not be decoded. The raw frames are kept; "
                + "if this happens again, please report it."
        case .implausible(let samples):
            return
                "\(Words.count(samples, "implausible slot")) (steps or time), not counted. If this happens again, please report it."
        case .counterRestarted:
            return "It has restarted: steps taken between the previous sync and the restart, if any, are lost. "
                + "Sync more often to lose fewer steps."
        case .lost(let first, let last):
            return "It no longer holds the steps of \(days(first, last)). Sync more often to lose no steps."
        case .dayNotClosed(let day):
            return
                "Steps taken on \(days(day, day)) after it was last read are lost: it keeps only today's count. Sync shortly before midnight."
        case .missing(let gaps):
            return "\(gaps.worded(days)): not received completely. Requested again at the next sync."
        case .tooOld(let old):
            return
                "\(Words.list(old.map { days($0, $0) })): never received completely, and now too old: it no longer holds "
                + "\(old.count == 1 ? "this day" : "these days"). If steps are missing, they are lost."
        case .undecided(let steps):
            let (they, belong) = steps == 1 ? ("It is", "it belongs") : ("They are", "they belong")
            return "The \(Words.count(steps, "step")) that it shows may still be yesterday's. "
                + "\(they) counted when a later sync shows which day \(belong) to."
        case .countingStarted:
            return "This was its first reading. Steps that are taken after it are counted from the next sync on."
        case .oversized(let values):
            return "Cut off at the 512 bytes that Bluetooth allows: \(Words.count(values, "value")). "
                + "If this happens again, please report it."
        case .clockCorrected(let seconds):
            return
                "Its clock was \(Words.duration(seconds)) \(seconds > 0 ? "ahead" : "behind") and was set to local time."
        case .zoneChanged(let seconds):
            return
                "Local time, or the pedometer's time zone, has changed by \(Words.duration(seconds)) since the last sync, and the "
                + "pedometer records no time zone: the hours of the steps since then may be wrong, and these days are shown as partial."
        case .zoneDiffers(let offset?):
            return
                "Its time zone is \(Words.zone(offset)), which is not that of this machine, so it shows the wrong time: set its time zone. "
                + "Its steps are stored with the right time."
        case .zoneDiffers(nil):
            return "Its time zone is not that of this machine: set the time zone of the pedometer. "
                + "Until then the hours of its steps are uncertain, and these days are shown as partial."
        case .appOutdated(let app, let version):
            return
                "Its app '\(Printable(app))' is older than version \(Printable(version)) and does not send today's steps: update it."
        case .stepsInDoubt(.unrecorded(let steps)):
            return
                "It counts \(Words.count(steps, "step")) and has no record of them, so they are not in the history: its clock may have "
                + "stopped. Its clock is set at each sync. If this is reported again, reset it in its app."
        case .stepsInDoubt(let doubt):
            return
                "\(doubt.words), so only the raw frames were stored, and no steps. This model is experimental: please report it, with a "
                + "file that shows what it sends"
        case .adapterRestarted:
            return
                "The adapter had received nothing and was switched off and on, as 'restart-adapter' in the configuration allows."
        }
    }
}

extension Int {
    /// Whether no two time zones differ by so many seconds: they reach from UTC−12 to UTC+14.
    var isMoreThanAZone: Bool { abs(self) > 26 * 3_600 }
}

extension StepDoubt {
    fileprivate var words: String {
        switch self {
        case .totals(let first, let second):
            "It sent two different totals for the same steps (\(Words.grouped(first)) and \(Words.grouped(second)))"
        case .unchecked: "It did not send the total that its steps are compared with"
        case .runningTotals: "Its hourly steps never fall during a day, so they may be totals of the day"
        case .unrecorded: "It has no record of the steps that it counts"
        }
    }
}

extension [DayGap] {
    /// `2026-11-18 (refused) and 2026-11-19 (no answer)`.
    ///
    /// - Parameter days: writes a first and a last day.
    func worded(_ days: (Day, Day) -> String) -> String {
        Words.list(map { "\(days($0.day, $0.day)) (\($0.reason.words))" })
    }
}

extension DayGap.Reason {
    fileprivate var words: String {
        switch self {
        case .refused: "refused"
        case .unanswered: "no answer"
        case .incomplete: "incomplete"
        case .unconfirmed: "not confirmed"
        }
    }
}

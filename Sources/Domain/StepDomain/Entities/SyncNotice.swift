/// Something that a sync noticed and the user should know.
public enum SyncNotice: Hashable, Sendable, Codable {
    /// The pedometer's clock was ahead of (positive) or behind (negative) local time by about this many seconds; nil if
    /// it is only known that it was off.
    case clockWasOff(seconds: Int?)
    /// Per cent.
    case batteryLow(Int)
    /// Frames that could not be decoded; they are kept.
    case undecodable(frames: Int)
    /// Samples kept apart.
    case implausible(samples: Int)
    /// A counter went back: the pedometer restarted; steps between the last reading and the restart are lost.
    case counterRestarted
    /// Days that the pedometer no longer holds: from the first to the last.
    case lost(from: Day, through: Day)
    /// A counter of today was first read on this day after a night without a reading: yesterday's last steps may be
    /// missing.
    case dayNotClosed(Day)
    /// Days that were requested and not received completely; the next sync requests them again.
    case missing([DayGap])
    /// Days that were missing after earlier syncs and that the pedometer no longer holds.
    case tooOld([Day])
    /// The first value of a day of a counter of today may still contain yesterday's steps. They are counted later.
    case undecided(steps: Int)
    /// The first reading of a counter that only grows: steps count from here on.
    case countingStarted
    /// Values longer than the 512 bytes that Bluetooth allows; they were cut.
    case oversized(values: Int)
    /// The pedometer's clock was ahead of (positive) or behind (negative) local time by this many seconds and was set.
    /// This does not affect its steps.
    case clockCorrected(seconds: Int)
    /// A journey has changed local time, or the pedometer's zone was set, by this many seconds since the previous sync.
    /// The pedometer does not record the UTC offset, so its hours since then are uncertain.
    case zoneChanged(seconds: Int)
    /// The pedometer's time zone, in seconds east of Greenwich, is not that of this machine; nil if only that is known,
    /// because the times of its records do not fit.
    case zoneDiffers(seconds: Int?)
    /// An app on the pedometer is older than this version, and does not send the steps of today.
    case appOutdated(String, needs: String)
    /// The steps of an experimental pedometer were read and not stored: two readings of what it sends disagree, or
    /// could not be compared. The frames are stored.
    case stepsInDoubt(StepDoubt)
    /// The adapter had received nothing during a whole search, and was switched off and on.
    case adapterRestarted
}

/// Why steps that were read are not stored.
public enum StepDoubt: Hashable, Sendable, Codable {
    /// Two figures for the same steps differ: the first one, and the one that it was compared with.
    case totals(Int, Int)
    /// The figure that the steps have to be compared with did not arrive.
    case unchecked
    /// The steps of the slots never fall during a day: they may be running totals.
    case runningTotals
    /// The pedometer counts these steps of today, and has no record of them: its clock may have stopped.
    case unrecorded(Int)
}

/// What a sync says about a machine whose clock may be wrong.
public enum ClockWaitWords {
    public static let waiting = "waiting for a time server to set this machine's clock"
    public static let problem =
        "this machine's clock may be wrong: it has no clock that runs while it is off, and no time server has set it yet."
    /// What to do.
    public static let advice =
        "Steps that seem to be in the future are read by a later sync. To see the state of the clock: `timedatectl`"
}

/// What a machine knows of the time.
public struct TimeFacts: Hashable, Sendable {
    public var now: Timestamp
    /// Whether a time server has set the clock; nil where nobody can tell.
    public var isSynchronised: Bool?
    /// Of the time zone, such as `Europe/Berlin`; nil where it has none, or one that the machine does not know.
    public var zone: String?
    /// Whether somebody sits in front of it, who lives in a time zone.
    public var isDesktop: Bool

    public init(now: Timestamp, isSynchronised: Bool?, zone: String?, isDesktop: Bool) {
        self.now = now
        self.isSynchronised = isSynchronised
        self.zone = zone
        self.isDesktop = isDesktop
    }

    /// 2025-01-01: older than any istep. A board without a battery-backed clock begins in the past.
    public static let earliest = Timestamp(1_735_689_600)
}

extension TimeFacts {
    /// The clock of this machine is the one that pedometers are set by.
    public func remarks(localTime: LocalTime) -> [Remark] { [clock(localTime), place(localTime)] }

    private func clock(_ localTime: LocalTime) -> Remark {
        let subject = "clock"
        let shown = now.iso8601(utcOffset: localTime.utcOffset(now))
        if now < Self.earliest {
            return Remark(
                .fault(.temporary), subject, "it says \(shown), which cannot be",
                cure: "Set it, or connect to a network: timedatectl set-ntp true. Until then nothing is synced.")
        }
        switch isSynchronised {
        case true?: return Remark(.fine, subject, "\(shown), set by a time server")
        case nil: return Remark(.fine, subject, shown)
        case false?:
            return Remark(
                .warning, subject, "\(shown), not set by any time server; pedometers are set by this clock",
                cure: "timedatectl set-ntp true")
        }
    }

    private func place(_ localTime: LocalTime) -> Remark {
        let subject = "time zone"
        guard let zone else {
            return Remark(
                .warning, subject, "it is not known, so that days begin at midnight of UTC",
                cure: "sudo timedatectl set-timezone Europe/Berlin, or where you are")
        }
        let isUTC = ["UTC", "Etc/UTC", "UCT", "Universal", "Zulu", "Etc/Zulu"].contains(zone)
        guard isUTC, isDesktop else { return Remark(.fine, subject, zone) }
        return Remark(
            .note, subject, "\(zone): days begin at midnight of UTC",
            cure: "If you live elsewhere: sudo timedatectl set-timezone Europe/Berlin, or where you are")
    }
}

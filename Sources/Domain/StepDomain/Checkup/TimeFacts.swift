/// What a machine knows of the time.
public struct TimeFacts: Hashable, Sendable {
    public var now: Timestamp
    /// Whether a time server has set the clock; nil if not known.
    public var isSynchronised: Bool?
    /// Name of the time zone, such as `Europe/Berlin`; nil if none is set, or if the machine does not know it.
    public var zone: String?
    /// Whether the machine is a desktop, whose clock should show its user's time zone.
    public var isDesktop: Bool

    public init(now: Timestamp, isSynchronised: Bool?, zone: String?, isDesktop: Bool) {
        self.now = now
        self.isSynchronised = isSynchronised
        self.zone = zone
        self.isDesktop = isDesktop
    }

    /// 2025-01-01: before the first version of istep. A board without a battery-backed clock starts with a time in the
    /// past.
    public static let earliest = Timestamp(1_735_689_600)
}

extension TimeFacts {
    /// The clock, by which pedometers are set, and the time zone, which decides when a day begins.
    public var diagnoses: [Diagnosis] { [.time(clock), .time(timeZone)] }

    private var clock: TimeDiagnosis {
        if now < Self.earliest { return .clockImpossible(now) }
        return switch isSynchronised {
        case true?: .clockSynchronised(now)
        case nil: .clock(now)
        case false?: .clockNotSynchronised(now)
        }
    }

    private var timeZone: TimeDiagnosis {
        guard let zone else { return .zoneUnknown }
        let isUTC = ["UTC", "Etc/UTC", "UCT", "Universal", "Zulu", "Etc/Zulu"].contains(zone)
        // Servers use UTC.
        return isUTC && isDesktop ? .desktopInUTC(zone) : .zone(zone)
    }
}

/// The state of the machine's clock and of its time zone.
public enum TimeDiagnosis: Hashable, Sendable {
    /// The clock shows a time before the first version of istep.
    case clockImpossible(Timestamp)
    case clockSynchronised(Timestamp)
    /// It is not known whether a time server has set the clock.
    case clock(Timestamp)
    case clockNotSynchronised(Timestamp)
    /// The environment names a zone that the machine does not have. A sync ends with it.
    case zoneUnknown
    case zone(String)
    case desktopInUTC(String)

    public var severity: Severity {
        switch self {
        case .clockImpossible: .fault(.temporary)
        case .zoneUnknown: .fault(.configuration)
        case .clockNotSynchronised: .warning
        case .desktopInUTC: .note
        case .clockSynchronised, .clock, .zone: .fine
        }
    }

    public var subject: CheckSubject {
        switch self {
        case .clockImpossible, .clockSynchronised, .clock, .clockNotSynchronised: .clock
        case .zoneUnknown, .zone, .desktopInUTC: .timeZone
        }
    }
}

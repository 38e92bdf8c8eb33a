internal import StepDomain

/// What a watch reports about its clock: the answer to a line of JavaScript that is sent before the request for
/// records.
///
/// A watch whose console is off ("Programmable: off" in its settings) executes no JavaScript and does not answer.
struct BangleClock: Hashable {
    /// The time that its clock shows, in UTC.
    let time: Timestamp
    /// Seconds east of Greenwich by which it calculates local time now.
    let utcOffset: Int
    /// The same for the time of the last reading, by the rule that is in force now.
    let offsetAtCursor: Int
    /// Its offset depends on the date: `E.setDST`, as the app `widdst` calls it. Otherwise it is the same for all
    /// dates, until a phone or its wearer sets another one (`E.setTimeZone`).
    let followsRule: Bool
    /// The version of its app "Health Tracking"; nil if it is not known.
    let health: BangleVersion?

    /// Seconds by which its clock may be off before that is reported.
    static let tolerance = 120
    /// Quarters of a year before now at which its offset is asked for: that shows whether it depends on the date.
    private static let quarters = [91, 182, 273]
    /// Minutes. The zones of the world reach from -12 to +14 hours.
    private static let possibleMinutes = -15 * 60...15 * 60

    /// The line of JavaScript. It prints to Bluetooth, as the app's own lines do, and an error in it prints nothing.
    ///
    /// Source: espruino/Espruino, `src/jswrap_date.c` (`getTimezoneOffset`); the version is in the file that the app
    /// loader writes.
    static func question(read: Timestamp?, now: Timestamp) -> String {
        let moments = [now, read ?? now] + quarters.map { now - $0 * 86_400 }
        let list = moments.map { "\(max(0, $0.seconds) * 1000)" }.joined(separator: ",")
        return "try{Bluetooth.println(\"\\n\"+JSON.stringify({t:\"istep\",now:Date.now(),"
            + "tz:[\(list)].map(t=>new Date(t).getTimezoneOffset()).join(),"
            + "health:(require(\"Storage\").readJSON(\"health.info\",1)||{}).version}))}catch(e){}"
    }

    /// Nil if it is not such an answer.
    init?(_ fields: FlatJSON) {
        guard case .text("istep") = fields["t"], case .number(let now) = fields["now"], (0..<1e14).contains(now),
            case .text(let zones) = fields["tz"]
        else { return nil }
        let minutes = zones.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        let known = minutes.compactMap(\.self).filter(Self.possibleMinutes.contains)
        guard minutes.count == 2 + Self.quarters.count, known.count == minutes.count else { return nil }
        time = Timestamp(Int(now / 1000))
        (utcOffset, offsetAtCursor) = (known[0] * -60, known[1] * -60)
        followsRule = Set(known).count > 1
        if case .text(let version) = fields["health"] { health = BangleVersion(version) } else { health = nil }
    }
}

/// The version of an app of a watch: `0.43`.
struct BangleVersion: Hashable, Comparable {
    let parts: [Int]

    init?(_ text: String) {
        let parts = text.split(separator: ".").map { Int($0) }
        guard (1...4).contains(parts.count), !parts.contains(nil) else { return nil }
        self.parts = parts.compactMap(\.self)
    }

    static func < (one: BangleVersion, other: BangleVersion) -> Bool {
        one.parts.lexicographicallyPrecedes(other.parts)
    }
}

internal import Support

/// The file name of a backup: `history-2026-11-22T030405.sqlite`. The name of an automatic backup ends with
/// `.auto.sqlite`, that of one before an import with `.import.sqlite`.
///
/// It contains the history's name, so that the backups of two histories in one directory stay separate, and local time,
/// which users look for.
public struct BackupName: Hashable, Sendable {
    /// The history's file name without `.sqlite`.
    public let history: String
    public let day: Day
    /// `HHMMSS`
    public let clock: String
    /// Why it was made.
    public let origin: Origin

    public enum Origin: String, Hashable, Sendable, CaseIterable {
        /// By the user.
        case user = ""
        /// Before a migration, or by the nightly sync.
        case schedule = ".auto"
        /// Before an import, or before one was taken back.
        case `import` = ".import"
    }

    /// Whether istep made it by itself: then it may be deleted when there are newer ones.
    public var isAutomatic: Bool { origin != .user }
    /// Distinguishes backups of the same second; 1 is not written.
    public let number: Int

    /// - Parameter history: the history's file name or path.
    public init(of history: String, at moment: Timestamp, _ localTime: LocalTime, _ origin: Origin, number: Int = 1) {
        self.history = Self.stem(of: history)
        let local = moment.seconds + localTime.utcOffset(moment)
        day = Day(daysSince1970: floorDivide(local, 86_400))
        let seconds = floorRemainder(local, 86_400)
        clock = twoDigits(seconds / 3600) + twoDigits(seconds / 60 % 60) + twoDigits(seconds % 60)
        self.origin = origin
        self.number = number
    }

    /// Nil for a file that is not a backup of this history.
    public init?(file: String, of history: String) {
        let stem = Self.stem(of: history)
        guard file.hasPrefix(stem + "-"), file.hasSuffix(Self.suffix) else { return nil }
        var rest = file.dropFirst(stem.count + 1).dropLast(Self.suffix.count)
        let marked = Origin.allCases.first { $0 != .user && rest.hasSuffix($0.rawValue) }
        origin = marked ?? .user
        rest = rest.dropLast(origin.rawValue.count)
        let parts = rest.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let day = Day(String(parts[0])) else { return nil }
        let times = parts[1].split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(times.count), times[0].count == 6,
            times[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = times.count == 1 ? 1 : Int(times[1]), number > 0
        else { return nil }
        self.history = stem
        self.day = day
        clock = String(times[0])
        self.number = number
    }

    public var file: String {
        "\(history)-\(day)T\(clock)\(number == 1 ? "" : "-\(number)")\(origin.rawValue)\(Self.suffix)"
    }

    /// The name of another backup in the same second.
    public var next: BackupName { BackupName(self, number: number + 1) }

    private init(_ other: BackupName, number: Int) {
        (history, day, clock, origin) = (other.history, other.day, other.clock, other.origin)
        self.number = number
    }

    private static let suffix = ".sqlite"

    private static func stem(of history: String) -> String {
        let name = history.split(separator: "/").last.map(String.init) ?? history
        return name.hasSuffix(suffix) && name.count > suffix.count ? String(name.dropLast(suffix.count)) : name
    }
}

extension BackupName: Comparable {
    /// Earlier backups come first.
    public static func < (a: BackupName, b: BackupName) -> Bool {
        (a.day, a.clock, a.number, a.file) < (b.day, b.clock, b.number, b.file)
    }
}

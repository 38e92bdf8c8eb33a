/// When an automatic backup is made, and which automatic backups are deleted.
public struct BackupSchedule: Hashable, Sendable {
    /// How many automatic backups are kept; 0 makes none.
    public var count: Int

    /// Four weeks: long enough to notice that something is missing, and four times the size of the history.
    public static let standardCount = 4
    /// Days from one automatic backup, or check of the history, to the next.
    public static let interval = 7

    public init(count: Int) { self.count = count }

    /// - Parameter backups: the existing backups.
    public func isDue(_ backups: [BackupName], today: Day) -> Bool {
        guard count > 0 else { return false }
        let newest = backups.filter { $0.origin == .schedule && !Self.isMisdated($0, today) }.map(\.day).max()
        return newest.map { $0.distance(to: today) >= Self.interval } ?? true
    }

    /// The automatic backups to delete, oldest first. Backups that the user made are never among them.
    ///
    /// Those of imports count by themselves: ten imports in an evening must not replace the backups of four weeks. With
    /// `count` 0 as many of them are kept as usual, because each import still makes one, and all of the schedule:
    /// switching backups off does not delete existing ones. A backup with a date in the future counts as the oldest: as
    /// the newest, it would replace each later one.
    public func surplus(_ backups: [BackupName], today: Day) -> [BackupName] {
        let origins: [BackupName.Origin] = count > 0 ? [.schedule, .import] : [.import]
        return origins.flatMap { origin in
            let made = backups.filter { $0.origin == origin }.sorted()
            let misdated = made.filter { Self.isMisdated($0, today) }
            return (misdated + made.filter { !Self.isMisdated($0, today) }).dropLast(
                count > 0 ? count : Self.standardCount)
        }
    }

    /// Whether the backup was made while the clock was wrong. Tomorrow is a valid date: the backup may have been made
    /// before a journey to the west.
    private static func isMisdated(_ backup: BackupName, _ today: Day) -> Bool { backup.day > today.advanced(by: 1) }
}

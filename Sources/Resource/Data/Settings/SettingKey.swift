internal import StepDomain
internal import Support

/// The keys of a configuration file, `config.toml`. The keys in a table `[share.NAME]` are those of its kind: see
/// `DestinationKind`.
enum SettingKey: String, CaseIterable {
    case user, adapter, database, timeout, notifications, backups, frames
    case weekStart = "week-start"
    case units
    case restartAdapter = "restart-adapter"
    case recover
    /// The tables of destinations.
    case share
    /// The tables of imports.
    case `import`

    /// The known key that a wrong one most likely stands for, or nil if none is similar.
    static func nearest(to key: String) -> SettingKey? {
        nearestKey(to: key, among: allCases.map(\.rawValue)).flatMap(SettingKey.init)
    }

    /// The permitted values, as text for the user.
    var expected: String {
        switch self {
        case .user: "the name of a user"
        case .adapter: "the name of an adapter, such as \"hci0\""
        case .database: "a path that starts with / or ~/"
        case .timeout:
            "a number of seconds from \(Int(SearchTime.range.lowerBound)) to \(Int(SearchTime.range.upperBound))"
        case .notifications: "true or false: whether notices are shown as desktop notifications"
        case .backups:
            "a number from 0 to \(Settings.maximumBackups): how many automatic backups of the history are kept"
        case .frames: "how long raw frames are kept, such as \"2 years\", \"18 months\", \"90 days\" or \"forever\""
        case .weekStart: "the first day of a week, such as \"monday\" or \"sunday\""
        case .units: "\"metric\" or \"imperial\": miles, feet and inches, pounds"
        case .restartAdapter: "true or false: whether an adapter that receives nothing is switched off and on"
        case .recover:
            "true or false: whether a pedometer that BlueZ neither connects to nor disconnects is removed from BlueZ"
        case .import: "a table for each file that is imported every night, such as [import.phone]"
        case .share: "a table for each destination, such as [share.garden]"
        }
    }
}

/// The keys of a configuration file.
enum SettingKey: String, CaseIterable {
    case user, adapter, database, timeout, notifications
    /// The tables of destinations.
    case share

    /// The known key that a wrong one most likely stands for, or nil where none is near.
    static func nearest(to key: String) -> SettingKey? {
        nearestKey(to: key, among: allCases.map(\.rawValue)).flatMap(SettingKey.init)
    }

    /// What a value has to be, in words for the user.
    var expected: String {
        switch self {
        case .user: "the name of a user"
        case .adapter: "the name of an adapter, such as \"hci0\""
        case .database: "a path that starts with / or ~/"
        case .timeout: "a number of seconds from \(Int(Settings.timeouts.lowerBound)) to \(Int(Settings.timeouts.upperBound))"
        case .notifications: "true or false: whether the desktop tells what the night has to say"
        case .share: "a table for each destination, such as [share.garden]"
        }
    }
}

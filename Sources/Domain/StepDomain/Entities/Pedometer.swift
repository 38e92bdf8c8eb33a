/// A pedometer that a user added: which one, of which kind, and how far its history has been read.
public struct Pedometer: Hashable, Sendable, Identifiable {
    public typealias ID = Int64
    public let id: ID
    public let user: User.ID
    /// Key of the model in the registry, such as `colmi`.
    public var model: String
    /// Bluetooth address, upper case with colons. Unique among a history's pedometers.
    public var address: String
    /// `public` or `random`.
    public var addressType: String
    /// The user's name for it: unique without regard to case; valid by `NameRule`, as the name of a user is.
    public var name: String
    /// Further settings of the model (the UUIDs and the value format of the generic one), by option name.
    public var options: [String: String]
    public var clock: ClockState
    public var cursor: PedometerCursor

    /// - Parameter id: 0 of a pedometer that is not in the history yet, which gives it its number.
    public init(
        id: ID = 0, user: User.ID, model: String, address: String, addressType: String, name: String,
        options: [String: String] = [:], clock: ClockState = ClockState(), cursor: PedometerCursor = PedometerCursor()
    ) {
        self.id = id
        self.user = user
        self.model = model
        self.address = address
        self.addressType = addressType
        self.name = name
        self.options = options
        self.clock = clock
        self.cursor = cursor
    }
}

extension Pedometer {
    /// Whether it is a source of imports: it is not read by Bluetooth.
    public var isOfImport: Bool { model.hasPrefix("import:") }
}

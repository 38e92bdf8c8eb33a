public import BlueZ
public import StepDomain

/// A kind of pedometer: how it is recognised and how a reading of it begins. One file, and one line in the registry.
public protocol PedometerModel: Sendable {
    /// Stored with each pedometer; lower case, never changed.
    static var key: String { get }
    /// For people: the devices that it covers.
    static var title: String { get }
    /// Whether what a peripheral advertises tells that it is one of these.
    static func recognises(_ discovery: Discovery) -> Bool
    /// Services that a peripheral must have, or it is not what its name says.
    static func services(of pedometer: Pedometer) throws(PedometerError) -> [BluetoothUUID]
    /// A value that may demand an encrypted link, and so pairing; nil where the model's steps are open to anybody.
    static func protectedValue(of pedometer: Pedometer) throws(PedometerError) -> GATTAddress?
    /// Whether it holds nothing but the count of its today: what is not read before its midnight is lost.
    static func holdsTodayOnly(_ pedometer: Pedometer) -> Bool
    /// Begins a reading.
    ///
    /// - Throws: `.badOption` where the pedometer's stored options do not hold.
    static func session(_ context: SessionContext) throws(PedometerError) -> any PedometerSession
    /// Begins a short reading that only shows whether the pedometer answers, and what it tells of its battery and clock: nothing
    /// is changed on it, and what it delivers is thrown away.
    static func look(_ context: SessionContext) throws(PedometerError) -> any PedometerSession
    /// Follows its steps while it is connected; nil for a model that tells nothing unasked.
    ///
    /// - Parameter known: today's steps by a reading just before.
    /// - Throws: `.badOption` where the pedometer's stored options do not hold.
    static func live(_ pedometer: Pedometer, known: Int) throws(PedometerError) -> (any LiveSession)?
}

/// What a session is told before it begins.
public struct SessionContext: Sendable {
    public var pedometer: Pedometer
    public var localTime: LocalTime
    /// At most so many days back, today counted; nil for all that the pedometer may hold.
    public var days: Int?

    public init(pedometer: Pedometer, localTime: LocalTime, days: Int? = nil) {
        self.pedometer = pedometer
        self.localTime = localTime
        self.days = days
    }
}

/// All models that istep knows.
public enum PedometerRegistry {
    public static let models: [any PedometerModel.Type] = [
        Colmi.self,
        Generic.self,
    ]

    public static func model(_ key: String) throws(PedometerError) -> any PedometerModel.Type {
        guard let model = models.first(where: { $0.key == key }) else {
            throw .unknownModel(key, known: models.map { $0.key })
        }
        return model
    }

    /// Whether it holds nothing but the count of its today; false for one of a model that is not known.
    public static func holdsTodayOnly(_ pedometer: Pedometer) -> Bool {
        (try? model(pedometer.model))?.holdsTodayOnly(pedometer) ?? false
    }

    /// The model that a peripheral's advertisement tells of, if any.
    public static func model(of discovery: Discovery) -> (any PedometerModel.Type)? {
        models.first { $0.recognises(discovery) }
    }
}

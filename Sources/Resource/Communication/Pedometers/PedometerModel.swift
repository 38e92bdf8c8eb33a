public import BlueZ
public import StepDomain

/// A kind of pedometer: how it is recognised, and what it holds. One folder, and one line in the registry.
///
/// How it is read is in one of the two protocols that refine this: `LinkedPedometerModel` over a connection,
/// `AdvertisedPedometerModel` from its advertisements alone.
public protocol PedometerModel: Sendable {
    /// Stored with each pedometer; lower case, never changed.
    static var key: String { get }
    /// The devices that it covers, as text for users.
    static var title: String { get }
    /// What is not certain about how it is read, in one sentence for users; nil for a model whose protocol is read from
    /// firmware, or proven by several clients.
    static var caveat: String? { get }
    /// What shows in an advertisement that the peripheral is of this model; nil if nothing does. By default one of
    /// `characteristicServices`.
    static func evidence(in discovery: Discovery) -> KindEvidence?
    /// Services by which a connected peripheral is recognised, whatever it advertises: all of them. Empty if they prove
    /// nothing.
    static var characteristicServices: [BluetoothUUID] { get }
    /// Whether it holds only the count of its current day: what is not read before its midnight is lost. By default it
    /// does not.
    static func holdsTodayOnly(_ pedometer: Pedometer) -> Bool
}

extension PedometerModel {
    public static var caveat: String? { nil }
    public static func evidence(in discovery: Discovery) -> KindEvidence? {
        characteristicServices.contains { discovery.services.contains($0) } ? .advertisedService : nil
    }
    public static var characteristicServices: [BluetoothUUID] { [] }
    public static func holdsTodayOnly(_ pedometer: Pedometer) -> Bool { false }

    /// The model in the form that the domain uses.
    public static var kind: PedometerKind {
        PedometerKind(
            key: key, title: title, caveat: caveat, hasOwnServices: !characteristicServices.isEmpty,
            advertisesSteps: self is any AdvertisedPedometerModel.Type)
    }
}

/// A pedometer that is read over a connection.
public protocol LinkedPedometerModel: PedometerModel {
    /// Services that a peripheral must have; otherwise it is not the device that its name indicates. By default
    /// `characteristicServices`.
    static func services(of pedometer: Pedometer) throws(PedometerError) -> [BluetoothUUID]
    /// A value that may require an encrypted link, and so pairing; nil if the model's steps can be read without
    /// pairing.
    static func protectedValue(of pedometer: Pedometer) throws(PedometerError) -> GATTAddress?
    /// Checks what was read of the protected value, before the pedometer is registered.
    ///
    /// - Throws: `.badOption` if it does not fit the pedometer's options.
    static func checkProtected(_ value: [UInt8], of pedometer: Pedometer) throws(PedometerError)
    /// Begins a reading.
    ///
    /// - Throws: `.badOption` if the pedometer's stored options are not valid.
    static func session(_ context: SessionContext) throws(PedometerError) -> any PedometerSession
    /// Begins a short reading that only shows whether the pedometer answers, and what it reports about its battery and
    /// clock: nothing is changed on it, and what it delivers is thrown away.
    static func probe(_ context: SessionContext) throws(PedometerError) -> any PedometerSession
    /// Follows its steps while it is connected; nil for a model that sends nothing unsolicited.
    ///
    /// - Parameter known: today's steps by a reading just before.
    /// - Throws: `.badOption` if the pedometer's stored options are not valid.
    static func live(_ pedometer: Pedometer, known: Int) throws(PedometerError) -> (any LiveSession)?
    /// What a value that it has notified adds to the history; nil if it is for display only.
    static func batch(ofLive reading: CounterReading, _ context: SessionContext) -> SampleBatch?
    /// How to ask a pedometer whether it requires bonding, when it is registered; nil for a model that never does.
    static var bondQuestion: BondQuestion? { get }
    /// What to do so that it can be connected to, for users; nil for a model that always can be, or nearly always.
    static var howToConnect: String? { get }
}

/// A model that is read by requests and answers.
public protocol ExchangeModel: LinkedPedometerModel {
    /// - Parameter isProbe: whether it only asks what `probe` needs.
    static func session(_ context: SessionContext, isProbe: Bool) -> any PedometerSession
}

extension ExchangeModel {
    public static func session(_ context: SessionContext) -> any PedometerSession { session(context, isProbe: false) }
    public static func probe(_ context: SessionContext) -> any PedometerSession { session(context, isProbe: true) }
}

/// A request that asks a pedometer whether it requires bonding: some are not found again after their first connection
/// without a bond.
public struct BondQuestion: Sendable {
    public var request: [UInt8]
    /// Written without response.
    public var requests: GATTAddress
    public var answers: GATTAddress
    /// Whether a notification asks for a bond; nil if it is not the answer.
    public var isWanted: @Sendable ([UInt8]) -> Bool?
}

extension LinkedPedometerModel {
    public static func services(of pedometer: Pedometer) throws(PedometerError) -> [BluetoothUUID] {
        characteristicServices
    }
    public static func protectedValue(of pedometer: Pedometer) throws(PedometerError) -> GATTAddress? { nil }
    public static func checkProtected(_ value: [UInt8], of pedometer: Pedometer) throws(PedometerError) {}
    public static func live(_ pedometer: Pedometer, known: Int) throws(PedometerError) -> (any LiveSession)? { nil }
    public static func batch(ofLive reading: CounterReading, _ context: SessionContext) -> SampleBatch? { nil }
    public static var bondQuestion: BondQuestion? { nil }
    public static var howToConnect: String? { nil }
}

/// A pedometer that broadcasts its steps: it is read without a connection, beside any other program that is connected
/// to it.
public protocol AdvertisedPedometerModel: PedometerModel {
    /// The steps in an advertisement; nil if it carries none.
    static func reading(in discovery: Discovery) -> AdvertisedReading?
    /// What to do if it is heard and advertises no steps, such as a setting in its app.
    static var howToAdvertise: String { get }
    /// The samples that a reading adds to the history.
    ///
    /// - Parameter now: when the advertisement was received.
    static func batch(_ reading: AdvertisedReading, _ context: SessionContext, at now: Timestamp) -> SampleBatch
}

/// The content of an advertisement with steps.
public struct AdvertisedReading: Hashable, Sendable {
    /// Today's steps, as far as the advertisement shows them without doubt.
    public var steps: Int?
    /// The address that the advertisement itself contains: it stays the same even if the sender's address changes.
    public var identity: DeviceAddress?
    /// The fields as received.
    public var frames: [[UInt8]]
}

/// The input of a session.
public struct SessionContext: Sendable {
    public var pedometer: Pedometer
    public var localTime: LocalTime
    /// At most this many days back, including today; nil for all that the pedometer may hold.
    public var days: Int?
    /// Whether this machine's clock is known to be right. If it is not, it may be behind: what seems to be in the
    /// future may not be.
    public var isClockTrusted: Bool
    /// Whether the pedometer's clock may be set by this machine's. It is not by a clock that no time server has set,
    /// and that no earlier reading shows to be right: a pedometer that is right would be set to a wrong time.
    public var setsClock = true

    public init(pedometer: Pedometer, localTime: LocalTime, days: Int? = nil, isClockTrusted: Bool = true) {
        self.pedometer = pedometer
        self.localTime = localTime
        self.days = days
        self.isClockTrusted = isClockTrusted
    }
}

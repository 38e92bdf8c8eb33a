public import BlueZ
public import StepDomain

/// All models that istep knows.
public enum PedometerRegistry {
    public static let models: [any PedometerModel.Type] = [
        Colmi.self,
        InfiniTime.self,
        BangleJS.self,
        MiBand.self,
        CRP.self,
        Jring.self,
        YCBT.self,
        MoYoung.self,
        ID115.self,
        Lefun.self,
        No1F1.self,
        Casio.self,
        FitPro.self,
        Garmin.self,
        Generic.self,
    ]

    public static func model(_ key: String) throws(PedometerError) -> any PedometerModel.Type {
        guard let model = models.first(where: { $0.key == key }) else {
            throw .unknownModel(key, known: models.map { $0.key })
        }
        return model
    }

    /// The address that an advertisement itself contains, if it is one of a model whose advertisements do.
    public static func identity(in discovery: Discovery) -> DeviceAddress? {
        for model in models {
            guard let model = model as? any AdvertisedPedometerModel.Type else { continue }
            if let identity = model.reading(in: discovery)?.identity { return identity }
        }
        return nil
    }

    /// The model that a peripheral's advertisement indicates, if any: the one with the strongest evidence.
    public static func recognise(_ discovery: Discovery) -> (model: any PedometerModel.Type, evidence: KindEvidence)? {
        var best: (model: any PedometerModel.Type, evidence: KindEvidence)?
        for model in models {
            guard let evidence = model.evidence(in: discovery), best.map({ evidence > $0.evidence }) ?? true else {
                continue
            }
            best = (model, evidence)
        }
        return best
    }

    /// The model that a peripheral's advertisement indicates, if any.
    public static func model(of discovery: Discovery) -> (any PedometerModel.Type)? { recognise(discovery)?.model }

    /// The models whose services a connected peripheral has.
    public static func models(withServices services: Set<BluetoothUUID>) -> [any PedometerModel.Type] {
        models.filter { !$0.characteristicServices.isEmpty && $0.characteristicServices.allSatisfy(services.contains) }
    }
}

/// A pedometer that is to be read over a link, with the properties from its model.
struct ReadTarget: Sendable {
    let pedometer: Pedometer
    let model: any LinkedPedometerModel.Type
    let address: DeviceAddress
    let services: [BluetoothUUID]
    let protectedValue: GATTAddress?

    /// - Throws: `PedometerError` for stored options that are not valid.
    init(_ pedometer: Pedometer, _ model: any LinkedPedometerModel.Type) throws(PedometerError) {
        self.pedometer = pedometer
        self.model = model
        services = try model.services(of: pedometer)
        protectedValue = try model.protectedValue(of: pedometer)
        address = try pedometer.deviceAddress()
    }

    /// Why it was not heard, while other devices were.
    func notFound(seconds: Double) -> any Error {
        model.howToConnect.map {
            PedometerError.notConnectable(pedometer.address, seconds: seconds, model: model.title, advice: $0)
        }
            ?? BluetoothError.peripheralNotFound(pedometer.address, seconds: seconds)
    }
}

/// How a pedometer is read.
enum ReadMethod: Sendable {
    case linked(ReadTarget)
    case advertised(AdvertisingPedometer)

    /// - Throws: `PedometerError` for a model that is not known, and for stored options that are not valid.
    init(_ pedometer: Pedometer) throws(PedometerError) {
        let model = try PedometerRegistry.model(pedometer.model)
        if let model = model as? any LinkedPedometerModel.Type {
            self = .linked(try ReadTarget(pedometer, model))
        } else if let model = model as? any AdvertisedPedometerModel.Type {
            self = .advertised(
                AdvertisingPedometer(pedometer: pedometer, model: model, address: try pedometer.deviceAddress()))
        } else {
            throw .unknownModel(pedometer.model, known: PedometerRegistry.models.map { $0.key })
        }
    }
}

extension Pedometer {
    fileprivate func deviceAddress() throws(PedometerError) -> DeviceAddress {
        guard let address = DeviceAddress(address) else {
            throw .badOption("address", value: address, expected: "six pairs of hexadecimal digits")
        }
        return address
    }
}

/// The models of the registry, in the form that the domain uses.
public struct RegisteredModels: PedometerCatalog {
    public init() {}

    public var kinds: [PedometerKind] { PedometerRegistry.models.map { $0.kind } }
    public var describedKind: String { Generic.key }

    /// - Throws: `PedometerError.badOption`.
    public func checked(_ options: [String: String]) throws -> [String: String] { try GenericOptions(options).stored }

    public func address(_ text: String) -> String? { DeviceAddress(text)?.description }
    public func uuid(_ text: String) -> String? { BluetoothUUID(text)?.description }
}

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

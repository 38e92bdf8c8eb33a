internal import BlueZ
internal import StepDomain

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

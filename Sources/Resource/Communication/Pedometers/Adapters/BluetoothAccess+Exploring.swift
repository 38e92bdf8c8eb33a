internal import BlueZ
public import StepDomain

/// Reads the services and values of devices.
extension BluetoothAccess: GATTExplorer {
    /// - Throws: `BluetoothError`, `PedometerError.badOption`.
    public func services(of address: String, readsValues: Bool) async throws -> [GATTServiceContent] {
        try await connected(address) { peripheral in
            var services: [GATTServiceContent] = []
            var isStalled = false
            for service in peripheral.services {
                var characteristics: [GATTCharacteristicContent] = []
                for characteristic in service.characteristics {
                    var value = GATTCharacteristicContent.Value.notRead
                    if readsValues, characteristic.flags.contains(.read) {
                        value =
                            isStalled ? Self.notTried : try await Self.value(of: characteristic, peripheral, &isStalled)
                    }
                    characteristics.append(
                        GATTCharacteristicContent(
                            uuid: characteristic.uuid.description, handle: Int(characteristic.handle),
                            flags: characteristic.flags.words,
                            descriptors: characteristic.descriptors.map(\.uuid.description), value: value))
                }
                services.append(
                    GATTServiceContent(
                        uuid: service.uuid.description, handle: Int(service.handle), characteristics: characteristics))
            }
            return services
        }
    }

    private static let notTried = GATTCharacteristicContent.Value.refused(
        "not tried, because the device did not answer an earlier request")

    /// A refused read becomes part of the list; an error of the link ends the list.
    ///
    /// - Parameter isStalled: set to true if the device does not answer. A link carries one request at a time (Core
    ///   Specification Vol 3 Part F 3.3.2): no later one would be answered, and after 30 s BlueZ ends the link.
    private static func value(
        of characteristic: GATTCharacteristic, _ peripheral: Peripheral, _ isStalled: inout Bool
    ) async throws -> GATTCharacteristicContent.Value {
        do throws(BluetoothError) {
            return .bytes(try await peripheral.read(characteristic))
        } catch {
            if error.endsLink { throw error }
            if case .notPaired = error { return .refused("needs pairing") }
            if case .timedOut = error { isStalled = true }
            return .refused(String(describing: error))
        }
    }

    public func read(_ characteristic: CharacteristicAddress, of address: String) async throws -> [UInt8] {
        let (service, characteristic) = try Self.uuids(characteristic)
        return try await connected(address) { try await $0.read(characteristic, of: service) }
    }

    public func write(_ bytes: [UInt8], to characteristic: CharacteristicAddress, of address: String, hasResponse: Bool)
        async throws
    {
        let (service, characteristic) = try Self.uuids(characteristic)
        try await connected(address) { peripheral in
            // Writes without a response only if the user has requested that, or if there is no other way.
            if hasResponse, peripheral.writesWithResponse(true, characteristic, in: service) {
                try await peripheral.write(bytes, to: characteristic, of: service)
            } else {
                try await peripheral.writeInChunks(bytes, to: characteristic, of: service)
            }
        }
    }

    public func notifications(
        of characteristic: CharacteristicAddress, of address: String, seconds: Double?,
        report: @escaping @Sendable ([UInt8]) throws -> Bool
    ) async throws {
        let (service, characteristic) = try Self.uuids(characteristic)
        try await connected(address) { peripheral in
            var values = try await peripheral.notifications(of: characteristic, in: service).makeAsyncIterator()
            let (clock, start) = (ContinuousClock(), ContinuousClock.now)
            while true {
                let left = seconds.map { Duration.seconds($0) - (clock.now - start) } ?? .seconds(3_600)
                guard left > .zero else { return }
                let value: [UInt8]
                do throws(BluetoothError) {
                    guard let next = try await values.next(within: left) else { return }
                    value = next
                } catch {
                    guard case .timedOut = error else { throw error }
                    continue
                }
                guard try report(value) else { return }
            }
        }
    }

    private static func uuids(_ address: CharacteristicAddress) throws(PedometerError) -> (BluetoothUUID, BluetoothUUID)
    {
        (
            try BluetoothUUID.option("service", address.service),
            try BluetoothUUID.option("characteristic", address.characteristic)
        )
    }

    private func connected<R: Sendable>(_ text: String, _ body: (Peripheral) async throws -> R) async throws -> R {
        guard let address = DeviceAddress(text) else {
            throw PedometerError.badOption(
                "address", value: text, expected: "six pairs of hexadecimal digits, such as C0:DE:00:00:00:01")
        }
        return try await central().closing { central in
            try await central.withPeripheral(address, adapter: adapter, limits: environment.limits) {
                try await body($0)
            }
        }
    }
}

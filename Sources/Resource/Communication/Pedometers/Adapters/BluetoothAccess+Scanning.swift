internal import BlueZ
public import StepDomain

/// Finds pedometers, and checks and unpairs those that are registered.
extension BluetoothAccess: PedometerScanner {
    /// - Throws: `BluetoothError`.
    public func scan(
        _ conditions: ScanConditions, seconds: Double, discovered: @escaping @Sendable (Int) -> Void
    ) async throws -> ScanOutcome {
        let results = try await central().closing { central in
            try await ScanResults.collect(
                await central.scan(ScanFilter(conditions), adapter: adapter, limit: .seconds(seconds)),
                where: { conditions.matches(name: $0.name) }, discovered: discovered)
        }
        return ScanOutcome(
            results.strongestFirst.map(ScannedDevice.init), isTruncated: results.isTruncated, others: results.others)
    }

    /// - Throws: `BluetoothError`, or what `isWanted` throws.
    public func first(
        _ conditions: ScanConditions, seconds: Double, passed: @escaping @Sendable (ScannedDevice) -> Void,
        where isWanted: @escaping @Sendable (ScannedDevice) throws -> Bool
    ) async throws -> ScannedDevice? {
        // A band may be sent from another address than that in its data, by which it is known: BlueZ must not leave it
        // out.
        var filter = ScanFilter(conditions)
        let address = filter.address
        filter.address = nil
        return try await central().closing { [filter] central in
            for try await discovery in await central.scan(filter, adapter: adapter, limit: .seconds(seconds)) {
                let device = ScannedDevice(discovery)
                let isOther = address.map { discovery.address != $0 && device.address != $0.description } ?? false
                if isOther || !conditions.matches(name: device.name) {
                    passed(device)
                } else if try isWanted(device) {
                    return device
                }
            }
            return nil
        }
    }

    /// - Throws: `BluetoothError`.
    public func probe(_ address: String) async throws -> ProbedDevice {
        guard let address = DeviceAddress(address) else { return ProbedDevice(kinds: [], services: []) }
        // One attempt: a device that is only looked at is not worth minutes.
        let limits = ConnectionLimits(scan: .seconds(10), attempts: 2)
        return try await central().closing { central in
            try await central.withPeripheral(address, adapter: adapter, limits: limits) { peripheral in
                let services = peripheral.services.map(\.uuid)
                return ProbedDevice(
                    kinds: PedometerRegistry.models(withServices: Set(services)).map { $0.kind },
                    services: services.map(\.description))
            }
        }
    }

    /// Connects to check that a pedometer is the expected device, and that its steps can be read: pairs if it requires
    /// that, or asks for it.
    ///
    /// - Returns: its own address, if pairing has shown another one than it was heard from.
    /// - Throws: `BluetoothError`, `PedometerError`.
    @discardableResult
    public func check(_ pedometer: Pedometer) async throws -> PedometerAddress? {
        guard case .linked(let target) = try ReadMethod(pedometer) else {
            _ = try await examine(pedometer)
            return nil
        }
        return try await withPeripheral(of: target, LinkRetry(mayPair: target.protectedValue != nil)) { peripheral in
            if let value = target.protectedValue {
                try target.model.checkProtected(
                    await peripheral.read(value.characteristic, of: value.service), of: pedometer)
            }
            if let question = target.model.bondQuestion, !(await peripheral.isPaired()),
                try await wantsBond(peripheral, question)
            {
                try await bond(peripheral, target)
            }
            let identity = await peripheral.identity()
            guard identity.address != target.address else { return nil }
            return PedometerAddress(address: identity.address.description, type: identity.type.rawValue)
        }
    }

    /// Over this link: without a bond it may not be found again.
    private func bond(_ peripheral: Peripheral, _ target: ReadTarget) async throws {
        do throws(BluetoothError) {
            try await peripheral.pair(AcceptJustWorks())
        } catch {
            guard case .pairingFailed(_, let reason) = error else { throw error }
            throw PedometerError.bondFailed(model: target.model.title, reason: reason)
        }
    }

    /// How long to wait for each notification that may be the answer whether a pedometer requires bonding: rings answer
    /// within tenths of a second, and most do not know the question.
    private static let bondAnswerTimeout: Duration = .seconds(2)
    /// Notifications among which the answer must be.
    private static let maximumBeforeBondAnswer = 20

    private func wantsBond(_ peripheral: Peripheral, _ question: BondQuestion) async throws -> Bool {
        let notifications = try await peripheral.notifications(
            of: question.answers.characteristic, in: question.answers.service)
        try await peripheral.write(
            question.request, to: question.requests.characteristic, of: question.requests.service, response: false)
        var values = notifications.makeAsyncIterator()
        for _ in 0..<Self.maximumBeforeBondAnswer {
            do throws(BluetoothError) {
                guard let value = try await values.next(within: Self.bondAnswerTimeout) else { return false }
                if let isWanted = question.isWanted(value) { return isWanted }
            } catch {
                guard case .timedOut = error else { throw error }
                return false
            }
        }
        return false
    }

    /// - Throws: `BluetoothError`.
    public func unpair(_ pedometer: Pedometer) async throws {
        guard let address = DeviceAddress(pedometer.address) else { return }
        _ = try await central().closing { central in try await central.remove(address, adapter: adapter) }
    }
}

extension ScanFilter {
    /// A text that is not a UUID or an address is not used as a condition: the caller has checked the conditions. The
    /// name is not, because BlueZ compares it byte for byte.
    fileprivate init(_ conditions: ScanConditions) {
        self.init(
            services: conditions.service.flatMap { BluetoothUUID($0) }.map { [$0] } ?? [],
            address: conditions.address.flatMap { DeviceAddress($0) })
    }
}

extension ScannedDevice {
    init(_ discovery: Discovery) {
        let recognised = PedometerRegistry.recognise(discovery)
        let identity = (recognised?.model as? any AdvertisedPedometerModel.Type)?.reading(in: discovery)?.identity
        self.init(
            address: (identity ?? discovery.address).description, addressType: discovery.addressType.rawValue,
            name: discovery.name,
            rssi: discovery.rssi,
            kind: recognised?.model.kind, evidence: recognised?.evidence,
            services: discovery.services.map(\.description),
            isConnected: discovery.isConnected, isPaired: discovery.isPaired)
    }
}

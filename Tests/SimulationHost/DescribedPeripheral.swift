import SimulatedBlueZ
import Synchronization

/// A peripheral made from a description in JSON, as Tests/RealStack/virtual/peripheral.py makes one: the same file
/// gives both stacks the same peripheral. Fields that only a virtual radio needs are ignored.
final class DescribedPeripheral: SimulatedPeripheral {
    struct Description: Decodable {
        struct Characteristic: Decodable {
            let uuid: String
            /// `read`, `write_without_response`, …
            let properties: [String]
            /// Text, or bytes when written 0xHEX.
            let value: String?
            /// Instead of a value: this many bytes, 0, 1, 2 …
            let length: Int?
            /// Only over an encrypted link.
            let secure: Bool?
            /// The text of a Characteristic User Description descriptor.
            let description: String?
        }

        struct Service: Decodable {
            let uuid: String
            let characteristics: [Characteristic]
        }

        let name: String
        let address: String
        let advertise: [String]
        let services: [Service]
    }

    struct Invalid: Error, CustomStringConvertible {
        let description: String
    }

    let address: String
    let advertisement: Advertisement
    let services: [SimulatedService]
    /// As bumble offers it and BlueZ agrees to it.
    let mtu: UInt16 = 517
    private let state: Mutex<State>

    private struct State {
        var values: [AttributeUUID: [UInt8]]
        var errors: [AttributeUUID: ATTError] = [:]
        var link: PeripheralLink?
    }

    init(_ description: Description) throws {
        address = description.address
        advertisement = Advertisement(name: description.name, services: try description.advertise.map(Self.uuid))
        var values: [AttributeUUID: [UInt8]] = [:]
        services = try description.services.map { service in
            SimulatedService(
                try Self.uuid(service.uuid),
                try service.characteristics.map { characteristic in
                    values[try Self.uuid(characteristic.uuid)] = try Self.value(of: characteristic)
                    return try Self.characteristic(characteristic)
                })
        }
        state = Mutex(State(values: values))
    }

    private static func characteristic(_ description: Description.Characteristic) throws -> SimulatedCharacteristic {
        let properties = try description.properties.map { name in
            guard let property = SimulatedCharacteristic.Property(rawValue: name.replacing("_", with: "-")) else {
                throw Invalid(description: "no property '\(name)'")
            }
            return property
        }
        return SimulatedCharacteristic(
            try uuid(description.uuid), Set(properties), security: description.secure == true ? .encrypted : .open,
            descriptors: description.description.map { [SimulatedDescriptor("2901", value: Array($0.utf8))] } ?? [])
    }

    private static func value(of description: Description.Characteristic) throws -> [UInt8] {
        if let length = description.length { return (0..<length).map { UInt8(truncatingIfNeeded: $0) } }
        return try bytes(description.value ?? "")
    }

    /// Text, or bytes when written 0xHEX.
    static func bytes(_ text: String) throws -> [UInt8] {
        guard text.hasPrefix("0x") else { return Array(text.utf8) }
        let digits = text.dropFirst(2).compactMap(\.hexDigitValue)
        guard digits.count == text.count - 2, digits.count.isMultiple(of: 2) else {
            throw Invalid(description: "'\(text)' is not hexadecimal")
        }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    static func uuid(_ text: String) throws -> AttributeUUID {
        guard let uuid = AttributeUUID(text) else { throw Invalid(description: "'\(text)' is not a UUID") }
        return uuid
    }

    // MARK: Control

    /// The characteristic answers every read and write with this error; nil removes it.
    func setError(_ error: ATTError?, of characteristic: AttributeUUID) {
        state.withLock { $0.errors[characteristic] = error }
    }

    func notify(_ characteristic: AttributeUUID, _ value: [UInt8]) throws {
        guard let service = services.first(where: { $0.characteristics.contains { $0.uuid == characteristic } }) else {
            throw Invalid(description: "no characteristic \(characteristic)")
        }
        let link = state.withLock { state in
            state.values[characteristic] = value
            return state.link
        }
        link?.notify(CharacteristicID(service.uuid, characteristic), value)
    }

    // MARK: SimulatedPeripheral

    func linkOpened(_ link: PeripheralLink) { state.withLock { $0.link = link } }
    func linkClosed() { state.withLock { $0.link = nil } }

    func read(_ characteristic: CharacteristicID) throws(ATTError) -> [UInt8] {
        let (error, value) = state.withLock {
            ($0.errors[characteristic.characteristic], $0.values[characteristic.characteristic])
        }
        if let error { throw error }
        guard let value else { throw .attributeNotFound }
        return value
    }

    func write(_ value: [UInt8], to characteristic: CharacteristicID) throws(ATTError) {
        if let error = state.withLock({ $0.errors[characteristic.characteristic] }) { throw error }
        state.withLock { $0.values[characteristic.characteristic] = value }
    }
}

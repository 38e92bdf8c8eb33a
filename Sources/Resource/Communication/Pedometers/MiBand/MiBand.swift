public import BlueZ
public import StepDomain

/// A Xiaomi Mi Smart Band 4, 5 or 6 that is set to be discoverable: it advertises today's steps, without a connection
/// and without its key.
///
/// - Service data of 0xFEE0: 4 bytes. One reader takes them as u32 little-endian, another only the first two; up to
///   65,535 both agree, and higher values are not counted.
/// - Manufacturer data of 0x0157 (Huami): 24 bytes: `[0]` 02, `[3]` heart rate (FF: none), `[18...23]` its address.
///
/// An Amazfit Bip S advertises the same fields with `[0]` 00, and its bytes are not steps. The Band 7 advertises no
/// steps.
///
/// Source: custom-components/ble_monitor and theengs/decoder, with captured advertisements.
public enum MiBand: AdvertisedPedometerModel {
    public static let key = "miband"
    public static let title = "Mi Smart Band 4, 5 or 6"
    public static let caveat: String? =
        "Not confirmed: that it resets its steps at midnight, and how it sends counts above 65,535."

    static let service: BluetoothUUID = "fee0"
    static let company: UInt16 = 0x0157
    private static let names = ["Mi Smart Band 4", "Mi Smart Band 5", "Mi Smart Band 6"]

    public static let howToAdvertise =
        "Switch on 'Discoverable' for the band in its app (Zepp Life or Mi Fitness), and bring it close. Then try again."

    public static func evidence(in discovery: Discovery) -> KindEvidence? {
        if reading(in: discovery) != nil { return .advertisedData }
        guard let name = discovery.name, discovery.manufacturerData[company].map({ $0.first == 2 }) ?? true else {
            return nil
        }
        return names.contains { name.hasPrefix($0) } ? .name : nil
    }

    /// Assumed, not confirmed (`caveat`): it resets its steps at midnight.
    public static func holdsTodayOnly(_ pedometer: Pedometer) -> Bool { true }

    public static func reading(in discovery: Discovery) -> AdvertisedReading? {
        guard let data = discovery.serviceData[service], data.count == 4, let own = discovery.manufacturerData[company],
            own.count == 24, own[0] == 0x02
        else { return nil }
        let steps = data.reversed().reduce(0) { $0 << 8 | Int($1) }
        let address = DeviceAddress(
            own[18...23].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: ":"))
        let isNothing = own[18...23].allSatisfy { $0 == 0 } || own[18...23].allSatisfy { $0 == 0xff }
        return AdvertisedReading(
            steps: steps <= 0xffff ? steps : nil, identity: isNothing ? nil : address,
            frames: [[0xe0, 0xfe] + data, [UInt8(company & 0xff), UInt8(company >> 8)] + own])
    }

    public static func batch(_ reading: AdvertisedReading, _ context: SessionContext, at now: Timestamp) -> SampleBatch
    {
        var batch = SampleBatch()
        if let steps = reading.steps {
            let counter = CounterReading(at: now, value: steps, utcOffset: context.localTime.utcOffset(now))
            batch = CounterOfToday(context).batch(of: counter)
        } else {
            batch.notices = [.undecodable(frames: 1)]
        }
        batch.frames = reading.frames.map { RawFrame(.received, at: now, bytes: $0) }
        return batch
    }
}

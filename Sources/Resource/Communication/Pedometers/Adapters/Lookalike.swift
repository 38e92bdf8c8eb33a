internal import BlueZ
internal import StepDomain

/// A peripheral in range that may be a pedometer which is missing under its own address.
///
/// Some pedometers take a new random address when they are reset or charged. Only properties that identify a device
/// almost uniquely count: the name that the missing one advertised, or exactly its manufacturer data. It stays a guess,
/// so it is shown and never acted upon.
enum Lookalike {
    /// - Parameters:
    ///   - remembered: what BlueZ has stored about the missing one.
    ///   - others: other peripherals that a search has heard.
    ///   - registered: addresses of the pedometers of the history: those are different devices.
    static func find(
        _ pedometer: Pedometer, remembered: Discovery?, among others: some Collection<Discovery>,
        registered: Set<String>
    ) -> Discovery? {
        // A public address belongs to the hardware and does not change.
        guard pedometer.addressType == AddressType.random.rawValue else { return nil }
        let name = remembered?.name ?? pedometer.name
        let data = remembered?.manufacturerData ?? [:]
        return others.filter { other in
            other.addressType == .random && !registered.contains(other.address.description)
                && (other.name == name || (!data.isEmpty && other.manufacturerData == data))
        }
        .max { ($0.rssi ?? Int.min, $1.address) < ($1.rssi ?? Int.min, $0.address) }
    }
}

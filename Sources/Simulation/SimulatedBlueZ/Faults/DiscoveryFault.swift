/// How an adapter that is switched on comes to find nothing.
public enum DiscoveryFault: Sendable, Hashable {
    /// `StartDiscovery` is refused as `InProgress`, as long as the fault lasts: BlueZ waits for a controller that lost a command.
    case busy
    /// `StartDiscovery` is never answered.
    case stalled
    /// Discovery starts, and nothing is ever heard.
    case deaf
}

extension SimulatedBlueZ {
    /// Lets discovery fail on an adapter from now on; nil: it works again.
    public func setDiscoveryFault(_ fault: DiscoveryFault?, adapter: String = "hci0") async {
        await daemon.perform { $0.adapters[Adapter(name: adapter, address: "").path]?.fault = fault }
    }
}

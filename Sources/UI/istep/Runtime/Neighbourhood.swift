import BlueZ

/// What a scan found, each peripheral once, as it was last heard; strongest first.
enum Neighbourhood {
    static func collect(
        _ scan: AsyncThrowingStream<Discovery, any Error>, heard: (Int) -> Void = { _ in }
    ) async throws -> [Discovery] {
        var found: [DeviceAddress: Discovery] = [:]
        for try await discovery in scan {
            found[discovery.address] = discovery
            heard(found.count)
        }
        return found.values.sorted {
            let (a, b) = ($0.rssi ?? -128, $1.rssi ?? -128)
            return a == b ? $0.address < $1.address : a > b
        }
    }
}

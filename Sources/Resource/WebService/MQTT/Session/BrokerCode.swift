/// What a broker answers, by the number that it gives.
///
/// MQTT 5.0, sections 2.4, 3.2.2.2 and 3.4.2.1 (128 and above are failures); for connections also MQTT 3.1.1, table 3.1.
struct BrokerCode: Hashable {
    enum Verdict: Hashable {
        case accepted
        /// MQTT 5 is too new for this broker.
        case otherVersion
        case refused(credentials: Bool)
        /// Not now.
        case busy
    }

    let number: Int

    var isFailure: Bool { number != 0 && !(16..<128).contains(number) }

    /// Of an answer to CONNECT.
    var onConnecting: Verdict {
        switch number {
        case 0: .accepted
        case 1, 0x84: .otherVersion
        case 3: .busy
        // Bad user name or password, not authorized; banned and bad authentication method besides.
        case 4, 5, 0x86, 0x87, 0x8A, 0x8C: .refused(credentials: true)
        default: Self.temporary.contains(number) ? .busy : .refused(credentials: false)
        }
    }

    /// Of an answer to PUBLISH, or of a DISCONNECT.
    var onPublishing: Verdict {
        switch number {
        // 16 says that nobody has subscribed.
        case 0..<128: .accepted
        case 0x87: .refused(credentials: true)
        default: Self.temporary.contains(number) ? .busy : .refused(credentials: false)
        }
    }

    /// Unspecified, specific to the implementation, unavailable, busy, shutting down, keep alive, taken over, quota exceeded,
    /// administrative action, another server, connection rate exceeded, maximum connect time.
    private static let temporary: Set = [0x80, 0x83, 0x88, 0x89, 0x8B, 0x8D, 0x8E, 0x97, 0x98, 0x9C, 0x9F, 0xA0]
}

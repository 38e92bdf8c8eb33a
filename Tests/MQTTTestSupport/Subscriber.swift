internal import Foundation

/// Reads what a broker retains, with packets built here, so that it does not depend on the library that published.
public enum Subscriber {
    /// The retained messages of a broker on 127.0.0.1, by topic.
    /// - Parameter user: name and password.
    public static func retained(port: Int, filter: String = "#", user: (String, String)? = nil) async -> [String:
        String]
    {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: read(port, filter, user))
            }
        }
    }

    private static func read(_ port: Int, _ filter: String, _ user: (String, String)?) -> [String: String] {
        guard let wire = Wire.connect(port: port) else { return [:] }
        let flags: UInt8 = user == nil ? 0x02 : 0xC2
        let login = user.map { Packet.text($0.0) + Packet.text($0.1) } ?? []
        let connect = Packet.text("MQTT") + [4, flags, 0, 60] + Packet.text("") + login
        wire.write(Packet(first: 0x10, body: connect).bytes)
        guard wire.readPacket()?.body == [0, 0] else { return [:] }
        wire.write(Packet(first: 0x82, body: [0, 1] + Packet.text(filter) + [0]).bytes)
        // Retained messages arrive before the answer to this packet.
        wire.write(Packet(first: 0xC0, body: []).bytes)
        var found: [String: String] = [:]
        while let packet = wire.readPacket(), packet.type != 13 {
            if packet.isRetained, let topic = packet.topic {
                found[topic] = String(decoding: packet.payload, as: UTF8.self)
            }
        }
        wire.write(Packet(first: 0xE0, body: []).bytes)
        return found
    }
}

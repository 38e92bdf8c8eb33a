internal import CMosquitto

/// libmosquitto, loaded at most once.
enum Mosquitto {
    /// Why it cannot be used; nil if it can.
    static let failure: String? = load("libmosquitto.so.1")

    /// - Returns: why it cannot be loaded; nil if it is.
    static func load(_ name: String) -> String? {
        cmosquitto_load(name).map { String(cString: $0) }
    }

    /// Words for a code of a broker.
    static func words(_ code: BrokerCode) -> String {
        // Up to 5 they are those of MQTT 3.1.1, which MQTT 5 has none of.
        let text = code.number < 128 ? cmosquitto_refusal_text(Int32(code.number)) : cmosquitto_reason_text(Int32(code.number))
        guard let text else { return "code \(code.number)" }
        let words = String(cString: text)
        return words.hasSuffix(".") ? String(words.dropLast()) : words
    }
}

internal import Quoting

extension MQTTMessage.Problem: CustomStringConvertible {
    /// What is wrong, and what to do, in one line.
    public var description: String {
        switch self {
        case .topicLength(0): "the topic is empty: name one, such as istep/steps"
        case .topicLength(let count): "the topic has \(count) bytes, and 65535 are the limit: shorten it"
        case .topicCharacter(let topic):
            "the topic \(quoted(String(topic.prefix(100)))) contains +, # or a control character: leave them out"
        case .reservedTopic(let topic): "the topic \(quoted(String(topic.prefix(100)))) begins with $, which is the broker's own: use another"
        case .payloadSize(let count): "the message has \(count) bytes, and \(MQTTMessage.largestPayload) are the limit"
        }
    }
}

internal import Foundation

/// One line of JSON, keys sorted, so that equal values are equal texts.
func json(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // What is encoded here are texts and finite numbers, which always can be.
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
}

internal import Quoting

/// What the library logs, made fit for an error text.
enum Complaint {
    /// The last part of such as `OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed`.
    static func essence(of line: String) -> String {
        let last = line.split(separator: ":").last { !$0.allSatisfy(\.isWhitespace) } ?? ""
        let words = last.unicodeScalars.filter { !$0.isUnfitForTerminals }.prefix(120)
        let text = String(String.UnicodeScalarView(words)).trimmingPrefix(" ")
        return text.hasSuffix(".") ? String(text.dropLast()) : String(text)
    }
}

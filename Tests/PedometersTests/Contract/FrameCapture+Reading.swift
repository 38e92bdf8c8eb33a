import StepDomain
import StepServices

extension FrameCapture {
    /// Reads the text of a file; nil if it is not one of these, or has a line that cannot be read.
    ///
    /// - Parameter values: lines with a name that this version does not know, such as what a test expects.
    static func read(_ text: String, values: inout [String: String]) -> FrameCapture? {
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.first == "pedometer capture 1" else { return nil }
        var frames: [(RawFrame.Direction, [UInt8])] = []
        for line in lines.dropFirst() {
            guard let first = line.first, first != "#" else { continue }
            if first == ">" || first == "<" {
                let digits = line.dropFirst().filter { $0 != " " }
                guard let bytes = digits.isEmpty ? [] : ValueNotation.hexadecimal.bytes(of: String(digits)) else { return nil }
                frames.append((first == ">" ? .sent : .received, bytes))
            } else {
                guard let colon = line.firstIndex(of: ":") else { return nil }
                values[String(line[..<colon])] = String(line[line.index(after: colon)...].drop { $0 == " " })
            }
        }
        guard let model = values["model"], let time = values["time"].flatMap({ Int($0) }), let offset = values["offset"].flatMap({ Int($0) })
        else { return nil }
        let option = "option."
        let options = values.filter { $0.key.hasPrefix(option) }.map { (String($0.key.dropFirst(option.count)), $0.value) }
        return FrameCapture(
            model: model, options: Dictionary(uniqueKeysWithValues: options), time: Timestamp(time), utcOffset: offset,
            frames: frames.map { RawFrame($0.0, at: Timestamp(time), bytes: $0.1) })
    }
}

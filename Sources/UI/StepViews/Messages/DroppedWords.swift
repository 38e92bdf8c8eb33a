internal import StepDomain
public import StepServices

extension OutboxService.Dropped {
    /// What was removed, and what the destination has and gets nevertheless.
    public var words: String {
        let name = Printable(destination.name, limit: 32)
        var sentences: [String] = []
        if !entries.isEmpty {
            sentences.append("\(Words.count(entries.count, "day")) dropped from the outbox of \(name).")
        } else if changedDays > 0 {
            sentences.append("Nothing was dropped from the outbox of \(name).")
        } else {
            sentences.append("The outbox of \(name) is empty: nothing to drop.")
        }
        let kept = entries.count(where: \.isConfirmed)
        if kept > 0 { sentences.append("\(name) keeps the earlier figures of \(Words.count(kept, "day")).") }
        if changedDays > 0 {
            sentences.append(
                "\(Words.count(changedDays, "day")) that changed after being sent will be sent again: see 'istep outbox'."
            )
        }
        return sentences.joined(separator: " ")
    }
}

extension BidirectionalCollection {
    /// The elements without those at the start and at the end that are trimmed.
    package func trimming(while isTrimmed: (Element) -> Bool) -> SubSequence {
        var rest = drop(while: isTrimmed)
        while let last = rest.last, isTrimmed(last) { rest.removeLast() }
        return rest
    }
}

/// A number as texts show it: without its fraction if that is zero, as it is for most limits of time.
public func brief(_ number: Double) -> String {
    Int(exactly: number).map(String.init) ?? "\(number)"
}

extension Duration {
    /// For messages and for D-Bus.
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

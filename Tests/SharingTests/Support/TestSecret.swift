/// A secret that every encoding writes in another way.
enum TestSecret {
    static let text = #"tok/3n+&="<x>\y"#
    static let variable = "ISTEP_TEST_SECRET"
    static let environment = [variable: text]
    /// What previews show in its place.
    static let bullets = "•••••"
}

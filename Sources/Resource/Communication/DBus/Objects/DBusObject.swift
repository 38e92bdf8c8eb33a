/// An object that answers method calls.
public protocol DBusObject: Sendable {
    /// Called for each method call to the exported path, in the order of arrival, the next after this returns: answer at once
    /// through `call`, or keep `call` and answer later from a task of your own.
    ///
    /// Interface and member may be anything; `interface` is nil if the caller did not name one.
    func receive(_ call: DBusMethodCall) async
}

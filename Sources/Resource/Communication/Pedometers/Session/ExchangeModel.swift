/// A model that is read by requests and answers.
public protocol ExchangeModel: LinkedPedometerModel {
    /// - Parameter isProbe: whether it only asks what `probe` needs.
    static func session(_ context: SessionContext, isProbe: Bool) -> any PedometerSession
}

extension ExchangeModel {
    public static func session(_ context: SessionContext) -> any PedometerSession { session(context, isProbe: false) }
    public static func probe(_ context: SessionContext) -> any PedometerSession { session(context, isProbe: true) }
}

internal import Settings
internal import StepDomain

/// A destination of the configuration: what it has of its table and of the process stands in its context.
protocol ConfiguredDestination: ShareDestination {
    var context: DestinationContext { get }
}

extension ConfiguredDestination {
    var name: String { context.name }
    var kind: String { context.kind }
    var terms: ShareTerms { context.terms }

    /// For requests that go out.
    var credentials: Credentials { .real(environment: context.surroundings.environment) }
}

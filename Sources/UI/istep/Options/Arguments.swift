public import ArgumentParser
public import BlueZ
public import StepDomain

// Words of the command line that stand for values of other modules.

extension BluetoothUUID: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

extension Day: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

extension Sex: ExpressibleByArgument {}

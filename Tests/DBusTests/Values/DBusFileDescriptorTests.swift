import DBus
import Glibc
import Testing

@Suite(.timeLimit(.minutes(5))) struct DBusFileDescriptorTests {
    @Test func `a file descriptor can be taken only once`() throws {
        let number = open("/dev/null", O_RDONLY | O_CLOEXEC)
        let descriptor = DBusFileDescriptor(owning: number)
        #expect(descriptor.isOpen)
        #expect(descriptor.take() == number)
        #expect(descriptor.take() == nil)
        #expect(!descriptor.isOpen)
        #expect(close(number) == 0)
    }

    /// Checked at the other end of a socket: a closed number may immediately belong to another test.
    @Test func `a file descriptor is closed with its last reference`() {
        var pair: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0)
        defer { close(pair[1]) }
        do {
            let value = DBusValue.fileDescriptor(DBusFileDescriptor(owning: pair[0]))
            #expect(!isAtEnd(pair[1]))
            withExtendedLifetime(value) {}
        }
        // Not at once: a child that another test starts at this moment has all descriptors until it executes its
        // program.
        var end = pollfd(fd: pair[1], events: Int16(POLLIN), revents: 0)
        #expect(poll(&end, 1, 60_000) == 1)
        #expect(isAtEnd(pair[1]))
    }

    @Test func `a duplicate has a different number and is closed on exec`() throws {
        let number = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(number) }
        let descriptor = try #require(DBusFileDescriptor(duplicating: number))
        let duplicate = try #require(descriptor.take())
        #expect(duplicate != number)
        #expect(fcntl(duplicate, F_GETFD) & FD_CLOEXEC != 0)
        close(duplicate)
        #expect(DBusFileDescriptor(duplicating: -1) == nil)
    }

    @Test func `file descriptors are equal by identity`() {
        let one = DBusFileDescriptor(owning: -1)
        let other = DBusFileDescriptor(owning: -1)
        #expect(one == one)
        #expect(one != other)
        _ = (one.take(), other.take())
    }

    private func isAtEnd(_ socket: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_DONTWAIT)) == 0
    }
}

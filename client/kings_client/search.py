"""What the search for servers on the local network has found: plain values for the screens."""

from attrs import frozen


@frozen
class Found:
    """A server near by, as it announced itself; its words are cleaned, and claim what they will.

    Attributes:
        number: tells it from the others for as long as the search goes on.
        name: what it calls itself.
        address: where it is joined.
        people: how many are there.
        tables: how many tables it has.
        locked: whether it asks for a password.
        program: the version of its program.
        speaks: whether it speaks a version of the protocol that this program speaks.
        server: the id that it gave when it was asked; empty before that.
        seconds: how long it took to answer; nothing while it does not.
        silent: whether it has not answered the last time.
    """

    number: int
    name: str
    address: str
    people: int = 0
    tables: int = 0
    locked: bool = False
    program: str = ""
    speaks: bool = True
    server: str = ""
    seconds: float | None = None
    silent: bool = False


@frozen
class Search:
    """The servers found so far, in the order in which they were.

    Attributes:
        servers: the servers.
        deaf: whether announcements cannot be heard on this machine now.
    """

    servers: tuple[Found, ...] = ()
    deaf: bool = False

    def addresses(self, server: str) -> tuple[str, ...]:
        """Return where the server of this id has just answered."""
        return tuple(
            one.address
            for one in self.servers
            if server and one.server == server and not one.silent
        )

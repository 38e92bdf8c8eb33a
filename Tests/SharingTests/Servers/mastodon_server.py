"""mastodon-mock, for tests: a server of Mastodon's interface with an account for each argument, `walker0` and so on, whose token that is.

It listens on a free port of loopback and prints it in a line `ready PORT`.
"""
import socket
import sys

import uvicorn
from mastodon_mock.app import create_app
from mastodon_mock.config import MastodonMockConfig, SeedAccount, SeedConfig

accounts = [SeedAccount(username=f"walker{number}", access_token=token) for number, token in enumerate(sys.argv[1:])]
config = MastodonMockConfig(domain="example.social", seed=SeedConfig(accounts=accounts))
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(128)
print("ready", listener.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(create_app(config), log_level="error")).run(sockets=[listener])

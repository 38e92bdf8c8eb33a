"""Home Assistant, for tests: its core with the HTTP and WebSocket interfaces, the recorder, and MQTT if a broker is given.

    home_assistant_server.py DIRECTORY TIME_ZONE [BROKER_PORT]

It listens on a free port of loopback and prints a line `ready PORT ADMINISTRATOR_TOKEN USER_TOKEN`. What it keeps is in DIRECTORY: with the
same one it starts as after a restart. `POST /test/compile` has the recorder calculate the statistics of its sensors now; else it does that
every five minutes. `POST /test/steady` answers, within ten
seconds, whether it will not do that by itself for a while.
"""
import asyncio
import json
import os
import sys
from datetime import timedelta

import homeassistant.helpers.config_validation as cv

cv.port = int  # also 0, for a free port

from homeassistant import bootstrap, runner  # noqa: E402
from homeassistant.components import mqtt  # noqa: E402
from homeassistant.auth.const import GROUP_ID_ADMIN, GROUP_ID_USER  # noqa: E402
from homeassistant.components.http import HomeAssistantView  # noqa: E402
from homeassistant.components.recorder import get_instance  # noqa: E402
from homeassistant.components.recorder.tasks import StatisticsTask  # noqa: E402
from homeassistant.util import dt as dt_util  # noqa: E402

directory, time_zone, *broker = sys.argv[1:]

# The frontend, and what else a house has by default, is not needed to share days.
bootstrap.DEFAULT_INTEGRATIONS = set()
bootstrap.CRITICAL_INTEGRATIONS = set()
mqtt.RELOADABLE_PLATFORMS = mqtt.PLATFORMS = ["sensor"]

configuration = f"""
homeassistant: {{time_zone: {time_zone}, auth_providers: [{{type: homeassistant}}]}}
http: {{server_host: 127.0.0.1, server_port: 0}}
api:
auth:
sensor:
websocket_api:
recorder: {{commit_interval: 0}}
"""


class Compile(HomeAssistantView):
    """Statistics of the five minutes that run, and of those before."""

    url = "/test/compile"
    name = "test:compile"

    async def post(self, request):
        recorder = get_instance(request.app["hass"])
        await recorder.async_block_till_done()
        now = dt_util.utcnow()
        start = now.replace(minute=now.minute - now.minute % 5, second=0, microsecond=0)
        for begin in (start - timedelta(minutes=5), start):
            recorder.queue_task(StatisticsTask(begin, False))
        await recorder.async_block_till_done()
        return self.json({})


class Steady(HomeAssistantView):
    """Answers whether five minutes do not end soon; waits up to ten seconds for that.

    The recorder compiles ten seconds after their end by itself. A test whose states lie on both sides of the end, or that compiles in these
    seconds, gets other sums.
    """

    url = "/test/steady"
    name = "test:steady"

    async def post(self, request):
        for _ in range(10):
            if 15 <= dt_util.utcnow().timestamp() % 300 <= 260:
                return self.json({"steady": True})
            await asyncio.sleep(1)
        return self.json({"steady": False})


async def token(hass, name, group):
    for user in await hass.auth.async_get_users():
        if user.name == name:
            break
    else:
        user = await hass.auth.async_create_user(name, group_ids=[group])
    for refresh in list(user.refresh_tokens.values()):
        hass.auth.async_remove_refresh_token(refresh)
    refresh = await hass.auth.async_create_refresh_token(
        user, client_name=name, token_type="long_lived_access_token", access_token_expiration=timedelta(days=1))
    return hass.auth.async_create_access_token(refresh)


async def main():
    os.makedirs(directory + "/.storage", exist_ok=True)
    with open(directory + "/configuration.yaml", "w") as file:
        file.write(configuration)
    entries = directory + "/.storage/core.config_entries"
    if broker and not os.path.exists(entries):
        entry = {
            "entry_id": "0123456789abcdef0123456789abcdef", "version": 1, "minor_version": 1, "domain": "mqtt", "title": "broker",
            "data": {"broker": "127.0.0.1", "port": int(broker[0]), "discovery": True}, "options": {}, "source": "user", "unique_id": None,
            "pref_disable_new_entities": False, "pref_disable_polling": False, "disabled_by": None,
        }
        with open(entries, "w") as file:
            json.dump({"version": 1, "minor_version": 1, "key": "core.config_entries", "data": {"entries": [entry]}}, file)
    hass = await bootstrap.async_setup_hass(
        runner.RuntimeConfig(config_dir=directory, skip_pip=True, log_file=directory + "/log", log_no_color=True))
    await hass.async_start()
    hass.http.register_view(Compile)
    hass.http.register_view(Steady)
    administrator = await token(hass, "Administrator", GROUP_ID_ADMIN)
    user = await token(hass, "Guest", GROUP_ID_USER)
    port = hass.http.site._server.sockets[0].getsockname()[1]
    # In one write: Home Assistant logs from other threads.
    os.write(1, f"\nready {port} {administrator} {user}\n".encode())
    await asyncio.Event().wait()


asyncio.run(main())

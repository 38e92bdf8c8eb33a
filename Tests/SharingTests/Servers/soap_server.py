"""shareStepData by spyne, for tests: SOAP 1.1 at /1.1, SOAP 1.2 at /1.2, both with every call validated against the schema.

It listens on a free port of loopback, prints it in a line `ready PORT`, and shows at /held the calls that it took, as JSON.
"""
import json
import logging
from wsgiref.simple_server import WSGIRequestHandler, make_server

from spyne import Application, Date, Decimal, Fault, Integer, ServiceBase, Unicode, rpc
from spyne.protocol.soap import Soap11, Soap12
from spyne.server.wsgi import WsgiApplication

logging.disable(logging.CRITICAL)
held = []


class StepDataService(ServiceBase):
    @rpc(
        Unicode(min_occurs=1, nillable=False), Date(min_occurs=1, nillable=False), Integer(min_occurs=1, nillable=False), Integer, Integer,
        Integer, Decimal, Unicode(values=["complete", "partial"], min_occurs=1, nillable=False), _returns=Unicode)
    def shareStepData(ctx, user, date, steps, distance, calories, goal, percentage, completeness):
        if user == "Nobody":
            raise Fault("Client.NoSuchUser", "there is nobody of that name")
        if user == "Crash":
            raise RuntimeError("the cat sleeps")
        held.append({
            "user": user, "date": date.isoformat(), "steps": steps, "distance": distance, "calories": calories, "goal": goal,
            "percentage": None if percentage is None else str(percentage), "completeness": completeness,
        })
        return "kept"


def application(protocol):
    return WsgiApplication(Application(
        [StepDataService], "urn:test:steps", name="Steps", in_protocol=protocol(validator="lxml"), out_protocol=protocol()))


services = {"/1.1": application(Soap11), "/1.2": application(Soap12)}


def serve(environ, start_response):
    path = environ["PATH_INFO"]
    if path == "/held":
        start_response("200 OK", [("Content-Type", "application/json")])
        return [json.dumps(held).encode()]
    if path in services:
        return services[path](environ, start_response)
    start_response("404 Not Found", [])
    return []


class Quiet(WSGIRequestHandler):
    def log_message(self, *arguments):
        pass


with make_server("127.0.0.1", 0, serve, handler_class=Quiet) as server:
    print("ready", server.server_port, flush=True)
    server.serve_forever()

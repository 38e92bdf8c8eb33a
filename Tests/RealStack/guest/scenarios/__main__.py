"""Runs the scenarios of the modules that are named: python -m scenarios MODULE..."""
import importlib
import sys

from scenarios import harness

for name in sys.argv[1:]:
    importlib.import_module(f"scenarios.{name}")
sys.exit(not harness.run())

"""Tools in Python: a Temporal worker with one activity for each. It knows nothing of Reloop.

    pip install temporalio==1.35.0
    python worker.py [ADDRESS]      # else TEMPORAL_ADDRESS, else 127.0.0.1:7233
"""

import asyncio
import hashlib
import json
import logging
import os
import re
import sys
from dataclasses import asdict, dataclass

from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError
from temporalio.worker import Worker

CAPITALS = {"France": "Paris", "Japan": "Tokyo", "Norway": "Oslo"}
STREETS = 8


@activity.defn
async def capital(country: str) -> str:
    if country not in CAPITALS:
        raise ApplicationError(f"{country} has no capital", type="ToolError", non_retryable=True)
    return CAPITALS[country]


@dataclass
class Booking:
    city: str
    nights: int


@activity.defn
async def book(booking: Booking) -> dict:
    """Has an effect, so it gives its key to what it writes to, which refuses to book under one key twice."""
    line = json.dumps({"key": idempotency_key(booking), **asdict(booking)}) + "\n"
    with open(os.environ.get("BOOKINGS", "/tmp/bookings.jsonl"), "a+") as file:
        file.seek(0)
        if line not in file:
            file.write(line)
    await asyncio.sleep(1)  # the hotel confirms it
    return {"booked": booking.city, "nights": booking.nights}


def idempotency_key(booking: Booking) -> str:
    """Of one call: the same however often the call is tried, and whoever tries it, as long as its input is the same."""
    info = activity.info()
    call = re.sub(r"(/\d+\.\d+)~\d+", r"\1", f"{info.workflow_id}/{info.activity_id}")
    return hashlib.sha256(json.dumps([call, asdict(booking)]).encode()).hexdigest()


@activity.defn
async def survey(city: str) -> str:
    """Takes long: says how far it is, goes on where a dead worker was, and stops when its call is cancelled."""
    before = activity.info().heartbeat_details
    begin = done = before[0]["done"] if before else 0
    try:
        while done < STREETS:
            await asyncio.sleep(0.5)
            done += 1
            activity.heartbeat({"done": done, "progress": f"{done} of {STREETS} streets"})
    except asyncio.CancelledError:
        activity.logger.info(f"stopped in street {done}")
        raise
    return f"{STREETS} streets of {city}, this worker began at {begin}"


async def main() -> None:
    address = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("TEMPORAL_ADDRESS", "127.0.0.1:7233")
    client = await Client.connect(address)
    await Worker(client, task_queue="python-tools", activities=[capital, book, survey]).run()


logging.basicConfig(level=logging.INFO)
asyncio.run(main())

from __future__ import annotations

import asyncio
import multiprocessing
import subprocess
import sys
import threading
import time

import pytest

from lango_nb.tools.workers import WORKERS, Workers


def test_threads_are_reused_and_started_when_none_is_idle() -> None:
    workers = Workers()
    gate = threading.Event()

    async def main() -> tuple[set[int], list[str]]:
        names = {await workers.run(threading.get_ident) for _ in range(20)}
        stuck = asyncio.create_task(workers.run(lambda: gate.wait(5)))
        await asyncio.sleep(0.01)
        quick = await asyncio.wait_for(asyncio.gather(*(workers.run(lambda: "ok") for _ in range(10))), 2)
        gate.set()
        await stuck
        return names, quick

    names, quick = asyncio.run(main())
    assert len(names) <= 2  # the one before may not be idle yet when the next call comes
    assert quick == ["ok"] * 10


def test_a_cancelled_caller_does_not_wait_for_the_function() -> None:
    workers = Workers()
    gate = threading.Event()
    ended: list[str] = []

    def blocking() -> None:
        gate.wait(5)
        ended.append("ran on")

    async def main() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(workers.run(blocking), 0.05)

    started = time.perf_counter()
    asyncio.run(main())
    assert time.perf_counter() - started < 2
    gate.set()  # the loop is closed by now: the thread must survive that
    for _ in range(200):
        if ended:
            break
        time.sleep(0.01)
    assert ended == ["ran on"]
    assert asyncio.run(workers.run(lambda: 1)) == 1


def test_a_function_that_never_ends_does_not_keep_python_alive() -> None:
    script = """
import asyncio, threading
from lango_nb.tools.workers import WORKERS
async def main():
    try:
        await asyncio.wait_for(WORKERS.run(threading.Event().wait), 0.1)
    except TimeoutError:
        print("left it")
asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=20, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "left it"), done.stderr


def _in_child() -> None:
    assert asyncio.run(WORKERS.run(lambda: 42)) == 42


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="forking is a matter of POSIX")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_starts_threads_of_its_own() -> None:
    asyncio.run(WORKERS.run(lambda: None))  # the parent has an idle thread, which the child will not have
    child = multiprocessing.get_context("fork").Process(target=_in_child)
    child.start()
    child.join(10)
    is_hanging = child.is_alive()
    child.kill()
    assert not is_hanging
    assert child.exitcode == 0

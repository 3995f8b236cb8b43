"""A stranger's first start: clone into an empty directory, set up, serve, count one page view, stop.

Run by .ci/run with the system's Python before anything is installed, so it uses the standard library only. Prints a
line for each step; when one goes wrong it ends with a traceback and what the server said. Leaves nothing behind.
"""

import json
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
SETUP_SECONDS = 600
START_SECONDS = 30
STOP_SECONDS = 15


def main() -> None:
    """Every step in order; the first that fails ends the run."""
    with tempfile.TemporaryDirectory(prefix="analytics-box-") as name:
        empty = Path(name)
        run("git", "clone", "--quiet", str(ROOT), str(empty / "clone"))
        box = ("sh", str(empty / "clone" / "packaging" / "run.sh"))

        password = empty / "password"
        password.write_text("correct horse battery staple\n")
        account = ("--email", "first@example.com", "--password-file", str(password), "--organization", "First")
        website = ("--website", "First site", "--domain", "example.com")
        data = ("--data-dir", str(empty / "data"))
        made = json.loads(run(*box, "setup", *data, *account, *website, "--key", "--json"))
        say("the first run installed everything and set up website", made["websiteId"])

        log = empty / "log"
        try:
            serve((*box, "serve", *data), log, made["websiteId"], made["apiKey"])
        except BaseException:
            say("the server said:\n", log.read_text())
            raise
        assert not {"setting", "updating"} & set(log.read_text().split()), "the second run installed again"


def serve(command: tuple[str, ...], log: Path, website: str, key: str) -> None:
    """Start the server, count one page view, stop it as an init system would."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with (
        log.open("w") as output,
        subprocess.Popen((*command, "--port", str(port)), cwd=log.parent, stdout=output, stderr=output) as server,
    ):
        try:
            say(f"the second run served after {wait_for_health(address, server):.1f} s")
            count_one_page_view(address, website, key)
            say("sent one page view, counted one page view")
            server.send_signal(signal.SIGTERM)  # the shell has handed its process over, so this is the server
            assert server.wait(STOP_SECONDS) == 0, f"exit code {server.returncode} after SIGTERM"
            say("stopped with exit code 0")
        finally:
            server.kill()


def wait_for_health(address: str, server: "subprocess.Popen[bytes]") -> float:
    """Seconds until the server answers. Raises when it has ended or takes longer than START_SECONDS."""
    began = time.monotonic()
    while time.monotonic() - began < START_SECONDS:
        assert server.poll() is None, f"the server ended with {server.returncode}"
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=2) as answer:
                assert json.load(answer) == {"status": "ok"}
                return time.monotonic() - began
        except OSError:  # URLError is one
            time.sleep(0.05)
    raise TimeoutError(f"no answer from {address}/health within {START_SECONDS} s")


def count_one_page_view(address: str, website: str, key: str) -> None:
    """Send one page view with the key, then ask for the totals: they say one."""
    event = {"name": "screen_view", "websiteId": website, "anonymousId": "first", "path": "https://example.com/"}
    sent = post(f"{address}/track", key, event)
    assert sent["status"] == "success", sent

    question = {"parameters": ["summary_totals"], "preset": "last_7d"}
    answer = post(f"{address}/v1/query?website_id={website}", key, question)
    [totals] = answer["data"][0]["data"]
    assert (totals["pageviews"], totals["visitors"]) == (1, 1), answer


def post(url: str, key: str, body: dict[str, Any]) -> Any:
    """The decoded answer to a JSON body, sent as a browser would."""
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Authorization": f"Bearer {key}",
        "User-Agent": BROWSER,
    }
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def run(*command: str) -> str:
    """Standard output of a command that must succeed; its complaints go where ours go."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=SETUP_SECONDS).stdout


def free_port() -> int:
    """A loopback port that nobody listens on just now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def say(*words: str) -> None:
    """One line of progress."""
    sys.stdout.write(f"first start: {' '.join(words)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

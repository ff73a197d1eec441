"""Notes which fields of the venue's answers a client reads, and whether they are there (../reads.ts).

`track_reads` comes before the client is imported: it makes `json.loads` return objects that note each `[]`, `get`, `pop` and `in`.
Only reads by the client's code count. Each is one line of JSON, written once, in the file BOURSE_READS.
"""
import contextvars
import json
import os
import sys
from urllib.parse import urlsplit

_plain_loads = json.loads
_at = contextvars.ContextVar("at", default="")
_folders = ()
_file = None
_noted = set()


def track_reads(*folders):
    """From now on reads are noted. `folders` are parts of paths that the client's files have, and no others."""
    global _folders, _file
    _folders = folders
    _file = open(os.environ["BOURSE_READS"], "a", buffering=1, encoding="utf-8")
    json.loads = _loads
    for follow in (_follow_orjson, _follow_requests, _follow_aiohttp, _follow_httpx):
        try:
            follow()
        except ImportError:
            pass  # the client does without it


class _Answer(dict):
    """A JSON object that notes reads. `at` is where it came from, empty for what is no answer of the venue."""

    at = ""

    def get(self, key, default=None):
        _note(self, key)
        return super().get(key, default)

    def pop(self, key, *default):
        _note(self, key)
        return super().pop(key, *default)

    def __contains__(self, key):
        _note(self, key)
        return super().__contains__(key)

    def __getitem__(self, key):
        _note(self, key)
        return super().__getitem__(key)


def _note(answer, key):
    if answer.at == "":
        return
    frame = sys._getframe(2)
    while frame is not None and not any(folder in frame.f_code.co_filename for folder in _folders):
        frame = frame.f_back
    if frame is None:
        return
    code = frame.f_code
    by = os.path.basename(code.co_filename) if code.co_name == "<module>" else code.co_name
    read = (answer.at, by, frame.f_lineno, str(key), dict.__contains__(answer, key))
    if read not in _noted:
        _noted.add(read)
        _file.write(json.dumps(dict(zip(("at", "by", "line", "field", "there"), read))) + "\n")


def _loads(text, **options):
    root = _plain_loads(text, **{"object_hook": _Answer, **options})
    at = _at.get()
    if isinstance(root, _Answer):
        for name in ("topic", "event"):
            if isinstance(dict.get(root, name), str):
                at = f"{name} {dict.get(root, name).split(':')[0]}"
                break
    _mark(root, at)
    return root


def _mark(value, at):
    if isinstance(value, _Answer):
        value.at = at
        value = value.values()
    elif not isinstance(value, list):
        return
    for member in value:
        _mark(member, at)


def _came_from(method, url):
    _at.set(f"{method.upper()} {urlsplit(str(url)).path}")


def _follow_orjson():
    import orjson

    orjson.loads = _loads


def _follow_requests():
    import requests

    send = requests.Session.send

    def noted(self, request, **options):
        response = send(self, request, **options)
        _came_from(request.method, request.url)
        return response

    requests.Session.send = noted


def _follow_aiohttp():
    import aiohttp

    request = aiohttp.ClientSession._request

    async def noted(self, method, url, **options):
        response = await request(self, method, url, **options)
        _came_from(method, url)
        return response

    aiohttp.ClientSession._request = noted


def _follow_httpx():
    import httpx

    def follow(client):
        build = client.build_request

        def noted(self, method, url, **options):
            request = build(self, method, url, **options)
            _came_from(request.method, request.url)
            return request

        client.build_request = noted

    for client in (httpx.Client, httpx.AsyncClient):
        follow(client)

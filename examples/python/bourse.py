"""Signed requests and streams of a venue, with the standard library alone."""
import base64
import hashlib
import hmac
import json
import os
import socket
import struct
import time
import urllib.error
import urllib.parse
import urllib.request


def signature(secret, text):
    return hmac.new(secret.encode(), text.encode(), hashlib.sha384).hexdigest()


class VenueError(Exception):
    """A refusal: the HTTP status, and the body of the answer."""

    def __init__(self, status, body):
        super().__init__(f"{status}: {body.get('msg') or body.get('message')}")
        self.status = status
        self.code = body.get("code", body.get("errorCode"))
        self.body = body


class Client:
    def __init__(self, url, key, secret):
        self.url = url.rstrip("/")
        self.key = key
        self.secret = secret
        self.nonce = 0

    def request(self, method, path, query=None, body=None):
        """The parsed reply. Raises VenueError if the venue refuses."""
        text = "" if body is None else json.dumps(body)
        nonce = self.next_nonce()
        # /spot and /futures in front of the path, and the query, are not signed.
        signed = path.removeprefix("/spot").removeprefix("/futures")
        headers = {
            "request-api": self.key,
            "request-nonce": nonce,
            "request-sign": signature(self.secret, signed + nonce + text),
            "content-type": "application/json",
        }
        search = "?" + urllib.parse.urlencode(query) if query else ""
        request = urllib.request.Request(
            self.url + path + search, text.encode() or None, headers, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise VenueError(error.code, json.load(error)) from None

    def stream(self, path, topics, login=False):
        """A socket of the streams with its topics subscribed: call read() for the next frame."""
        stream = Stream(self.url, path)
        if login:
            nonce = self.next_nonce()
            stream.send({"op": "authKeyExpires", "args": [self.key, nonce, signature(self.secret, path + nonce)]})
            answer = stream.read()
            if not answer["success"]:
                raise ConnectionError(answer["message"])
        stream.send({"op": "subscribe", "args": topics})
        answer = stream.read()
        if answer.get("event") != "subscribe":
            raise ConnectionError(answer)
        return stream

    def next_nonce(self):
        """The time in milliseconds, and never the same twice."""
        self.nonce = max(self.nonce + 1, int(time.time() * 1000))
        return str(self.nonce)


class Stream:
    """As much of a WebSocket client as the venue's streams need. Real bots use a package such as `websockets`."""

    def __init__(self, url, path):
        address = urllib.parse.urlsplit(url)
        self.socket = socket.create_connection((address.hostname, address.port or 80), timeout=30)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {address.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self.incoming = self.socket.makefile("rb")
        status = self.incoming.readline()
        if b" 101 " not in status:
            raise ConnectionError(status.decode().strip())
        while self.incoming.readline() != b"\r\n":
            pass

    def send(self, frame):
        self._write(0x1, json.dumps(frame).encode())

    def read(self):
        """The next frame that is not a ping, parsed."""
        while True:
            kind, payload = self._read()
            if kind == 0x1:
                return json.loads(payload)
            if kind == 0x9:
                self._write(0xA, payload)
            if kind == 0x8:
                raise ConnectionError("the venue closed the stream")

    def close(self):
        self.incoming.close()
        self.socket.close()

    def _write(self, kind, payload):
        size = len(payload)
        head = struct.pack("!BB", 0x80 | kind, 0x80 | size) if size < 126 else struct.pack("!BBH", 0x80 | kind, 0xFE, size)
        mask = os.urandom(4)
        self.socket.sendall(head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload)))

    def _read(self):
        kind, size = self._exactly(2)
        if size == 126:
            (size,) = struct.unpack("!H", self._exactly(2))
        elif size == 127:
            (size,) = struct.unpack("!Q", self._exactly(8))
        return kind & 0xF, self._exactly(size)

    def _exactly(self, size):
        data = self.incoming.read(size)
        if len(data) < size:
            raise ConnectionError("the connection ended")
        return data


class Book:
    """A book from its stream: a snapshot, then deltas."""

    def __init__(self):
        self.sides = {"bids": {}, "asks": {}}
        self.seq_num = None

    def fold(self, data):
        """False: a frame is missing, so subscribe again."""
        if data["type"] == "snapshot":
            self.sides = {"bids": {}, "asks": {}}
        elif data["prevSeqNum"] != self.seq_num:
            return False
        self.seq_num = data["seqNum"]
        for name, side in self.sides.items():
            for price, size in data[name]:
                if size == "0":
                    side.pop(price, None)
                else:
                    side[price] = size
        return True

    def bids(self):
        """Best first."""
        return sorted(self.sides["bids"].items(), key=lambda level: -float(level[0]))

    def asks(self):
        """Best first."""
        return sorted(self.sides["asks"].items(), key=lambda level: float(level[0]))

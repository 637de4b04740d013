"""Clients that run in a sandbox: `python-clients.py CLIENT`, with the host and the credential in the environment."""
import asyncio
import hashlib
import os
import ssl
import sys
import time
import urllib.error
import urllib.request

HOST, TOKEN = os.environ['HOST'], os.environ['TOKEN']
HEADERS = {'Authorization': 'Bearer ' + TOKEN}
BODY = bytes(range(256)) * 4096


def url(service):
    return f'https://{HOST}/{sys.argv[1]}/{service}'


def say(status, headers, content):
    print(status, headers['x-received'], hashlib.sha256(content).hexdigest(), len(content))


def parts():
    for start in range(0, len(BODY), 100_000):
        yield BODY[start : start + 100_000]


def with_urllib():
    context = ssl.create_default_context()
    context.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
    for query in ('', '?chunked', '?status=418'):
        request = urllib.request.Request(url('echo' + query), BODY, HEADERS)
        try:
            response = urllib.request.urlopen(request, context=context)
        except urllib.error.HTTPError as error:
            response = error
        say(response.status, response.headers, response.read())


def with_requests():
    import requests

    with requests.Session() as session:
        for query in ('', '?chunked', '?status=418'):
            for body in (BODY, parts()):
                response = session.post(url('echo' + query), data=body, headers=HEADERS)
                say(response.status_code, response.headers, response.content)
        response = session.get(url('echo'), auth=('somebody', TOKEN))
        say(response.status_code, response.headers, response.content)


def with_httpx():
    import httpx

    with httpx.Client() as client:
        for query in ('', '?chunked', '?status=418'):
            for body in (BODY, parts()):
                response = client.post(url('echo' + query), content=body, headers=HEADERS)
                say(response.status_code, response.headers, response.content)
        response = client.get(url('echo'), auth=('somebody', TOKEN))
        say(response.status_code, response.headers, response.content)


def with_aiohttp():
    import aiohttp

    async def ask():
        async with aiohttp.ClientSession() as session:
            for query in ('', '?chunked', '?status=418'):
                async with session.post(url('echo' + query), data=BODY, headers=HEADERS, expect100=True) as response:
                    say(response.status, response.headers, await response.read())

    asyncio.run(ask())


def with_websockets():
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    with connect(url('socket').replace('https', 'wss'), additional_headers=HEADERS, max_size=None) as socket:
        for message in ('text ü', b'\x00\xff' * 1000, BODY, ['in ', 'three ', 'parts']):
            socket.send(message)
            answer = socket.recv()
            print(type(answer).__name__, hashlib.sha256(answer.encode() if isinstance(answer, str) else answer).hexdigest())
        print(socket.ping().wait(60))
        socket.send('bye')
        try:
            socket.recv()
        except ConnectionClosed as closed:
            print(closed.rcvd.code, closed.rcvd.reason)


def with_events():
    """Acknowledges each event: if one waits for the next, none comes anymore."""
    import httpx

    count, every_ms = os.environ['EVENTS'], os.environ['EVERY_MS']
    began, longest = time.time(), 0
    with httpx.Client(timeout=60, headers=HEADERS) as client:
        with client.stream('GET', url(f'events?count={count}&everyMs={every_ms}')) as response:
            for line in response.iter_lines():
                if line.startswith('id'):
                    print(line)
                if line.startswith('data'):
                    longest = max(longest, time.time() * 1000 - int(line.split()[1]))
                    client.post(url('acknowledge')).raise_for_status()
    print(f'{time.time() - began:.1f} s, longest delay of an event {longest:.0f} ms', file=sys.stderr)


globals()['with_' + sys.argv[1]]()

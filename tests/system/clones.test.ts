import { defaultSandboxLimits } from '@threadbox/domain'
import { hostPaths } from '@threadbox/protocol/host'
import { startTestHost, type TestHost } from '@threadbox/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'

/**
 * Sandboxes with a common past must not have a common future: random values of one must not be predictable from another
 * sandbox, nor from the same one before a pause.
 */
const order = { limits: defaultSandboxLimits, egress: { kind: 'none' } }

let host: TestHost
beforeAll(async () => {
  host = await startTestHost({ environment: { THREADBOX_SPARE_SANDBOXES: '2' } })
})
afterAll(async () => {
  await host?.close()
})

type Sandbox = { sandboxId: string; bootId: string }

/** Prints one value per line, each after the name of its source. */
const randomnessScript = `
echo "shell: $RANDOM$RANDOM$RANDOM"
echo "shell, strong: $SRANDOM$SRANDOM"
echo "kernel: $(cat /proc/sys/kernel/random/uuid)"
echo "urandom: $(head -c 16 /dev/urandom | sha256sum | head -c 32)"
python3 - <<'END'
import random, secrets, ssl, uuid
import numpy
print('python random:', random.random(), random.getrandbits(64))
print('python secrets:', secrets.token_hex(16))
print('python uuid4:', uuid.uuid4())
print('numpy:', numpy.random.random(), numpy.random.default_rng().random())
print('hash seed:', hash('a string'))
print('tls:', ssl.RAND_bytes(16).hex())
END
node -e '
const crypto = require("node:crypto")
console.log("node uuid:", crypto.randomUUID())
console.log("node bytes:", crypto.randomBytes(16).toString("hex"))
console.log("node Math.random:", Math.random())'
`

/** Programs that live through pauses, with generators that were seeded before the first one, queried over loopback. */
const living = `
cat > living.py <<'END'
import http.server, os, secrets, ssl, uuid
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        lines = [f'urandom: {os.urandom(16).hex()}', f'secrets: {secrets.token_hex(16)}', f'uuid4: {uuid.uuid4()}',
                 f'tls: {ssl.RAND_bytes(16).hex()}']
        body = '\\n'.join(lines).encode()
        self.send_response(200)
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *arguments): pass
http.server.HTTPServer(('127.0.0.1', 8001), Handler).serve_forever()
END
nohup python3 living.py > /dev/null 2>&1 &
cat > living.js <<'END'
const crypto = require('node:crypto')
require('node:http').createServer((_, response) => response.end([
  'uuid: ' + crypto.randomUUID(),
  'bytes: ' + crypto.randomBytes(16).toString('hex'),
  'Math.random: ' + Math.random(),
].join('\\n'))).listen(8002, '127.0.0.1')
END
nohup node living.js > /dev/null 2>&1 &
for port in 8001 8002; do timeout 20 bash -c "until curl -s localhost:$port; do sleep 0.05; done"; done`
const askLiving = 'curl -s localhost:8001; echo; curl -s localhost:8002; echo; echo "shell: $RANDOM$RANDOM$RANDOM"'

test('two sandboxes that waited as spares differ in everything that is random, in every program', async () => {
  const waiting = async () => (await host.request('GET', hostPaths.info())).body
  await expect.poll(waiting, { timeout: 60_000, interval: 100 }).toMatchObject({ spareSandboxes: 2 })
  const clones = [await start(), await start()]
  for (const { sandboxId } of clones) {
    // A sandbox that was booted for the order would have the requested name.
    expect((await host.run(sandboxId, 'hostname')).output).toMatch(/^threadbox-[a-z0-9]{8}\n$/)
  }
  const seen = await Promise.all(clones.map((clone) => randomValues(clone, randomnessScript)))
  expect(seen[0]?.size).toBe(13)
  expectAllDifferent(seen)
  await Promise.all(clones.map(remove))
})

test('no random value repeats after a pause, frozen or saved, not even in a program that lived through it', async () => {
  const sandbox = await start()
  expect(await host.run(sandbox.sandboxId, living)).toMatchObject({ exitCode: 0 })
  const seen = [await randomValues(sandbox, askLiving)]
  for (const from of ['frozen', 'memory'] as const) {
    const { sandboxId, bootId } = sandbox
    expect(await host.request('POST', hostPaths.pause(sandboxId), { bootId })).toMatchObject({ status: 200 })
    if (from === 'memory') await endFrozenCopy(sandbox)
    const woken = await host.request('POST', hostPaths.wake(sandboxId), { bootId })
    expect(woken).toMatchObject({ status: 200, body: { from } })
    seen.push(await randomValues(sandbox, askLiving))
  }
  expect(seen[0]?.size).toBe(8)
  expectAllDifferent(seen)
  await remove(sandbox)
})

async function randomValues({ sandboxId }: Sandbox, command: string): Promise<Map<string, string>> {
  const { output, exitCode } = await host.run(sandboxId, command)
  expect(exitCode, output).toBe(0)
  const lines = output.trim().split('\n')
  return new Map(lines.map((line) => line.split(': ') as [string, string]))
}

function expectAllDifferent(seen: Map<string, string>[]): void {
  for (const name of seen[0]?.keys() ?? []) {
    const values = seen.map((one) => one.get(name))
    expect(
      values.every((value) => value !== undefined && value.length > 3),
      `${name}: ${values}`,
    ).toBe(true)
    expect(new Set(values).size, `${name}: ${values}`).toBe(seen.length)
  }
}

async function start(): Promise<Sandbox> {
  const [sandboxId, bootId] = [host.newSandboxId(), host.newBootId()]
  expect(await host.request('PUT', hostPaths.get(sandboxId), order)).toMatchObject({ status: 200 })
  const answer = await host.request('POST', hostPaths.start(sandboxId), { bootId, hostname: 'wished' })
  expect(answer).toMatchObject({ status: 200, body: { actual: 'ready' } })
  return { sandboxId, bootId }
}

async function remove({ sandboxId }: Sandbox): Promise<void> {
  expect(await host.request('DELETE', hostPaths.get(sandboxId))).toMatchObject({ status: 204 })
}

async function endFrozenCopy({ sandboxId, bootId }: Sandbox): Promise<void> {
  using events = await host.events()
  await host.killSandbox(sandboxId)
  await events.next((event) => event.type === 'frozen-dropped' && event.bootId === bootId)
}

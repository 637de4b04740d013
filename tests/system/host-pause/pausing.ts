import { readdir } from 'node:fs/promises'
import path from 'node:path'
import {
  type HostSandbox,
  hostPaths,
  hostSandboxSchema,
  type PausedSandbox,
  pausedSandboxSchema,
  type WokenSandbox,
  wokenSandboxSchema,
} from '@threadbox/protocol/host'
import type { TestHost } from '@threadbox/testkit'
import { expect } from 'vitest'

const MiB = 1024 * 1024
const order = {
  limits: { memoryBytes: 1024 * MiB, cpus: 2, processes: 256, diskBytes: 1024 * MiB },
  egress: { kind: 'open' },
}

/** A running counter, a server with state in its memory, and an open, deleted file. */
const work = `
cat > counter.py <<'END'
import http.server, os, tempfile, threading, time
count = 0
kept = open('/home/user/deleted', 'w+')
kept.write('still here')
kept.flush()
os.unlink('/home/user/deleted')
def tick():
    global count
    while True:
        count += 1
        time.sleep(0.05)
threading.Thread(target=tick, daemon=True).start()
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        kept.seek(0)
        body = f'{os.getpid()} {count} {kept.read()}'.encode()
        self.send_response(200)
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *arguments): pass
http.server.HTTPServer(('127.0.0.1', 8000), Handler).serve_forever()
END
nohup python3 counter.py > /dev/null 2>&1 &
until curl -s localhost:8000 > /dev/null; do sleep 0.05; done`

export type Sandbox = { sandboxId: string; bootId: string }
export type Pausing = ReturnType<typeof pausingOn>

/** Starts, pauses and wakes sandboxes of a host, and inspects them. */
export function pausingOn(host: TestHost) {
  async function start(options: { withWork: boolean } = { withWork: true }): Promise<Sandbox> {
    const [sandboxId, bootId] = [host.newSandboxId(), host.newBootId()]
    expect(await host.request('PUT', hostPaths.get(sandboxId), order)).toMatchObject({ status: 200 })
    const answer = await host.request('POST', hostPaths.start(sandboxId), { bootId, hostname: 'box' })
    expect(answer).toMatchObject({ status: 200, body: { actual: 'ready', bootId } })
    if (options.withWork) await host.run(sandboxId, work)
    return { sandboxId, bootId }
  }

  async function pause({ sandboxId, bootId }: Sandbox): Promise<PausedSandbox> {
    const answer = await host.request('POST', hostPaths.pause(sandboxId), { bootId })
    expect(answer).toMatchObject({ status: 200 })
    return pausedSandboxSchema.parse(answer.body)
  }

  async function wake({ sandboxId, bootId }: Sandbox): Promise<WokenSandbox> {
    const answer = await host.request('POST', hostPaths.wake(sandboxId), { bootId })
    expect(answer).toMatchObject({ status: 200 })
    return wokenSandboxSchema.parse(answer.body)
  }

  async function stateOf({ sandboxId }: Sandbox): Promise<HostSandbox> {
    return hostSandboxSchema.parse((await host.request('GET', hostPaths.get(sandboxId))).body)
  }

  /** State of the server in the sandbox’s memory, queried from inside. */
  async function inspect({ sandboxId }: Sandbox) {
    const { output } = await host.run(sandboxId, 'curl -s -m 5 localhost:8000')
    const [pid = '', count = '', ...kept] = output.split(' ')
    return { pid, count: Number(count), kept: kept.join(' ') }
  }

  /** Ends the frozen copy of the only sandbox as the kernel would if memory were short. */
  async function killFrozen({ bootId }: Sandbox): Promise<void> {
    using events = await host.events()
    const [kernel] = (await host.leftovers()).filter((line) => line.includes('runsc-sandbox'))
    process.kill(Number(kernel?.split(' ')[1]), 'SIGKILL')
    await events.next((event) => event.type === 'frozen-dropped' && event.bootId === bootId)
  }

  const placesOf = ({ sandboxId }: Sandbox) => path.join(host.diskDirectory, 'pool/memory', sandboxId)
  const imagesOf = (sandbox: Sandbox) => readdir(placesOf(sandbox)).catch(() => [])

  async function imageOf(sandbox: Sandbox): Promise<string> {
    const [imageId = ''] = await imagesOf(sandbox)
    return path.join(placesOf(sandbox), imageId, 'image')
  }

  async function memoryLeft(): Promise<string[]> {
    return (await host.leftovers()).filter((line) => line.startsWith('memory'))
  }

  async function deleteAllBut(kept: ReadonlySet<string>): Promise<void> {
    const { body } = await host.request('GET', hostPaths.list())
    for (const { sandboxId } of (body as { sandboxes: { sandboxId: string }[] }).sandboxes) {
      if (!kept.has(sandboxId)) await host.request('DELETE', hostPaths.get(sandboxId))
    }
  }

  async function namespaceOf(): Promise<string> {
    const [line = ''] = (await host.leftovers()).filter((each) => each.startsWith('namespace '))
    return line.split(' ')[1] ?? ''
  }

  return {
    deleteAllBut,
    start,
    pause,
    wake,
    stateOf,
    inspect,
    killFrozen,
    placesOf,
    imagesOf,
    imageOf,
    memoryLeft,
    namespaceOf,
  }
}

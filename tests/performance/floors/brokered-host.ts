import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'
import { nodeOptions } from '../../../apps/host/src/machine/programs/router-process.ts'
import type { BrokeredPart } from './brokered-host.main.ts'

export const brokeredName = 'api.example.test'
export const placeholder = 'ghp_tbx456789abcdefghijklmnopqrstuvwxyzz'
const value = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz'

/** A host with TLS, and a broker in front of it: each a process of its own, built as in an installation. */
export type BrokeredHost = AsyncDisposable & {
  ports: { direct: number; brokered: number }
  /** PEM of the authority that a client trusts, of the host and of the broker. */
  authorities: { direct: string; brokered: string }
  /** Bytes of memory that only the broker has, and its share of what it has with others (PSS). */
  brokerPss(): Promise<number>
}

export async function startBrokeredHost(): Promise<BrokeredHost> {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-brokered-'))
  const program = path.join(directory, 'main.mjs')
  await build({
    entryPoints: [path.join(import.meta.dirname, 'brokered-host.main.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  })
  const part = { name: brokeredName, placeholder, value }
  const host = await startPart(program, part)
  const broker = await startPart(program, { ...part, host })
  return {
    ports: { direct: host.port, brokered: broker.port },
    authorities: { direct: host.authority, brokered: broker.authority },
    brokerPss: async () => {
      const rollup = await readFile(`/proc/${broker.child.pid}/smaps_rollup`, 'utf8')
      return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? Number.NaN) * 1024
    },
    [Symbol.asyncDispose]: async () => {
      for (const { child } of [broker, host]) {
        const ended = once(child, 'exit')
        child.kill()
        await ended
      }
      await rm(directory, { recursive: true })
    },
  }
}

type StartedPart = { child: ChildProcess; port: number; authority: string }

async function startPart(program: string, { host, ...part }: BrokeredPart): Promise<StartedPart> {
  const child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: nodeOptions.egress })
  child.send({ ...part, ...(host === undefined ? {} : { host: { port: host.port, authority: host.authority } }) })
  const [started] = (await once(child, 'message')) as [{ port: number; authority: string }]
  return { child, ...started }
}

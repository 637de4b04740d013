import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** Where the launcher keeps it: `install_s3_gateway` in deploy/launcher/tools.sh. */
const cache = process.env.THREADBOX_CACHE ?? '/var/cache/threadbox'
const binary = join(cache, 'versitygw/v1.8.0/versitygw')

/** Where it can’t be built, only the store in folders is tested. */
export const canRunS3Gateway = existsSync(binary)

/** A real S3 server on loopback, over a folder. */
export type S3Gateway = AsyncDisposable & {
  endpoint: string
  accessKeyId: string
  secretAccessKey: string
  makeBucket(name: string): Promise<void>
}

export async function startS3Gateway(): Promise<S3Gateway> {
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-s3-'))
  await mkdir(join(directory, 'buckets'))
  const port = await freePort()
  const access = { accessKeyId: 'testaccess', secretAccessKey: 'testsecret' }
  const child = spawn(binary, ['--port', `127.0.0.1:${port}`, 'posix', join(directory, 'buckets')], {
    env: { ROOT_ACCESS_KEY: access.accessKeyId, ROOT_SECRET_KEY: access.secretAccessKey },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const endpoint = `http://127.0.0.1:${port}`
  await untilItResponds(endpoint, child)
  return {
    ...access,
    endpoint,
    makeBucket: async (name) => {
      await mkdir(join(directory, 'buckets', name))
    },
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function untilItResponds(endpoint: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const responded = await fetch(endpoint).then(
      () => true,
      () => false,
    )
    if (responded) return
    await wait(20)
  }
  throw new Error(`the S3 gateway ended with ${child.exitCode}`)
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  await once(probe, 'close')
  return port
}

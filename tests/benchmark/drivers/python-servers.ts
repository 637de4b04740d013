import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '@threadbox/testkit'

const run = promisify(execFile)
const startTimeoutMs = 60_000
const lockFile = path.join(import.meta.dirname, '../requirements.lock')

/** A service of a Python package, with a folder of its own. */
export type PythonServer = AsyncDisposable & {
  port: number
  folder: string
  json<Result>(method: string, route: string, body?: unknown): Promise<Result>
}

/**
 * Starts a program of the environment that {@link pythonEnvironment} installs, and resolves when it serves `readyPath`.
 */
export async function startPythonServer(options: {
  program: string
  args: (of: { port: number; folder: string }) => string[]
  readyPath: string
  headers: Record<string, string>
}): Promise<PythonServer> {
  const bin = path.join(await pythonEnvironment(), 'bin')
  const folder = await mkdtemp(path.join(tmpdir(), `benchmark-${options.program}-`))
  const port = await freePort()
  const child = spawn(path.join(bin, options.program), options.args({ port, folder }), {
    cwd: folder,
    // Settings and logs of the service must not be those of a person.
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: `${folder}/.home`, LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (data: Buffer) => {
    errors = (errors + data.toString()).slice(-2000)
  })
  const send = async (method: string, route: string, body?: unknown) => {
    const headers = { ...options.headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    return await fetch(`http://127.0.0.1:${port}${route}`, { method, headers, ...text })
  }
  const close = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    await rm(folder, { recursive: true, force: true })
  }
  const startedAt = Date.now()
  for (;;) {
    const answer = await send('GET', options.readyPath).catch(() => undefined)
    await answer?.body?.cancel()
    if (answer?.ok) break
    if (child.exitCode !== null || Date.now() - startedAt > startTimeoutMs) {
      await close()
      throw new Error(`${options.program} did not start: ${errors}`)
    }
    await delay(50)
  }
  return {
    port,
    folder,
    json: async <Result>(method: string, route: string, body?: unknown) => {
      const answer = await send(method, route, body)
      if (!answer.ok)
        throw new Error(`${method} ${route} answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`)
      return (answer.status === 204 ? undefined : await answer.json()) as Result
    },
    [Symbol.asyncDispose]: close,
  }
}

let environment: Promise<string> | undefined

/** The environment of the packages in `requirements.lock`, with their checksums; installed by pip at the first use. */
async function pythonEnvironment(): Promise<string> {
  environment ??= installEnvironment()
  return await environment
}

async function installEnvironment(): Promise<string> {
  const key = createHash('sha256')
    .update(await readFile(lockFile))
    .digest('hex')
    .slice(0, 16)
  const cache = process.env.THREADBOX_BENCHMARK_CACHE ?? path.join(tmpdir(), 'threadbox-benchmark')
  const folder = path.join(cache, key)
  const complete = path.join(folder, '.complete')
  const isInstalled = await readFile(complete).then(
    () => true,
    () => false,
  )
  if (isInstalled) return folder
  console.error('Installing the Python packages of the benchmark')
  await rm(folder, { recursive: true, force: true })
  await run('python3', ['-m', 'venv', folder])
  const pip = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--require-hashes',
    '--only-binary',
    ':all:',
    '--requirement',
    lockFile,
  ]
  await run(`${folder}/bin/python3`, pip, { maxBuffer: 2 ** 24 })
  await writeFile(complete, '')
  return folder
}

/** Of a package in the lock file. */
export async function versionOf(name: string): Promise<string> {
  const lock = await readFile(lockFile, 'utf8')
  return new RegExp(`^${name}==(\\S+)`, 'm').exec(lock)?.[1] ?? ''
}

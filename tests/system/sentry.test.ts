import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { defaultSandboxLimits } from '@threadbox/domain'
import { hostPaths } from '@threadbox/protocol/host'
import { startTestHost, type TestHost } from '@threadbox/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const run = promisify(execFile)
const program = path.join(import.meta.dirname, 'sentry/replaced-sentry.pl')
const order = { limits: defaultSandboxLimits, egress: { kind: 'open' } }

type Role = 'machine' | 'sentry' | 'visible' | 'nested'

/** A program with everything that gVisor’s kernel of a sandbox has, except its seccomp filter. */
describe('a program that replaced the kernel of a sandbox', () => {
  let host: TestHost
  let kernel: number
  let otherKernel: number
  let sandboxId: string
  let otherId: string
  const diskOf = (id: string) => path.join(host.diskDirectory, 'pool/disks', id, 'root')
  const start = async () => {
    const id = host.newSandboxId()
    expect(await host.request('PUT', hostPaths.get(id), order)).toMatchObject({ status: 200 })
    const started = await host.request('POST', hostPaths.start(id), { bootId: host.newBootId(), hostname: 'box' })
    expect(started).toMatchObject({ status: 200 })
    return id
  }
  const kernelOf = async (id: string) => {
    const boots = path.join(host.dataDirectory, 'host/driver/boots')
    for (const name of await readdir(boots)) {
      const record = JSON.parse(await readFile(path.join(boots, name, 'record.json'), 'utf8'))
      if (record.sandboxId === id) return record.process.pid as number
    }
    throw new Error('it is not running')
  }
  const attempts = async (role: Role) => {
    const args = [role, kernel, host.dataDirectory, host.pid(), otherKernel, diskOf(otherId)].map(String)
    const { stdout } = await run('unshare', ['--mount', 'perl', program, ...args])
    return Object.fromEntries(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split('\t')),
    ) as Record<string, string>
  }
  const succeeded = async (role: Role) => {
    const all = Object.entries(await attempts(role))
    expect(all).toHaveLength(19)
    return all.filter(([, outcome]) => outcome === 'done').map(([name]) => name)
  }

  beforeAll(async () => {
    host = await startTestHost({ environment: { THREADBOX_DOCTOR_URL: 'http://127.0.0.1/' } })
    sandboxId = await start()
    kernel = await kernelOf(sandboxId)
    otherId = await start()
    otherKernel = await kernelOf(otherId)
  })
  afterAll(async () => {
    await host?.close()
  })

  test('C9: has no capability over the machine, and reads no file, process or socket of it, in its own namespaces', async () => {
    expect(await succeeded('machine')).toHaveLength(19)
    expect(await succeeded('sentry')).toEqual(['write to its own disk'])
    expect(await readdir(diskOf(sandboxId))).toContain('made-by-sentry')
  })

  test('C9: nor in a user namespace that it makes', async () => {
    // The mount is in its own mount namespace, over its own empty root.
    expect(await succeeded('nested')).toEqual(['mount', 'write to its own disk'])
  })

  test('C9: nor if it sees the processes of the machine', async () => {
    // All sandboxes have the same IDs.
    expect(await succeeded('visible')).toEqual(['signal the kernel of another sandbox', 'write to its own disk'])
  })

  test('doctor says that sandboxes have no user ID of the host', async () => {
    const { body } = await host.request('GET', hostPaths.doctor())
    expect(body).toMatchObject({
      checks: expect.arrayContaining([
        expect.objectContaining({ id: 'ids', state: 'ok', code: 'ids-fine' }),
        expect.objectContaining({ id: 'sandbox', state: 'ok' }),
      ]),
    })
  })
})

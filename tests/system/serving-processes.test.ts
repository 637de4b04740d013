import { readFile } from 'node:fs/promises'
import { hostDoctorSchema, hostPaths } from '@threadbox/protocol/host'
import { startTestHost, type TestHost } from '@threadbox/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'

const users = { gateway: 64_533, egress: 64_534, names: 64_535 } as const
type Name = keyof typeof users
const names = Object.keys(users) as Name[]

/** The processes that read what sandboxes send, as the host daemon starts them. */
let host: TestHost
beforeAll(async () => {
  const ids = names.flatMap((name) =>
    ['UID', 'GID'].map((id) => [`THREADBOX_${name.toUpperCase()}_${id}`, users[name]]),
  )
  // A sandbox refuses connections to itself, so the doctor’s request goes nowhere.
  const environment = { ...Object.fromEntries(ids.map(([id, value]) => [id, String(value)])) }
  host = await startTestHost({ environment: { ...environment, THREADBOX_DOCTOR_URL: 'http://127.0.0.1/' } })
})
afterAll(() => host?.close())

const pidOf = (name: Name) => ({ gateway: host.gatewayPid, egress: host.egressPid, names: host.namesPid })[name]()

async function checkOf(name: Name) {
  const { checks } = hostDoctorSchema.parse((await host.request('GET', hostPaths.doctor())).body)
  return checks.find(({ id }) => id === `process-${name}`)
}

test.each(names)('C9: %s has its own user, no group, no capability and no way to get one, and limits', async (name) => {
  const pid = await pidOf(name)
  // It becomes its user once it listens.
  const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8')
  await expect.poll(() => read('status'), { timeout: 20_000 }).toMatch(new RegExp(`^Uid:\\s+${users[name]}\\s`, 'm'))
  const status = await read('status')
  const id = users[name]
  for (const kind of ['Uid', 'Gid'])
    expect(status).toMatch(new RegExp(`^${kind}:\\s+${id}\\s+${id}\\s+${id}\\s+${id}$`, 'm'))
  expect(status).toMatch(/^Groups:\s*$/m)
  for (const set of ['Inh', 'Prm', 'Eff', 'Amb']) expect(status).toMatch(new RegExp(`^Cap${set}:\\s+0{16}$`, 'm'))
  // What it started with, and can’t regain: programs that it starts get no capability either.
  expect(status).toMatch(/^NoNewPrivs:\s+1$/m)
  const bounding = BigInt(`0x${/^CapBnd:\s+([0-9a-f]+)$/m.exec(status)?.[1] ?? ''}`)
  const [readSearch, setGroup, setUser, admin] = [1n << 2n, 1n << 6n, 1n << 7n, 1n << 21n]
  expect(bounding).toBe(readSearch | setGroup | setUser | (name === 'names' ? admin : 0n))
  const limits = await read('limits')
  expect(limits).toMatch(/^Max core file size\s+0\s+0\s/m)
  expect(limits).toMatch(/^Max locked memory\s+0\s+0\s/m)
  expect(limits).toMatch(/^Max msgqueue size\s+0\s+0\s/m)
})

test.each(['egress', 'names'] as const)(
  'the doctor says that %s doesn’t respond, and finds the next one fine',
  async (name) => {
    expect(await checkOf(name)).toMatchObject({ state: 'ok', code: 'process-fine', values: { user: users[name] } })
    const pid = await pidOf(name)
    process.kill(pid, 'SIGSTOP')
    expect(await checkOf(name)).toMatchObject({ code: 'process-silent', values: { name, pid } })
    // The DNS process has been replaced by now: it did not carry out an order.
    if (name === 'egress') process.kill(pid, 'SIGKILL')
    await expect.poll(async () => (await checkOf(name))?.code, { timeout: 30_000 }).toBe('process-fine')
    expect(await pidOf(name)).not.toBe(pid)
  },
)

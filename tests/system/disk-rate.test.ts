import { hostDoctorSchema, hostPaths } from '@threadbox/protocol/host'
import { startTestHost, type TestHost } from '@threadbox/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'

const MiB = 1024 * 1024
const mebibytesPerSecond = 8
const writtenBytes = 48 * MiB
const order = {
  limits: { memoryBytes: 512 * MiB, cpus: 1, processes: 128, diskBytes: 512 * MiB },
  egress: { kind: 'open' },
}
/** Random bytes don’t become fewer when the pool compresses them; they are made before the clock starts. */
const prepare = `head -c ${writtenBytes} /dev/urandom > /dev/shm/source`
const write = 'sync; date +%s%3N; dd if=/dev/shm/source of=/home/user/copy bs=1M conv=fsync status=none; date +%s%3N'

let host: TestHost
beforeAll(async () => {
  host = await startTestHost({ environment: { THREADBOX_SANDBOX_DISK_RATE: String(mebibytesPerSecond) } })
})
afterAll(() => host?.close())

test('a sandbox writes no faster than its rate, or the doctor says that this kernel doesn’t enforce it', async () => {
  const { checks } = hostDoctorSchema.parse((await host.request('GET', hostPaths.doctor())).body)
  const check = checks.find(({ id }) => id === 'disk-rate')
  const rates = await Promise.all([measure(), measure()])
  for (const rate of rates) console.log(`writes: ${(rate / MiB).toFixed(1)} MiB/s of ${mebibytesPerSecond} MiB/s`)
  if (check?.state === 'warning') {
    console.log(`the disk rate: ${check.detail}`)
    expect(check).toMatchObject({ code: 'disk-rate-not-enforced', detail: expect.stringContaining('not enforced') })
    return
  }
  expect(check).toMatchObject({ state: 'ok', code: 'disk-rate-fine', values: { rate: mebibytesPerSecond } })
  // It holds on any machine: a slow one takes longer.
  for (const rate of rates) expect(rate).toBeLessThanOrEqual(mebibytesPerSecond * MiB * 1.1)
})

/** Starts a sandbox, and returns the bytes per second at which it writes a file, until they are on the disk. */
async function measure(): Promise<number> {
  const sandboxId = host.newSandboxId()
  await host.request('PUT', hostPaths.get(sandboxId), order)
  const started = await host.request('POST', hostPaths.start(sandboxId), { bootId: host.newBootId(), hostname: 'box' })
  expect(started).toMatchObject({ status: 200 })
  expect((await host.run(sandboxId, prepare)).message).toBe('')
  const [from = 0, to = 0] = (await host.run(sandboxId, write)).output.trim().split('\n').map(Number)
  expect(to).toBeGreaterThan(from)
  return (writtenBytes * 1000) / (to - from)
}

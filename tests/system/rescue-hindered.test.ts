import { manifestSchema, type RescueReport } from '@threadbox/protocol/guest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GuestSandbox } from '../stack/guest-sandbox.ts'
import { rescueBudgets, rescueCallsOf, startSandboxToRescue } from './rescue/rescue-calls.ts'

let guest: GuestSandbox
beforeAll(async () => {
  guest = await startSandboxToRescue()
})
afterAll(async () => {
  await guest?.[Symbol.asyncDispose]()
})
const { run, runCell, rescue, report } = rescueCallsOf(() => guest)

describe('a demotion during work, and a disk that is damaged afterwards', () => {
  type Group = { names: string[]; file: string }
  // Rescues are numbered.
  const keptAt = '/var/lib/threadbox/rescue/00000001/kernels/main'
  let context: string
  let taken: RescueReport
  const rootFile = (path: string) => `${guest.guestUrl}/files?path=${encodeURIComponent(path)}&username=root`

  beforeAll(async () => {
    const created = await fetch(`${guest.codeUrl}/contexts`, { method: 'POST', body: JSON.stringify({ cwd: '/tmp' }) })
    context = ((await created.json()) as { id: string }).id
    expect((await runCell('of_other_kernel = [1, 2]', context)).problem).toBe('')
    expect((await runCell('intact = {"a": [1]}\nto_be_damaged = {"b": [2]}\nimport subprocess\n')).problem).toBe('')
    expect((await runCell('child = subprocess.Popen(["sleep", "1234"])')).problem).toBe('')
    await run(
      `bash -c 'trap "echo bye > ~/bye; exit" TERM; echo up > ~/up; while :; do sleep 0.1; done' >/dev/null & sleep 0.3`,
    )
    await guest.client.startCell({ key: 'endless', code: 'print("up")\nfor n in iter(int, 1): in_loop = n' })
    for await (const { event } of guest.client.read({ key: 'endless' })) if (event.case === 'output') break
    taken = await rescue()
  }, 120_000)

  test('A3: a running cell is interrupted, and the report says so', () => {
    expect(taken.problems).toContain('A cell was running and was interrupted.')
    expect(taken.variables).toContainEqual(expect.objectContaining({ name: 'in_loop', outcome: 'kept' }))
    expect(taken.variables).toContainEqual(expect.objectContaining({ name: 'of_other_kernel', context }))
    expect(taken.processes).toContainEqual(expect.objectContaining({ commandLine: ['sleep', '1234'], obstacle: '' }))
  })

  test('C6: damaged values are reported lost by name, and the rest is restored without a cell', async () => {
    const index = (await (await fetch(rootFile(`${keptAt}/index.json`))).json()) as { groups: Group[] }
    const group = index.groups.find(({ names }) => names.includes('to_be_damaged'))
    expect(group?.names).toEqual(['to_be_damaged'])
    const damaged = await fetch(rootFile(`${keptAt}/${group?.file}.pickle`), {
      method: 'POST',
      body: 'no pickle',
      headers: { 'content-type': 'application/octet-stream' },
    })
    expect(damaged.status).toBe(200)
    await guest.coldStart()
    expect(await run('cat ~/bye')).toBe('bye\n')
    await expect.poll(async () => (await report()).state, { timeout: 60_000, interval: 200 }).toBe('replayed')
    const back = await report()
    expect(back.variables).toContainEqual(
      expect.objectContaining({ name: 'to_be_damaged', outcome: 'lost', reason: expect.stringContaining('restored') }),
    )
    expect(back.variables).toContainEqual(expect.objectContaining({ name: 'intact', outcome: 'kept' }))
    expect((await runCell('print(intact, "to_be_damaged" in globals())')).output).toBe("{'a': [1]} False\n")
    expect((await runCell('print(of_other_kernel)', context)).output).toBe('[1, 2]\n')
  }, 120_000)

  test('G5: after a boot that ended without a rescue, the report says how old the values are', async () => {
    await runCell('intact = "changed"')
    await guest.coldStart()
    const { problems, state } = await report()
    expect(state).toBe('pending')
    expect(problems).toContainEqual(expect.stringMatching(/last restored at 2/))
    // Discarded again before any variable was requested.
    const again = await rescue()
    expect(again.variables).toContainEqual(expect.objectContaining({ name: 'intact', outcome: 'kept' }))
    await guest.coldStart()
    expect((await runCell('print(intact)')).output).toBe("{'a': [1]}\n")
  }, 180_000)
})

describe('a demotion that cannot rescue', () => {
  const kernelOf = async () => {
    const answer = await fetch(`${guest.guestUrl}/manifest?hashKey=${'ab'.repeat(16)}`)
    const manifest = manifestSchema.parse(await answer.json())
    expect(manifest.unread).toHaveLength(manifest.kernels[0]?.state === 'not-answering' ? 1 : 0)
    return { state: manifest.kernels[0]?.state }
  }

  /**
   * Waits for a lock that it holds itself, in a library that keeps the interpreter’s lock: no signal ends that, and it
   * uses no CPU.
   */
  const heldForEver = `import ctypes, time
libc = ctypes.PyDLL(None)
mutex = ctypes.create_string_buffer(64)
libc.pthread_mutex_lock(mutex)
print("up", flush=True)
time.sleep(0.5)
libc.pthread_mutex_lock(mutex)`

  test('A3: a kernel that does not respond is named, and the shell is kept anyway', async () => {
    await guest.client.startCell({
      key: 'closed',
      code: heldForEver,
    })
    for await (const { event } of guest.client.read({ key: 'closed' })) if (event.case === 'output') break
    await run("echo 'x = 1' > before.py")
    await expect.poll(async () => (await kernelOf()).state, { timeout: 20_000 }).toBe('not-answering')
    const taken = await rescue()
    expect(taken.problems).toContainEqual(expect.stringMatching(/^Nothing in the Python kernel main could be saved/))
    expect(taken.shell.outcome).toBe('kept')
    await guest.coldStart()
    expect(await run('cat before.py')).toBe('x = 1\n')
    expect((await runCell('never')).problem).toContain("'never' is not defined")
  }, 120_000)

  test('G7: with a full disk nothing is kept and nothing is ended', async () => {
    await run('sleep 4321 >/dev/null & disown')
    await runCell('import numpy as np\nlarge = np.random.default_rng(1).random(2_000_000)\nsmall = [1]')
    expect(await run('head -c 3G /dev/urandom > /home/user/filler')).toMatch(/quota exceeded|No space left/i)
    const answer = await fetch(`${guest.guestUrl}/rescue`, { method: 'POST', body: JSON.stringify(rescueBudgets) })
    expect(await answer.json()).toMatchObject({ message: expect.stringContaining('nothing was stopped') })
    expect(await run('rm /home/user/filler; ps -C sleep -o stat=,args= | grep 4321')).toMatch(/^S.*sleep 4321\n$/)
    expect((await runCell('print(small, len(large))')).output).toBe('[1] 2000000\n')
  }, 180_000)
})

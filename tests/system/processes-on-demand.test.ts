import { guestPaths } from '@threadbox/protocol/guest'
import { type ModelServer, startModelServer } from '@threadbox/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cell, output } from '../stack/in-threads.ts'
import { sandboxIdsOf, startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'
import { rescueCallsOf, startSandboxToRescue } from './rescue/rescue-calls.ts'

/** Processes of the runtime in a sandbox: which run, and when. */
const kernel = "pgrep -f '^python3 .*[k]ernel.py' | tr '\\n' ' '"
const fileServer = 'pgrep -x threadbox-files | wc -l'

describe('in a thread', () => {
  let installation: TestInstallation
  let model: ModelServer
  beforeAll(async () => {
    installation = await startInstallation({
      hostEnvironment: { THREADBOX_SPARE_SANDBOXES: '1', THREADBOX_SPARE_KERNELS: 'off' },
    })
    model = await startModelServer()
    const { anthropic } = model.baseUrls
    await installation.client.models.connect({
      provider: 'anthropic',
      model: 'test',
      baseUrl: anthropic,
      apiKey: 'key',
    })
  })
  afterAll(async () => {
    await model?.[Symbol.asyncDispose]()
    await installation?.[Symbol.asyncDispose]()
  })

  /** A thread, and what a command prints in its sandbox outside of any turn. */
  async function newThread(): Promise<{ thread: TestThread; inside(command: string): Promise<string> }> {
    const before = await sandboxIdsOf(installation)
    const thread = await installation.newThread()
    await thread.say('/run true')
    const [sandboxId = ''] = (await sandboxIdsOf(installation)).filter((id) => !before.includes(id))
    return { thread, inside: async (command) => (await installation.host.run(sandboxId, command)).output.trim() }
  }

  test('a new thread’s sandbox runs no kernel and no file server until they are used', async () => {
    const { thread, inside } = await newThread()
    expect([await inside(kernel), await inside(fileServer)]).toEqual(['', '0'])
    await installation.client.files.list(thread.id, '/home/user')
    expect([await inside(kernel), await inside(fileServer)]).toEqual(['', '1'])
    expect(await cell(thread, 'held = 41; print(held + 1)')).toBe('42')
    const pid = await inside(kernel)
    expect(pid).toMatch(/^\d+$/)
    expect(await output(thread, 'true')).toBe('')
    expect(await cell(thread, 'import os; print(held, os.getpid())')).toBe(`41 ${pid}`)
  })

  test('a kernel writes nothing to a new disk when it starts, so a turn that only started one has nothing to keep', async () => {
    const { thread, inside } = await newThread()
    await inside('touch -d "1 second ago" /dev/shm/before')
    expect(await cell(thread, 'print(get_ipython().history_manager.hist_file)')).toBe(':memory:')
    const places = '-xdev -type f -newer /dev/shm/before -not -path "/proc/*" -not -path "/var/lib/threadbox/*"'
    // What IPython makes once, in an empty file and directories of its own.
    const once = '-not -path "/home/user/.ipython/*"'
    expect(await inside(`sudo find / ${places} ${once} -not -path "/dev/*"`)).toBe('')
  })

  test('an agent’s turn starts a kernel before its first cell, and one that the turn did not use ends with it', async () => {
    const { thread, inside } = await newThread()
    const seen: string[] = []
    async function* onceKernelRuns() {
      await expect.poll(() => inside(kernel), { timeout: 30_000 }).toMatch(/^\d+$/)
      seen.push(await inside(kernel))
      yield 'One moment.'
    }
    model.reply({ text: onceKernelRuns() })
    await thread.say('What do you think?')
    await expect.poll(() => inside(kernel), { timeout: 10_000 }).toBe('')
    const code = 'import os; held = 41; print(os.getpid())'
    model.reply({ text: onceKernelRuns(), calls: [{ name: 'run_python', input: { code } }] }, { text: 'Done.' })
    const { calls } = await thread.say('Compute it.')
    expect(calls[0]).toMatchObject({ status: 'succeeded', output: { tail: `${seen[1]}\n` } })
    expect(seen[1]).not.toBe(seen[0])
    model.reply({ text: 'Nothing to compute.' })
    await thread.say('And now?')
    await output(thread, 'true')
    expect(await cell(thread, 'import os; print(held, os.getpid())')).toBe(`41 ${seen[1]}`)
  })
})

describe('in a sandbox', () => {
  let guest: Awaited<ReturnType<typeof startSandboxToRescue>>
  beforeAll(async () => {
    guest = await startSandboxToRescue()
  })
  afterAll(async () => {
    await guest?.[Symbol.asyncDispose]()
  })
  const { run, runCell, rescue, report } = rescueCallsOf(() => guest)
  const post = async (path: string) => (await fetch(guest.guestUrl + path, { method: 'POST' })).status

  test('after two turns that left their kernel unused, no further turn starts one until a cell has run', async () => {
    for (let turn = 0; turn < 2; turn++) {
      expect(await post(guestPaths.expectCells)).toBe(200)
      await expect.poll(() => run(kernel), { timeout: 30_000 }).toMatch(/^\d+ $/)
      expect(await post(guestPaths.quiet)).toBe(200)
      expect(await run(kernel)).toBe('')
    }
    expect(await post(guestPaths.expectCells)).toBe(200)
    expect(await run('sleep 1; pgrep -f "[k]ernel.py" | wc -l')).toBe('0\n')
    expect(await runCell('held = 41')).toEqual({ output: '', problem: '' })
    expect(await post(guestPaths.quiet)).toBe(200)
    expect((await runCell('print(held)')).output).toBe('41\n')
  })

  test('C5: a cell that comes while its kernel is starting, or is being ended, runs', async () => {
    for (const isEnding of [false, true]) {
      await guest.coldStart()
      expect(await post(guestPaths.expectCells)).toBe(200)
      const ending = isEnding ? post(guestPaths.quiet) : undefined
      expect((await runCell('print(1 + 1)')).output).toBe('2\n')
      expect(await ending).toBe(isEnding ? 200 : undefined)
      expect(await post(guestPaths.quiet)).toBe(200)
      expect((await runCell('print(2 + 2)')).output).toBe('4\n')
    }
  })

  test('G1: variables that were restored for an expected cell are still there when the turn used none', async () => {
    await runCell('held = 41')
    await rescue()
    await guest.coldStart()
    expect(await post(guestPaths.expectCells)).toBe(200)
    await expect.poll(async () => (await report()).state, { timeout: 30_000 }).toBe('replayed')
    const pid = await run(kernel)
    expect(await post(guestPaths.quiet)).toBe(200)
    expect(await run(kernel)).toBe(pid)
    expect((await runCell('print(held)')).output).toBe('41\n')
  })
})

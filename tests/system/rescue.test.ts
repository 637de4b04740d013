import { manifestSchema, type RescueReport, rescueReportSchema } from '@threadbox/protocol/guest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GuestSandbox, startGuestSandbox } from '../stack/guest-sandbox.ts'
import { type RescueKind, rescueKinds } from './rescue-kinds.ts'

const MiB = 1024 * 1024
let guest: GuestSandbox

beforeAll(async () => {
  guest = await startGuestSandbox({ memoryBytes: 2048 * MiB, diskBytes: 768 * MiB })
})
afterAll(async () => {
  await guest?.[Symbol.asyncDispose]()
})

const run = async (command: string) => (await guest.host.run(guest.sandboxId, command)).output
const budgets = { timeBudgetMs: 90_000, totalBytes: 200_000_000, variableBytes: 20_000_000 }

let cells = 0
async function runCell(code: string, context = ''): Promise<{ output: string; problem: string }> {
  const key = `cell-${++cells}`
  await guest.client.startCell({ key, code, context })
  let output = ''
  for await (const { event } of guest.client.read({ key })) {
    if (event.case === 'output') output += Buffer.from(event.value.data).toString()
    if (event.case === 'ended') return { output, problem: event.value.traceback || event.value.message }
  }
  throw new Error('the cell was not read to its end')
}

async function rescue(): Promise<RescueReport> {
  const answer = await fetch(`${guest.guestUrl}/rescue`, { method: 'POST', body: JSON.stringify(budgets) })
  const body: unknown = await answer.json()
  expect({ status: answer.status, body }).toMatchObject({ status: 200 })
  return rescueReportSchema.parse(body)
}

async function report(): Promise<RescueReport> {
  return rescueReportSchema.parse(await (await fetch(`${guest.guestUrl}/rescue`)).json())
}

/** So many kinds in a cell, because starting a cell takes longer than most of them. */
const kindsInCell = 12
function inCells<Kind extends RescueKind>(kinds: Kind[]): Kind[][] {
  return Array.from({ length: Math.ceil(kinds.length / kindsInCell) }, (_, index) =>
    kinds.slice(index * kindsInCell, (index + 1) * kindsInCell),
  )
}

const variableOf = (from: RescueReport, kind: RescueKind) => from.variables.find(({ name }) => name === kind.name)

const surroundings = `
import os, sys, time
os.environ["SET_BY_USER"] = "yes"
os.environ.pop("LOGNAME", None)
os.makedirs("/home/user/work dir", exist_ok=True)
os.chdir("/home/user/work dir")
sys.path.insert(0, "/home/user/lib")
`
const server = 'exec python3 -u -m http.server 8123 --directory /home/user >>/home/user/server.log 2>&1'

describe('a demotion and the cold start after it', () => {
  let taken: RescueReport
  beforeAll(async () => {
    expect((await report()).state).toBe('none')
    await run('mkdir -p ~/project; cd ~/project; export CHOSEN="a  b"; greet() { echo "hi $1"; }; alias ll="ls -l"')
    await run(`cd ~/project; SERVER_VARIABLE=kept bash -c '${server}' & sleep 1000 | cat >/dev/null & sleep 0.5`)
    expect((await runCell(surroundings)).problem).toBe('')
    for (const kinds of inCells(rescueKinds)) {
      expect((await runCell(kinds.map(({ code }) => code).join('\n'))).problem).toBe('')
    }
    taken = await rescue()
  }, 300_000)

  test('G5: each kind of object is called kept or lost as it must be, with its reason', () => {
    const wrong = rescueKinds.filter((kind) => {
      const variable = variableOf(taken, kind)
      if ('lost' in kind) return variable?.outcome !== 'lost' || !kind.lost.test(variable.reason)
      const isMethodRight = kind.method === undefined || kind.method === variable?.method
      return variable?.outcome !== 'kept' || variable.reason !== '' || !isMethodRight
    })
    expect(wrong.map((kind) => variableOf(taken, kind) ?? kind.name)).toEqual([])
    expect(taken.variables).toContainEqual(
      expect.objectContaining({ name: expect.stringMatching(/^thread /), outcome: 'lost' }),
    )
  })

  test('A3: everything that ran was ended, and nothing can be started any more', async () => {
    const manifest = await fetch(`${guest.guestUrl}/manifest?hashKey=${'ab'.repeat(16)}`)
    expect(((await manifest.json()) as { processes: object[] }).processes).toEqual([])
    await expect(guest.client.startCommand({ key: 'too-late', command: 'true' })).rejects.toThrow(/being put away/)
  })

  test('A3: processes are listed with what it takes to start them again', () => {
    expect(taken.processes).toContainEqual({
      id: expect.any(String),
      pid: expect.any(Number),
      commandLine: ['python3', '-u', '-m', 'http.server', '8123', '--directory', '/home/user'],
      cwd: '/home/user/project',
      role: 'user',
      obstacle: '',
    })
    expect(JSON.stringify(taken)).not.toContain('SERVER_VARIABLE')
    const obstacles = Object.fromEntries(taken.processes.map(({ commandLine, obstacle }) => [commandLine[0], obstacle]))
    expect(obstacles).toMatchObject({ cat: 'It read from another program.', sleep: '' })
  })

  describe('after the cold start', () => {
    beforeAll(async () => {
      await guest.coldStart()
    })

    test('G5: the shell session is there for the first command', async () => {
      expect(await report()).toMatchObject({ state: 'pending', shell: { outcome: 'kept' } })
      expect(await run('pwd; echo "$CHOSEN"; greet you; alias ll')).toBe(
        "/home/user/project\na  b\nhi you\nalias ll='ls -l'\n",
      )
    })

    test('G10: every kept value is back before the first cell, and equal', async () => {
      for (const kinds of inCells(rescueKinds.filter((kind) => 'check' in kind))) {
        const checks = kinds.map(
          ({ name, check }) =>
            `try:\n    assert ${check}\nexcept BaseException as wrong:\n    print(${JSON.stringify(name)}, repr(wrong))`,
        )
        expect(await runCell([...checks, 'print("looked")'].join('\n'))).toEqual({ output: 'looked\n', problem: '' })
      }
      const back = await report()
      expect(back.state).toBe('replayed')
      expect(back.variables).toEqual(expect.arrayContaining(taken.variables))
    }, 300_000)

    test('G5: lost names are unknown, not something else', async () => {
      const lost = rescueKinds.filter((kind) => 'lost' in kind).map(({ name }) => name)
      const looks = `for name in ${JSON.stringify(lost)}:\n    try: print(name, eval(name))\n    except NameError as unknown: print(unknown)`
      expect((await runCell(looks)).output).toBe(lost.map((name) => `name '${name}' is not defined\n`).join(''))
    }, 120_000)

    test('G5: environment, directory and search path of the kernel are as they were', async () => {
      const shown = 'print(os.environ["SET_BY_USER"], "LOGNAME" in os.environ, os.getcwd(), sys.path[0], sep="|")'
      expect((await runCell(shown)).output).toBe('yes|False|/home/user/work dir|/home/user/lib\n')
    })

    test('A3: a process is started again as it was, once', async () => {
      const [wanted] = taken.processes.filter(({ commandLine }) => commandLine.includes('http.server'))
      const start = () => fetch(`${guest.guestUrl}/rescue/processes/${wanted?.id}/start`, { method: 'POST' })
      const [first, second] = [await (await start()).json(), await (await start()).json()] as { pid: number }[]
      expect(second).toEqual(first)
      const shown = `for i in $(seq 50); do curl -sf localhost:8123/server.log >/dev/null && break; sleep 0.1; done
readlink /proc/${first?.pid}/cwd; tr '\\0' '\\n' < /proc/${first?.pid}/environ | grep SERVER_VARIABLE; grep -c GET ~/server.log`
      expect(await run(shown)).toBe('/home/user/project\nSERVER_VARIABLE=kept\n1\n')
      const unknown = await fetch(`${guest.guestUrl}/rescue/processes/1-1/start`, { method: 'POST' })
      expect(unknown.status).toBe(404)
    })
  })
})

describe('a demotion that finds work going on, and a disk that was damaged after it', () => {
  type Group = { names: string[]; file: string }
  // Rescues are numbered, and this is the sandbox's second one.
  const keptAt = '/var/lib/threadbox/rescue/00000002/kernels/main'
  let context: string
  let taken: RescueReport
  const rootFile = (path: string) => `${guest.guestUrl}/files?path=${encodeURIComponent(path)}&username=root`

  beforeAll(async () => {
    // Of the kinds above nothing is read back again at each start.
    await runCell('%reset -f')
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

  test('A3: a running cell is interrupted, and that is said', () => {
    expect(taken.problems).toContain('A cell was running and was interrupted.')
    expect(taken.variables).toContainEqual(expect.objectContaining({ name: 'in_loop', outcome: 'kept' }))
    expect(taken.variables).toContainEqual(expect.objectContaining({ name: 'of_other_kernel', context }))
    expect(taken.processes).toContainEqual(expect.objectContaining({ commandLine: ['sleep', '1234'], obstacle: '' }))
  })

  test('C6: what was damaged on the disk is lost by name, and the rest is back without a cell', async () => {
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
      expect.objectContaining({ name: 'to_be_damaged', outcome: 'lost', reason: expect.stringContaining('read back') }),
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
    expect(problems).toContainEqual(expect.stringMatching(/read back before, at 2/))
    // Given up again before anybody asked for them.
    const again = await rescue()
    expect(again.variables).toContainEqual(expect.objectContaining({ name: 'intact', outcome: 'kept' }))
    await guest.coldStart()
    expect((await runCell('print(intact)')).output).toBe("{'a': [1]}\n")
  }, 180_000)
})

describe('a demotion that cannot do its work', () => {
  const kernelOf = async () => {
    const answer = await fetch(`${guest.guestUrl}/manifest?hashKey=${'ab'.repeat(16)}`)
    const manifest = manifestSchema.parse(await answer.json())
    expect(manifest.unread).toHaveLength(manifest.kernels[0]?.state === 'not-answering' ? 1 : 0)
    return { state: manifest.kernels[0]?.state }
  }

  /** Waits for a lock that it has itself, in a library that keeps the interpreter's: no signal ends that, and it uses no processor. */
  const heldForEver = `import ctypes, time
libc = ctypes.PyDLL(None)
mutex = ctypes.create_string_buffer(64)
libc.pthread_mutex_lock(mutex)
print("up", flush=True)
time.sleep(0.5)
libc.pthread_mutex_lock(mutex)`

  test('A3: a kernel that answers nobody is named, and the shell is kept all the same', async () => {
    await guest.client.startCell({
      key: 'closed',
      code: heldForEver,
    })
    for await (const { event } of guest.client.read({ key: 'closed' })) if (event.case === 'output') break
    await run("echo 'x = 1' > before.py")
    await expect.poll(async () => (await kernelOf()).state, { timeout: 20_000 }).toBe('not-answering')
    const taken = await rescue()
    expect(taken.problems).toContainEqual(expect.stringMatching(/^Nothing of the Python kernel main could be kept/))
    expect(taken.shell.outcome).toBe('kept')
    await guest.coldStart()
    expect(await run('cat before.py')).toBe('x = 1\n')
    expect((await runCell('never')).problem).toContain("'never' is not defined")
  }, 120_000)

  test('G7: with a full disk nothing is kept and nothing is ended', async () => {
    await run('sleep 4321 >/dev/null & disown')
    await runCell('import numpy as np\nlarge = np.random.default_rng(1).random(2_000_000)\nsmall = [1]')
    expect(await run('head -c 3G /dev/urandom > /home/user/filler')).toMatch(/quota exceeded|No space left/i)
    const answer = await fetch(`${guest.guestUrl}/rescue`, { method: 'POST', body: JSON.stringify(budgets) })
    expect(await answer.json()).toMatchObject({ message: expect.stringContaining('nothing was ended') })
    expect(await run('rm /home/user/filler; ps -C sleep -o stat=,args= | grep 4321')).toMatch(/^S.*sleep 4321\n$/)
    expect((await runCell('print(small, len(large))')).output).toBe('[1] 2000000\n')
  }, 180_000)
})

test('C5: two kernels with the same generators differ after they were given different entropy', async () => {
  const draw = `import random, numpy, tempfile
random.seed(1); numpy.random.seed(1)
print(__import__("threadbox_rescue.reseed", fromlist=["x"]).reseed({"entropy": ENTROPY})["reseeded"])
print(random.random(), numpy.random.rand())`
  const first = (await runCell(draw.replace('ENTROPY', '"00" * 32'))).output
  const same = (await runCell(draw.replace('ENTROPY', '"00" * 32'))).output
  const other = (await runCell(draw.replace('ENTROPY', '"01" * 32'))).output
  expect(first).toContain("'random', 'numpy.random'")
  expect(same).toBe(first)
  expect(
    other
      .split('\n')[1]
      ?.split(' ')
      .every((value) => !first.includes(value)),
  ).toBe(true)
})

import type { RescueReport } from '@threadbox/protocol/guest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GuestSandbox } from '../stack/guest-sandbox.ts'
import { rescueCallsOf, startSandboxToRescue } from './rescue/rescue-calls.ts'
import { type RescueKind, rescueKinds } from './rescue/rescue-kinds.ts'

let guest: GuestSandbox
beforeAll(async () => {
  guest = await startSandboxToRescue()
})
afterAll(async () => {
  await guest?.[Symbol.asyncDispose]()
})
const { run, runCell, rescue, report } = rescueCallsOf(() => guest)

/** Kinds per cell, because starting a cell takes longer than most of them. */
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

  test('G5: each kind of object is correctly reported kept or lost, with its reason', () => {
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

  test('A3: everything that ran was ended, and nothing more can be started', async () => {
    const manifest = await fetch(`${guest.guestUrl}/manifest?hashKey=${'ab'.repeat(16)}`)
    expect(((await manifest.json()) as { processes: object[] }).processes).toEqual([])
    await expect(guest.client.startCommand({ key: 'too-late', command: 'true' })).rejects.toThrow(/is saving its state/)
  })

  test('A3: processes are listed with what it takes to restart them', () => {
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
    expect(obstacles).toMatchObject({ cat: 'piped-input', sleep: '' })
  })

  describe('after the cold start', () => {
    beforeAll(async () => {
      await guest.coldStart()
    })

    test('G5: the first command finds the shell session', async () => {
      expect(await report()).toMatchObject({ state: 'pending', shell: { outcome: 'kept' } })
      expect(await run('pwd; echo "$CHOSEN"; greet you; alias ll')).toBe(
        "/home/user/project\na  b\nhi you\nalias ll='ls -l'\n",
      )
    })

    test('G10: every kept value is restored before the first cell, and equal', async () => {
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

    test('G5: lost names are undefined, not something else', async () => {
      const lost = rescueKinds.filter((kind) => 'lost' in kind).map(({ name }) => name)
      const looks = `for name in ${JSON.stringify(lost)}:\n    try: print(name, eval(name))\n    except NameError as unknown: print(unknown)`
      expect((await runCell(looks)).output).toBe(lost.map((name) => `name '${name}' is not defined\n`).join(''))
    }, 120_000)

    test('G5: environment, directory and search path of the kernel are as they were', async () => {
      const shown = 'print(os.environ["SET_BY_USER"], "LOGNAME" in os.environ, os.getcwd(), sys.path[0], sep="|")'
      expect((await runCell(shown)).output).toBe('yes|False|/home/user/work dir|/home/user/lib\n')
    })

    test('A3: a process is restarted as it was, once', async () => {
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

test('C5: two kernels with the same generators differ after they got different entropy', async () => {
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

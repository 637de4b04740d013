import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { timed } from '../performance/figure.ts'
import { randomText } from './conformance.ts'
import { losingTasks } from './losing-tasks.ts'
import type { Subject } from './subject.ts'
import { echo, type Sample, type Task } from './task.ts'

type State = 'frozen' | 'image' | 'evicted' | 'cold'
const stateTitles: Record<State, string> = {
  frozen: 'frozen in RAM',
  image: 'from its image in the page cache',
  evicted: 'from its image, page cache dropped',
  cold: 'from its files',
}
const sizes = [
  { megabytes: 64, title: '64 MiB' },
  { megabytes: 1024, title: '1 GiB' },
  { megabytes: 4096, title: '4 GiB' },
]
type Size = (typeof sizes)[number]

export const tasks: readonly Task[] = [
  ...losingTasks,
  create(),
  command(),
  commandAfterCommand(),
  transfer('write'),
  transfer('read'),
  ...sizes.flatMap((size) => [
    resume(size, 'frozen'),
    resume(size, 'evicted'),
    resume(size, 'cold'),
    ...[10, 50, 100].map((percent) => pauseAndResume(size, percent)),
    fork(size, 1),
    fork(size, 10),
  ]),
]

/** What a run without `--rows` leaves out: it takes long, or more memory than many machines have. */
function optional({ megabytes }: Size, isSmallOnly: boolean): { isOptional?: true } {
  return megabytes === 64 || (megabytes === 1024 && !isSmallOnly) ? {} : { isOptional: true }
}

function create(): Task {
  return {
    rows: [{ id: 'create', title: 'New sandbox, until its first command has ended', unit: 'ms' }],
    megabytes: 64,
    measure: async ({ driver }) => {
      let id: string | undefined
      try {
        const value = await timed(async () => {
          id = await driver.create()
          await echo(driver, id)
        })
        return [{ value }]
      } finally {
        if (id !== undefined) await driver.delete(id)
      }
    },
  }
}

function command(): Task {
  return {
    rows: [{ id: 'command', title: 'Command in a running sandbox, half a second after the last', unit: 'ms' }],
    megabytes: 64,
    measure: async (subject) => {
      await subject.change(10)
      await delay(500)
      return [{ value: await timedProof(subject), stallMs: await subject.stallMs() }]
    },
  }
}

function commandAfterCommand(): Task {
  return {
    rows: [{ id: 'command-next', title: 'Command in a running sandbox, immediately after another', unit: 'ms' }],
    megabytes: 64,
    measure: async (subject) => {
      await subject.change(10)
      return [{ value: await timedProof(subject), stallMs: await subject.stallMs() }]
    },
  }
}

function transfer(direction: 'write' | 'read'): Task {
  const verb = direction === 'write' ? 'written' : 'read'
  return {
    rows: [{ id: `file-${direction}`, title: `File of 1 MiB, ${verb} from outside`, unit: 'ms' }],
    megabytes: 64,
    measure: async ({ driver, id, run }) => {
      const file = { name: 'transferred.txt', content: randomText(2 ** 20) }
      const digest = createHash('sha256').update(file.content).digest('hex')
      const writtenMs = await timed(() => driver.writeFile(id, file))
      if (!(await run(`sha256sum < ${file.name}`)).includes(digest)) throw new Error('it was written as something else')
      if (direction === 'write') return [{ value: writtenMs }]
      let content = ''
      const value = await timed(async () => {
        content = await driver.readFile(id, file.name)
      })
      if (content !== file.content) throw new Error('it was read as something else')
      return [{ value }]
    },
  }
}

function resume(size: Size, state: Exclude<State, 'image'>): Task {
  const { megabytes, title } = size
  return {
    rows: [
      {
        id: `resume-${state}-${megabytes}`,
        title: `Resumed ${stateTitles[state]}, ${title}, until a command has ended`,
        unit: 'ms',
        ...optional(size, state === 'cold'),
      },
    ],
    megabytes,
    ...(state === 'cold' ? { endsProgram: true } : {}),
    needs: ({ pauses, savesMemory, startsCold }) =>
      pauses && (state === 'evicted' ? savesMemory : state !== 'cold' || startsCold),
    measure: async (subject) => {
      await subject.change(10)
      await subject.driver.pause(subject.id)
      return [await timedResume(subject, { state, since: performance.now() })]
    },
  }
}

function pauseAndResume(size: Size, percent: number): Task {
  const { megabytes, title } = size
  const isOptional = optional(size, percent !== 10)
  const about = `${title}, ${percent} % of it written since the last save`
  return {
    rows: [
      {
        id: `pause-${megabytes}-${percent}`,
        title: `Pause until memory is saved: ${about}`,
        unit: 'ms',
        ...isOptional,
      },
      {
        id: `resume-image-${megabytes}-${percent}`,
        title: `Resumed ${stateTitles.image}: ${about}, until a command has ended`,
        unit: 'ms',
        ...isOptional,
      },
    ],
    megabytes,
    needs: ({ savesMemory }) => savesMemory,
    measure: async (subject) => {
      await subject.change(percent)
      const value = await timed(() => subject.driver.pause(subject.id))
      return [{ value }, await timedResume(subject, { state: 'image', since: performance.now() })]
    },
  }
}

function fork(size: Size, number: number): Task {
  const { megabytes, title } = size
  const which = number === 1 ? 'First fork' : `Fork number ${number}`
  return {
    rows: [
      {
        id: `fork-${megabytes}-${number}`,
        title: `${which} of a running sandbox, ${title}, until a command in it has ended`,
        unit: 'ms',
        ...optional(size, number !== 1),
      },
    ],
    megabytes,
    ...(number === 1 ? {} : { keepsForks: true }),
    needs: ({ forks }) => forks,
    measure: async (subject) => {
      const { driver, id, forks } = subject
      while (forks.length < number - 1) forks.push(await driver.fork(id))
      await subject.change(10)
      const proof = subject.newProof()
      let made: string | undefined
      try {
        let output = ''
        const value = await timed(async () => {
          made = await driver.fork(id)
          output = await subject.run(proof.line, made)
        })
        proof.check(output, { hasMemory: true })
        return [{ value, stallMs: await subject.stallMs() }]
      } finally {
        if (made !== undefined) await driver.delete(made)
      }
    },
  }
}

/** `since`: when the pause returned. What passes until the request isn’t the technology’s. */
async function timedResume(subject: Subject, { state, since }: { state: State; since: number }): Promise<Sample> {
  const { driver, id } = subject
  const hasMemory = state !== 'cold'
  if (state !== 'frozen') await driver.dropMemory(id, { keepsImage: hasMemory })
  if (state === 'evicted') await evictPageCache()
  const proof = subject.newProof()
  const ownMs = performance.now() - since
  let output = ''
  const value = await timed(async () => {
    if (!driver.capabilities.wakesOnCommand) await driver.resume(id)
    output = await subject.run(hasMemory ? proof.line : proof.lineOfFile)
  })
  proof.check(output, { hasMemory })
  return hasMemory ? { value, stallMs: Math.max(0, (await subject.stallMs()) - ownMs) } : { value }
}

async function timedProof(subject: Subject): Promise<number> {
  const proof = subject.newProof()
  let output = ''
  const value = await timed(async () => {
    output = await subject.run(proof.line)
  })
  proof.check(output, { hasMemory: true })
  return value
}

/** Of the whole machine: there is no other way to read a file from the disk again. What isn’t written yet stays. */
async function evictPageCache(): Promise<void> {
  await writeFile('/proc/sys/vm/drop_caches', '1')
}

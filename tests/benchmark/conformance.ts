import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { pLimit } from '@threadbox/concurrency'
import { type Capabilities, type Driver, UnsupportedError } from './driver.ts'
import { isRunning, ownMemoryBytes, processorMs, startOf } from './processes.ts'
import {
  type Answer,
  makeResidentProgram,
  type ResidentProgram,
  readAnswer,
  untilAnswering,
} from './resident-program.ts'
import { within } from './within.ts'

/**
 * What a driver must pass before its samples count: everything a sample relies on, as far as it can be checked from
 * outside of the driver.
 */
export type Outcome = { check: string; problem: string | null }

type Check = {
  name: string
  /** Left out where the technology doesn’t claim it. */
  needs?: (capabilities: Capabilities) => boolean
  /** Throws if the driver doesn’t pass. */
  run(stage: Stage): Promise<void>
}

/** A sandbox with its resident program. */
type Stage = {
  driver: Driver
  id: string
  resident: ResidentProgram
  megabytes: number
  ask(sandboxId?: string): Promise<Answer>
  run(line: string, sandboxId?: string): Promise<string>
}

/** How long a sandbox is left alone: much longer than any stall of a busy machine. */
const leftAloneMs = 300
/** By which two clocks may differ over that time. */
const toleranceMs = 20
const newline = 10

export type ConformanceOptions = {
  /** What the program of each sandbox holds. */
  megabytes: number
  /** A check that takes longer fails. */
  limitMs: number
  /** How many checks run at the same time, each with a sandbox of its own. */
  atOnce: number
}

/** Runs the checks that the driver’s capabilities ask for, until one fails. */
export async function checkConformance(driver: Driver, options: ConformanceOptions): Promise<Outcome[]> {
  const inTurn = pLimit(options.atOnce)
  const due = checks.filter(({ needs }) => needs === undefined || needs(driver.capabilities))
  const outcomes: Outcome[] = []
  const runOne = async (check: Check) => {
    if (outcomes.some(({ problem }) => problem !== null)) return
    outcomes.push({ check: check.name, problem: await problemOf(check, driver, options) })
  }
  await Promise.all(due.map((check) => inTurn(() => runOne(check))))
  return outcomes
}

async function problemOf(check: Check, driver: Driver, options: ConformanceOptions): Promise<string | null> {
  try {
    const stage = await openStage(driver, options)
    try {
      await within(options.limitMs, check.run(stage))
    } finally {
      await driver.delete(stage.id)
    }
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function openStage(driver: Driver, { megabytes }: ConformanceOptions): Promise<Stage> {
  const resident = makeResidentProgram({ megabytes, separates: driver.capabilities.separates })
  const id = await driver.create(resident.program)
  await untilAnswering(driver, { id, resident })
  const run = async (line: string, sandboxId = id) => {
    const { exitCode, output } = await driver.command(sandboxId, line)
    if (exitCode !== 0) throw new Error(`“${line}” ended with ${exitCode}: ${output.slice(0, 200)}`)
    return output.trim()
  }
  return {
    driver,
    id,
    resident,
    megabytes,
    run,
    ask: async (sandboxId = id) => {
      const challenge = randomBytes(8).toString('hex')
      return readAnswer(await run(resident.question(challenge), sandboxId), challenge)
    },
  }
}

const checks: Check[] = [
  {
    name: 'a command runs each time it is given',
    run: async ({ run }) => {
      const line = 'echo again >> runs; wc -l < runs; head -c 8 /dev/urandom | od -An -tx1'
      const [first = '', second = ''] = [await run(line), await run(line)]
      expectEqual({ first: Number.parseInt(first, 10), second: Number.parseInt(second, 10) }, { first: 1, second: 2 })
      if (first.split('\n')[1] === second.split('\n')[1]) throw new Error('two commands got the same random bytes')
    },
  },
  {
    name: 'output and exit code are the command’s',
    run: async ({ driver, id }) => {
      const word = randomBytes(8).toString('hex')
      const { exitCode, output } = await driver.command(id, `echo ${word}; exit 7`)
      expectEqual({ exitCode, output: output.trim() }, { exitCode: 7, output: word })
    },
  },
  {
    name: 'a written file is what commands and reads find',
    run: async ({ driver, id, run }) => {
      for (const content of [randomText(1 << 20), randomText(1000)]) {
        await driver.writeFile(id, { name: 'written', content })
        const sum = createHash('sha256').update(content).digest('hex')
        expectEqual({ digest: (await run('sha256sum < written')).split(' ')[0] }, { digest: sum })
        if ((await driver.readFile(id, 'written')) !== content) throw new Error('a read returned something else')
      }
    },
  },
  {
    name: 'two sandboxes share no file',
    run: async ({ driver, id }) => {
      const other = await driver.create()
      try {
        await driver.writeFile(id, { name: 'mine', content: 'mine' })
        const { exitCode } = await driver.command(other, 'cat mine')
        if (exitCode === 0) throw new Error('a file of one is in the other')
      } finally {
        await driver.delete(other)
      }
    },
  },
  {
    name: 'clocks inside are the machine’s',
    run: async (stage) => {
      await expectClockOf(stage, () => delay(leftAloneMs))
    },
  },
  {
    name: 'the described processes hold the program’s memory',
    run: async ({ driver, id, megabytes }) => {
      const { processIds, memoryBytes } = await driver.describe(id)
      const held = (await Promise.all(processIds.map(ownMemoryBytes))).reduce((sum, bytes) => sum + bytes, 0)
      const least = megabytes * 2 ** 20 * 0.9
      if (held < least) throw new Error(`processes ${processIds.join(', ')} hold ${held} bytes of ${least}`)
      if (memoryBytes < least) throw new Error(`${memoryBytes} bytes are described of ${least}`)
    },
  },
  {
    name: 'a paused sandbox stands still, and uses no processor',
    needs: ({ pauses }) => pauses,
    run: async (stage) => {
      const { driver, id } = stage
      await stage.run(stage.resident.watching)
      const { processIds } = await driver.describe(id)
      await driver.pause(id)
      const before = await sum(processIds, processorMs)
      const pausedAt = performance.now()
      await delay(leftAloneMs)
      const pausedMs = performance.now() - pausedAt
      const usedMs = (await sum(processIds, processorMs)) - before
      await driver.resume(id)
      const { stallMs } = await stage.ask()
      if (stallMs < pausedMs) throw new Error(`it was paused for ${pausedMs} ms and stood still for ${stallMs} ms`)
      if (usedMs > pausedMs / 10) throw new Error(`it used ${usedMs} ms of the processor in ${pausedMs} ms`)
    },
  },
  {
    name: 'a paused sandbox continues: the same program, with its memory',
    needs: ({ pauses }) => pauses,
    run: async (stage) => {
      await expectContinues(stage, async ({ driver, id }) => {
        await driver.pause(id)
        await driver.resume(id)
      })
    },
  },
  {
    name: 'clocks inside are the machine’s after a pause',
    needs: ({ pauses }) => pauses,
    run: async (stage) => {
      await expectClockOf(stage, async () => {
        await stage.driver.pause(stage.id)
        await delay(leftAloneMs)
        await stage.driver.resume(stage.id)
      })
    },
  },
  {
    name: 'without memory, none of it is left in RAM, and the same program continues',
    needs: ({ savesMemory }) => savesMemory,
    run: async (stage) => {
      await expectContinues(stage, async ({ driver, id }) => {
        await dropAndExpectFreed(stage, { keepsImage: true })
        await driver.resume(id)
      })
    },
  },
  {
    name: 'a cold sandbox has its files and no program',
    needs: ({ startsCold }) => startsCold,
    run: async (stage) => {
      const { driver, id, resident } = stage
      await driver.writeFile(id, { name: 'kept', content: 'kept' })
      const { nonce } = await stage.ask()
      if (driver.capabilities.pauses) await driver.pause(id)
      await dropAndExpectFreed(stage, { keepsImage: false })
      await driver.resume(id)
      expectEqual({ file: await stage.run('cat kept') }, { file: 'kept' })
      const exists = `[ -p ${resident.program[3]}/questions ]`
      const { exitCode } = await driver.command(id, exists)
      // A technology may begin the program again; then it is another one.
      if (exitCode === 0 && driver.capabilities.separates !== 'nothing' && (await stage.ask()).nonce === nonce)
        throw new Error('a sandbox without memory kept the program’s')
    },
  },
  {
    name: 'a fork has the program with its memory, and the source continues',
    needs: ({ forks }) => forks,
    run: async (stage) => {
      await withFork(stage, async (fork, before) => {
        const [source, copy] = [await stage.ask(), await stage.ask(fork)]
        expectEqual(identity(source), { nonce: before.nonce, asked: before.asked + 1 })
        // The source was asked once more since: what it counts is its own.
        expectEqual(identity(copy), { nonce: before.nonce, asked: before.asked + 1 })
      })
    },
  },
  {
    name: 'a fork shares no file',
    needs: ({ forks }) => forks,
    run: async (stage) => {
      const { driver, id, run } = stage
      await driver.writeFile(id, { name: 'common', content: 'from before\n' })
      await withFork(stage, async (fork) => {
        expectEqual({ inFork: await run('cat common', fork) }, { inFork: 'from before' })
        await run('echo fork > common; echo fork > only-in-fork', fork)
        expectEqual(
          { inSource: await run('cat common; cat only-in-fork 2> /dev/null || echo none') },
          { inSource: 'from before\nnone' },
        )
        await driver.writeFile(id, { name: 'common', content: 'source\n' })
        await driver.writeFile(id, { name: 'only-in-source', content: 'source' })
        expectEqual(
          { inFork: await run('cat common; cat only-in-source 2> /dev/null || echo none', fork) },
          { inFork: 'fork\nnone' },
        )
      })
    },
  },
  {
    name: 'a verb of a missing capability is rejected as unsupported',
    run: async ({ driver, id }) => {
      const { pauses, savesMemory, startsCold, forks } = driver.capabilities
      if (!pauses) await expectUnsupported(() => driver.pause(id))
      if (!savesMemory) await expectUnsupported(() => driver.dropMemory(id, { keepsImage: true }))
      if (!startsCold) await expectUnsupported(() => driver.dropMemory(id, { keepsImage: false }))
      if (!forks) await expectUnsupported(() => driver.fork(id))
    },
  },
  {
    name: 'nothing of a deleted sandbox runs',
    run: async ({ driver }) => {
      const other = await driver.create(['sleep', '100000'])
      const started = await startsOf((await driver.describe(other)).processIds)
      await driver.delete(other)
      await expectEnded(started)
      const isUsable = await driver.command(other, 'true').then(
        ({ exitCode }) => exitCode === 0,
        () => false,
      )
      if (isUsable) throw new Error('a command ran in it')
    },
  },
]

async function expectContinues(stage: Stage, interrupt: (stage: Stage) => Promise<void>): Promise<void> {
  const before = await stage.ask()
  await stage.driver.writeFile(stage.id, { name: 'kept', content: before.nonce })
  await interrupt(stage)
  expectEqual({ file: await stage.run('cat kept') }, { file: before.nonce })
  expectEqual(identity(await stage.ask()), { nonce: before.nonce, asked: before.asked + 1 })
}

/** Both clocks advance by what the machine’s did, and the time of day is the machine’s. */
async function expectClockOf(stage: Stage, wait: () => Promise<void>): Promise<void> {
  const sentAt = performance.now()
  const first = await stage.ask()
  const answeredAt = performance.now()
  await wait()
  const sentAgainAt = performance.now()
  const earliest = Date.now()
  const second = await stage.ask()
  const [least, most] = [sentAgainAt - answeredAt, performance.now() - sentAt]
  for (const clock of ['monotonicMs', 'realtimeMs'] as const) {
    const passed = second[clock] - first[clock]
    if (passed < least - toleranceMs || passed > most + toleranceMs)
      throw new Error(`${clock}: ${passed} passed inside, and from ${least} to ${most} on the machine`)
  }
  const { realtimeMs } = second
  if (realtimeMs < earliest - toleranceMs || realtimeMs > Date.now() + toleranceMs)
    throw new Error(`the time of day inside is ${realtimeMs}, and the machine’s ${Date.now()}`)
}

async function dropAndExpectFreed({ driver, id }: Stage, options: { keepsImage: boolean }): Promise<void> {
  const started = await startsOf((await driver.describe(id)).processIds)
  if (started.size === 0) throw new Error('a sandbox with memory has no process')
  if (options.keepsImage) await driver.pause(id)
  await driver.dropMemory(id, options)
  await expectEnded(started)
  const { processIds } = await driver.describe(id)
  if (processIds.length > 0) throw new Error(`a sandbox without memory has processes: ${processIds.join(', ')}`)
}

async function withFork(stage: Stage, use: (fork: string, before: Answer) => Promise<void>): Promise<void> {
  const before = await stage.ask()
  const fork = await stage.driver.fork(stage.id)
  try {
    await use(fork, before)
  } finally {
    await stage.driver.delete(fork)
  }
}

async function startsOf(processIds: number[]): Promise<Map<number, string>> {
  return new Map(await Promise.all(processIds.map(async (pid) => [pid, await startOf(pid)] as const)))
}

/** What has ended may still be a zombie of its parent; that holds nothing. */
async function expectEnded(started: ReadonlyMap<number, string>): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const left = []
    for (const [pid, start] of started) if (await isRunning(pid, start)) left.push(pid)
    if (left.length === 0) return
    if (attempt === 50) throw new Error(`processes still run: ${left.join(', ')}`)
    await delay(20)
  }
}

async function expectUnsupported(call: () => Promise<unknown>): Promise<void> {
  const error = await call().then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof UnsupportedError)) throw new Error(`a missing capability answers: ${String(error)}`)
}

function expectEqual(found: Record<string, unknown>, wanted: Record<string, unknown>): void {
  const [foundText, wantedText] = [JSON.stringify(found), JSON.stringify(wanted)]
  if (foundText !== wantedText) throw new Error(`expected ${wantedText}, found ${foundText}`)
}

function identity({ nonce, asked }: Answer) {
  return { nonce, asked }
}

async function sum(processIds: number[], of: (pid: number) => Promise<number>): Promise<number> {
  return (await Promise.all(processIds.map(of))).reduce((total, value) => total + value, 0)
}

/** ASCII text of this many bytes, in lines. */
export function randomText(bytes: number): string {
  const text = Buffer.from(randomBytes(bytes).toString('base64').slice(0, bytes))
  for (let at = 63; at < bytes; at += 64) text[at] = newline
  text[bytes - 1] = newline
  return text.toString('latin1')
}

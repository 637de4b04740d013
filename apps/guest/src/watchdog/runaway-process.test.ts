import { describe, expect, test } from 'vitest'
import { type Candidate, findRunaway, victimsOf } from './runaway-process.ts'

const limit = 100
const nowTicks = 2_000

function candidate(change: Partial<Candidate> & { pid: number }): Candidate {
  return {
    name: 'bash',
    state: 'S',
    parent: 1,
    group: change.pid,
    session: change.pid,
    cpuTicks: 0,
    startTicks: 1_500,
    residentBytes: 0,
    threads: 1,
    mark: undefined,
    ...change,
  }
}

function many(count: number, from: number, change: Partial<Candidate>): Candidate[] {
  return Array.from({ length: count }, (_, index) => candidate({ ...change, pid: from + index }))
}

const before = (heldBySession: [number, number][]) => ({
  ticks: 1_000,
  held: heldBySession.reduce((sum, [, held]) => sum + held, 0),
  heldBySession: new Map(heldBySession),
})
const find = (candidates: Candidate[], heldBySession: [number, number][] = []) =>
  findRunaway(candidates, { before: before(heldBySession), limit, nowTicks })

describe('finding the runaway of a full sandbox', () => {
  test('there is none if no program holds much of it', () => {
    expect(
      find(
        Array.from({ length: 10 }, (_, index) =>
          many(10, index * 10 + 10, { session: index * 10 + 10, mark: `run ${index}` }),
        ).flat(),
      ),
    ).toBeUndefined()
  })

  test('it is a program that has grown, not one that was large before; a build that renews itself has not grown', () => {
    const build = many(60, 100, { session: 100, parent: 100, mark: 'build' })
    const bomb = many(40, 300, { session: 300, mark: 'bomb' })
    expect(find([...build, ...bomb], [[100, 60]])?.marks).toEqual(new Set(['bomb']))
  })

  test('it is the program that holds most, if none has grown', () => {
    const old = { startTicks: 10 }
    const runaway = find(
      [...many(60, 100, { ...old, session: 100 }), ...many(40, 300, { ...old, session: 300 })],
      [
        [100, 60],
        [300, 40],
      ],
    )
    expect(runaway?.sessions).toEqual(new Set([100]))
    expect(runaway?.isForking).toBe(false)
  })

  test('threads count as processes do', () => {
    expect(
      find([candidate({ pid: 5, name: 'python3', threads: 90, mark: 'threads' }), ...many(10, 20, { session: 20 })])
        ?.held,
    ).toBe(90)
  })

  test('a program with many children does not multiply, orphans and children of children do', () => {
    expect(find(many(90, 11, { session: 10, parent: 10 }))?.isForking).toBe(false)
    expect(find(many(90, 11, { session: 10, parent: 1 }))?.isForking).toBe(true)
    const chain = many(90, 11, { session: 10 }).map((entry) => ({ ...entry, parent: entry.pid - 1 }))
    expect(find(chain)?.isForking).toBe(true)
  })

  test('processes that hide their origin are one runaway', () => {
    expect(find(many(90, 11, {}))).toMatchObject({ isUntraceable: true, members: { length: 90 } })
    expect(find(many(90, 11, { mark: 'run' }))?.isUntraceable).toBe(false)
  })
})

describe('choosing what of a runaway program is ended', () => {
  const leader = candidate({ pid: 10, startTicks: 10 })
  const server = candidate({ pid: 11, session: 10, parent: 10, startTicks: 20, name: 'redis' })
  const forker = candidate({ pid: 12, session: 10, parent: 10, startTicks: 30 })
  const fresh = many(90, 20, { session: 10, parent: 12 })
  const runaway = find([leader, server, forker, ...fresh], [[10, 3]])
  const victims = (isCommandShell: boolean) =>
    new Set(runaway && victimsOf(runaway, () => isCommandShell).map(({ pid }) => pid))

  test('new processes and what has forked them are ended, not an earlier server', () => {
    expect(victims(true)).toEqual(new Set([10, 12, ...fresh.map(({ pid }) => pid)]))
  })

  test('the shell of a command is ended, but neither a kernel nor a terminal', () => {
    expect(victims(false)).toEqual(new Set([12, ...fresh.map(({ pid }) => pid)]))
  })
})

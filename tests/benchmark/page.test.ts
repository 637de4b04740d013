import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { benchmarkPage, figuresOf } from './page.ts'
import { type Line, readLines, samplesFile, writeLines } from './raw-samples.ts'

const root = path.join(import.meta.dirname, '../..')
const run: Line = {
  type: 'run',
  command: './threadbox benchmark --rounds 3',
  startedAt: '2026-11-28T12:00:00.000Z',
  commit: 'abc1234',
  seed: 7,
  rounds: 3,
  machine: {
    kernel: '6.18',
    processors: '2 × X',
    memoryGib: 24,
    cgroups: 'v1',
    runsc: '1',
    runscHelpers: [],
    fileSystem: 'btrfs on a disk',
    governor: 'none',
    virtualization: 'virtual machine',
  },
}
const participant = (name: string, problem: string | null = null): Line => ({
  type: 'driver',
  name,
  about: 'about',
  version: '1',
  capabilities: null,
  passed: 3,
  problem,
})
const sample = (driver: string, round: number, value: number): Line => ({
  type: 'sample',
  row: 'command',
  driver,
  round,
  value,
  stallMs: value / 2,
})

test('the page is that of the raw samples', () => {
  const lines = readLines(readFileSync(path.join(root, samplesFile), 'utf8'))
  expect(readFileSync(path.join(root, 'docs/benchmark.md'), 'utf8')).toBe(benchmarkPage(lines))
})

test('the page begins with at least five rows in which we lose', () => {
  const page = readFileSync(path.join(root, 'docs/benchmark.md'), 'utf8')
  const [, losing = ''] = page.split(/^## /m).slice(0, 2)
  expect(losing).toMatch(/^Where we lose/)
  expect(losing.split('\n').filter((line) => /^\| .*`/.test(line)).length).toBeGreaterThanOrEqual(5)
})

test('every sample counts: the slowest is in p95, a failure is in its cell, and a missing one shows', () => {
  const failure: Line = { type: 'failure', row: 'command', driver: 'other', round: 2, problem: 'it broke' }
  const figures = figuresOf([
    run,
    participant('threadbox'),
    participant('other'),
    ...[10, 30, 500].map((value, round) => sample('threadbox', round + 1, value)),
    sample('other', 1, 40),
    failure,
  ])
  expect(figures).toContain('| 30 (500) | 40 (40), n 1, 1 failed |')
  expect(figures).toContain('| `command` | 15 (250) | 20 (20) |')
})

test('a technology that could not be measured is listed with its reason', () => {
  expect(figuresOf([run, participant('absent', 'it is not installed')])).toContain(
    '**no samples:** it is not installed',
  )
})

test('raw samples are read as they were written', () => {
  const lines = [run, participant('threadbox'), sample('threadbox', 1, 2)]
  expect(readLines(writeLines(lines))).toEqual(lines)
})

import type { Machine } from '../performance/machine.ts'
import type { Capabilities } from './driver.ts'

/** A run of the benchmark, as lines of JSON: first {@link Run}, then what happened, in the order in which it did. */
export type Run = {
  type: 'run'
  /** The line that made these samples. */
  command: string
  startedAt: string
  commit: string
  seed: number
  rounds: number
  machine: Machine & Surroundings
}

export type Surroundings = {
  /** Where the disks of sandboxes are. */
  fileSystem: string
  governor: string
  /** What hypervisor and kernel are known to be under. */
  virtualization: string
}

/** A technology that takes part, or the reason why it doesn’t. */
export type Participant = {
  type: 'driver'
  name: string
  about: string
  version: string
  capabilities: Capabilities | null
  /** Checks of the conformance suite that it passed. */
  passed: number
  problem: string | null
}

export type SampleLine = {
  type: 'sample'
  row: string
  driver: string
  round: number
  value: number
  stallMs?: number
}
export type FailureLine = { type: 'failure'; row: string; driver: string; round: number; problem: string }
/** Shares of the time since the start, of all processors. */
export type End = { type: 'end'; endedAt: string; busyShare: number; stealShare: number }

export type Line = Run | Participant | SampleLine | FailureLine | End

export const samplesFile = 'tests/benchmark/samples.jsonl'

export function writeLines(lines: readonly Line[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

export function readLines(text: string): Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
}

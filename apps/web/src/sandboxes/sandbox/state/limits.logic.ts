import type { SandboxView } from '@threadbox/sdk'
import { bytesOfText, textOfBytes } from '../../../page/parts/setting-value.ts'

export type Limits = SandboxView['limits']
export type LimitName = keyof Limits

const MiB = 1024 ** 2

/** The ranges that the server accepts. The server decides; checking here saves a request. */
const ranges: Record<LimitName, { minimum: number; maximum: number }> = {
  memoryBytes: { minimum: 256 * MiB, maximum: 1024 * 1024 * MiB },
  cpus: { minimum: 0.1, maximum: 256 },
  processes: { minimum: 64, maximum: 32_768 },
  diskBytes: { minimum: 512 * MiB, maximum: 16 * 1024 * 1024 * MiB },
}

export const limitNames: readonly LimitName[] = ['memoryBytes', 'cpus', 'processes', 'diskBytes']

/** The text of a limit’s field. */
export function limitText(name: LimitName, value: number): string {
  return isSize(name) ? textOfBytes(value) : String(value)
}

/** Why a limit can’t be set to the typed value. Texts are as the fields show them. */
export type LimitProblem =
  | { kind: 'unreadable'; example: string }
  | { kind: 'range'; minimum: string; maximum: string }
  | { kind: 'in-use'; usedBytes: number }

/** Parses a field. A disk can’t be smaller than the data on it. */
export function readLimit(
  name: LimitName,
  text: string,
  context: { usedDiskBytes: number | null },
): { value: number } | { problem: LimitProblem } {
  const value = isSize(name) ? bytesOfText(text) : Number(text.trim().replace(',', '.'))
  const { minimum, maximum } = ranges[name]
  const isWhole = name === 'cpus' || Number.isInteger(value)
  if (text.trim() === '' || !Number.isFinite(value) || !isWhole) {
    return { problem: { kind: 'unreadable', example: limitText(name, exampleOf[name]) } }
  }
  if (value < minimum || value > maximum) {
    return { problem: { kind: 'range', minimum: limitText(name, minimum), maximum: limitText(name, maximum) } }
  }
  if (name === 'diskBytes' && context.usedDiskBytes !== null && value < context.usedDiskBytes) {
    return { problem: { kind: 'in-use', usedBytes: context.usedDiskBytes } }
  }
  return { value }
}

const exampleOf: Limits = { memoryBytes: 4096 * MiB, cpus: 2, processes: 1024, diskBytes: 10_240 * MiB }

function isSize(name: LimitName): boolean {
  return name === 'memoryBytes' || name === 'diskBytes'
}

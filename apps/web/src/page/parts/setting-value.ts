import type { Setting } from '@threadbox/sdk'
import { wordsOf } from './setting-groups.ts'

export type SettingValue = Setting['value']

/** How a setting is shown and edited. The unit is the last word of its name: `sandboxMemoryBytes`, `MAX_TURN_USD`. */
export type SettingUnit = 'bytes' | 'ms' | 'seconds' | 'minutes' | 'hours' | 'days' | 'usd' | 'none'

const units: readonly string[] = ['bytes', 'ms', 'seconds', 'minutes', 'hours', 'days', 'usd']

export function unitOf(name: string): SettingUnit {
  const last = wordsOf(name).at(-1) ?? ''
  return units.includes(last) ? (last as SettingUnit) : 'none'
}

const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const
const byteFactors: Record<string, number> = Object.fromEntries(
  byteUnits.flatMap((unit, power) => [
    [unit.toLowerCase(), 1024 ** power],
    [unit.replace('i', '').toLowerCase(), 1024 ** power],
    [unit.charAt(0).toLowerCase(), 1024 ** power],
  ]),
)

/** `4294967296` → `4 GiB`. Exact: a size that isn’t a whole number of the larger unit keeps the smaller one. */
export function textOfBytes(bytes: number): string {
  let power = 0
  while (power < byteUnits.length - 1 && bytes >= 1024 ** (power + 1) && isRound(bytes / 1024 ** (power + 1)))
    power += 1
  return `${bytes / 1024 ** power} ${byteUnits[power]}`
}

/** The reverse: `4 GiB`, `4G`, `4096 mb`. NaN for anything else. */
export function bytesOfText(text: string): number {
  const match = /^\s*(\d+(?:[.,]\d+)?)\s*([a-z]*)\s*$/i.exec(text)
  const amount = Number(match?.[1]?.replace(',', '.'))
  const factor = byteFactors[(match?.[2] || 'b').toLowerCase()]
  return match === null || factor === undefined ? Number.NaN : Math.round(amount * factor)
}

function isRound(amount: number): boolean {
  return Number.isInteger(amount * 4)
}

/** The text for the field of a setting. */
export function fieldTextOf(setting: Pick<Setting, 'name' | 'value'>): string {
  if (setting.value === null) return ''
  if (typeof setting.value === 'number' && unitOf(setting.name) === 'bytes') return textOfBytes(setting.value)
  return String(setting.value)
}

/** Settings whose empty text is a value and not their default. */
const canBeEmpty: readonly string[] = ['backupDaily']

/** Parses the field as the type of the default. `undefined` if it is invalid. */
export function valueOfField(
  setting: Pick<Setting, 'name' | 'value' | 'default'>,
  text: string,
): SettingValue | undefined {
  if (text.trim() === '') return canBeEmpty.includes(setting.name) ? '' : null
  const isNumber = typeof (setting.default ?? setting.value) === 'number' || unitOf(setting.name) !== 'none'
  if (!isNumber) return text.trim()
  const value = unitOf(setting.name) === 'bytes' ? bytesOfText(text) : Number(text.trim().replace(',', '.'))
  return Number.isFinite(value) ? value : undefined
}

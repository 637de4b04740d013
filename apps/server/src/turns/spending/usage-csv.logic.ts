import type { UsageRow } from './usage.table.ts'

type Column = readonly [title: string, read: (row: UsageRow, person: string) => string | number | null]

const columns: readonly Column[] = [
  ['time', (row) => new Date(row.at).toISOString()],
  ['person', (_row, person) => person],
  ['person_id', (row) => row.user_id],
  ['workspace_id', (row) => row.workspace_id],
  ['thread_id', (row) => row.thread_id],
  ['turn_id', (row) => row.turn_id],
  ['kind', (row) => row.kind],
  ['model', (row) => row.model_name],
  ['provider', (row) => row.provider],
  ['provider_model', (row) => row.model],
  ['input_tokens', (row) => row.input_tokens],
  ['cached_input_tokens', (row) => row.cached_input_tokens],
  ['cache_write_tokens', (row) => row.cache_write_tokens],
  ['output_tokens', (row) => row.output_tokens],
  ['cost_usd', (row) => usdOf(row.cost_micro_usd)],
  ['price_version', (row) => row.price_version],
  ['estimated', (row) => (row.is_estimated === 1 ? 'yes' : 'no')],
]

export const csvHeader = lineOf(columns.map(([title]) => title))

/** One request as a line of CSV (RFC 4180). */
export function csvLine(row: UsageRow, person: string): string {
  return lineOf(columns.map(([, read]) => read(row, person)))
}

/** An exact decimal; empty without a price. */
function usdOf(micro: number | null): string {
  return micro === null ? '' : `${Math.trunc(micro / 1_000_000)}.${String(micro % 1_000_000).padStart(6, '0')}`
}

function lineOf(values: readonly (string | number | null)[]): string {
  return `${values.map((value) => cellOf(String(value ?? ''))).join(',')}\r\n`
}

/** A spreadsheet runs a cell that starts like a formula, so such text gets an apostrophe, as spreadsheets write it. */
function cellOf(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

import type { FigureRow } from './figure.ts'

/** Figures that belong together, as a table: a row is what was done, each value is followed by its floor. */
export function tableOf(title: string, rows: readonly FigureRow[]): string {
  const cells = rows.flatMap((row) => (row.cell?.table === title ? [{ ...row.cell, text: textOf(row) }] : []))
  const columns = [...new Set(cells.map(({ column }) => column))]
  const names = [...new Set(cells.map(({ row }) => row))]
  const lines = names.map((name) => [
    name,
    ...columns.map((column) => cells.find((cell) => cell.row === name && cell.column === column)?.text ?? ''),
  ])
  const all = [[title, ...columns], ...lines]
  const widths = all[0]?.map((_, index) => Math.max(...all.map((line) => line[index]?.length ?? 0))) ?? []
  return all
    .map((line) => line.map((text, index) => pad(text, { width: widths[index] ?? 0, index })).join('  '))
    .join('\n')
}

function textOf({ value, floor, unit }: FigureRow): string {
  const own = Number.isNaN(value) ? '–' : shown(value, unit)
  return floor === null ? own : `${own} (${shown(floor, unit)})`
}

/** Counts, milliseconds and KiB of a whole operation say nothing behind the point. */
function shown(value: number, unit: string): string {
  return unit === 'times' ? String(Math.round(value * 10) / 10) : String(Math.round(value))
}

function pad(text: string, { width, index }: { width: number; index: number }): string {
  return index === 0 ? text.padEnd(width) : text.padStart(width)
}

import { expect, test } from 'vitest'
import { type Figure, rowOf } from './figure.ts'
import { tableOf } from './figure-table.ts'

const figure = (
  row: string,
  { column, samples, floor = [] }: { column: string; samples: number[]; floor?: number[] },
): Figure => ({
  id: `${row}-${column}`,
  title: column,
  unit: 'ms',
  samples,
  floorSamples: floor,
  floorTitle: null,
  target: null,
  cell: { table: 'cost', row, column },
})

test('figures that belong together are a table, each with its floor in parentheses', () => {
  const rows = [
    figure('pause', { column: 'processor ms', samples: [700.4], floor: [350] }),
    figure('pause', { column: 'host ms', samples: [20] }),
    figure('new thread', { column: 'processor ms', samples: [5000], floor: [300] }),
    { ...figure('other', { column: 'processor ms', samples: [1] }), cell: { table: 'other', row: 'x', column: 'y' } },
  ].map(rowOf)
  expect(tableOf('cost', rows)).toBe(
    [
      'cost        processor ms  host ms',
      'pause          700 (350)       20',
      'new thread    5000 (300)         ',
    ].join('\n'),
  )
})

test('what this machine can’t tell is a dash', () => {
  expect(tableOf('cost', [rowOf(figure('pause', { column: 'disk', samples: [] }))])).toContain('–')
})

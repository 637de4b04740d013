import { expect, test } from 'vitest'
import { parseSource } from './source.ts'
import { areasDiagram, importsTable, packagesTable } from './tables.ts'

const areas = [
  { name: 'low', about: 'what all need', features: [], isOpen: true as const },
  { name: 'high', about: 'what people see', features: ['left', 'right'] },
]
const apps = { server: { composition: ['application.ts'], areas } }

test('the table of imports says for each area what others may import of it', () => {
  const rows = importsTable(apps).split('\n').slice(2)
  expect(rows).toEqual([
    '| server | `low`: what all need |  | any file | nothing from the app |',
    '| server | `high`: what people see | `left` `right` | `high/public.ts` | low |',
  ])
})

test('the table of packages says what each may import', () => {
  const all = { 'packages/a': { about: 'one', mayImport: [] }, 'packages/b': { about: 'two', mayImport: ['a'] } }
  expect(packagesTable(all)).toContain('| `packages/a` | one | nothing |\n| `packages/b` | two | a |')
})

test('the diagram shows the imports between areas that the code has, without those of tests', () => {
  const sources = [
    parseSource('apps/server/src/high/left/one.ts', "import type { Low } from '../../low/low-one.ts'"),
    parseSource('apps/server/src/low/low-one.test.ts', "import { one } from '../high/left/one.ts'"),
    parseSource('apps/server/src/low/low-one.ts', 'export type Low = 1'),
  ]
  expect(areasDiagram(sources, apps).match(/.*-->.*/g)).toEqual(['    server.high[high] --> server.low[low]'])
})

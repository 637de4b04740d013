import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readBackupStatus } from './backups/backup-status.ts'
import { makeMetrics } from './metrics.ts'

const read = (path: string) => readFileSync(new URL(`../../../../deploy/${path}`, import.meta.url), 'utf8')

type Rule = { alert: string; expr: string; annotations: { summary: string; description: string } }
const rules = (parse(read('prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
)
type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] }
const panels = (JSON.parse(read('grafana/dashboard.json')) as Dashboard).panels
const expressions = [
  ...rules.map(({ alert, expr }) => ({ name: alert, expr })),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ name: title, expr }))),
]

const metricsIn = (expr: string) => expr.match(/\bthreadbox_\w+/g) ?? []

/** Every name under which a sample can be, whether or not there is one. */
async function knownNames(): Promise<Set<string>> {
  const metrics = makeMetrics({
    version: 'test',
    sandboxes: async () => new Map(),
    runs: async () => new Map(),
    operations: async () => [],
    wakeQueue: () => 0,
    host: async () => undefined,
    backup: () => readBackupStatus('/missing'),
  })
  const types = [...(await metrics.text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  return new Set(
    types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    ),
  )
}

test.each(expressions)('O11: each metric in $name exists', async ({ expr }) => {
  const known = await knownNames()
  const names = metricsIn(expr)
  expect(names.length).toBeGreaterThan(0)
  expect(names.filter((name) => !known.has(name))).toEqual([])
})

test('O11: there is a rule for each trouble that needs someone, with what to do', () => {
  expect(rules.map(({ alert }) => alert)).toEqual([
    'ThreadboxDown',
    'ThreadboxHostDown',
    'ThreadboxPoolNearlyFull',
    'ThreadboxWakeQueue',
    'ThreadboxErrorRate',
    'ThreadboxServerLate',
    'ThreadboxBackupOld',
    'ThreadboxBackupRecordDamaged',
    'ThreadboxWorkStuck',
  ])
  for (const { annotations } of rules) {
    expect(annotations.summary).not.toBe('')
    expect(annotations.description).not.toBe('')
  }
})

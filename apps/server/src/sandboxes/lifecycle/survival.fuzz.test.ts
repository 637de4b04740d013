import { type Manifest, manifestSchema } from '@threadbox/protocol/guest'
import { survivalItemSchema } from '@threadbox/protocol/public'
import { emptyFileChanges, emptyManifest } from '@threadbox/testkit/host-stand-in'
import { checkProperty, foreignJson, foreignText } from '@threadbox/testkit/properties'
import { type Arbitrary, array, constantFrom, dictionary, nat, oneof, property, record, uniqueArray } from 'fast-check'
import { expect, test } from 'vitest'
import { compareSurvival, type Evidence, summarize } from './survival-report.logic.ts'

const name = oneof(constantFrom('a', 'b', '__proto__', 'constructor', 'toString'), foreignText(20))
const pid = nat({ max: 4 })
/**
 * The schema drops the key `__proto__`. After an object with the key `\`, V8’s `JSON.parse` reads the key `"` of the next one as
 * `\` (Node 24.21): no key has it here.
 */
const key = name.filter((text) => text !== '__proto__' && !text.includes('\\'))
const hashes = dictionary(key, constantFrom('1', '2'), { maxKeys: 4 })
const list = <Item>(item: Arbitrary<Item>) => array(item, { maxLength: 4 })

const manifests: Arbitrary<Manifest> = record({
  ...Object.fromEntries(Object.entries(emptyManifest()).map(([key, value]) => [key, constantFrom(value)])),
  processes: uniqueArray(
    record({
      pid,
      parentPid: pid,
      startedAt: nat(),
      memoryBytes: nat(),
      startTicks: constantFrom('1', '2'),
      name,
      executable: name,
      commandLine: list(name),
      cwd: name,
      user: constantFrom('user', 'root'),
      service: name,
      role: constantFrom('user', 'kernel', 'shell', 'terminal', 'service'),
    }),
    { maxLength: 4, selector: (process) => process.pid },
  ),
  ports: list(
    record({
      protocol: constantFrom('tcp', 'udp'),
      address: name,
      port: nat({ max: 3 }),
      pid: oneof(pid, constantFrom(null)),
    }),
  ),
  connections: list(
    record({
      kind: constantFrom('tcp', 'unix'),
      scope: constantFrom('inside', 'outside'),
      local: name,
      remote: name,
      state: constantFrom('established', 'half-closed'),
      pid: oneof(pid, constantFrom(null)),
    }),
  ),
  shell: record({ cwd: name, environment: hashes, functions: list(name), parts: hashes }),
  packages: record({ python: hashes, apt: hashes, npm: hashes }),
  deletedOpenFiles: list(record({ pid, path: name, bytes: nat() })),
  memoryFiles: list(record({ path: name, bytes: nat({ max: 3 }), changedAt: nat({ max: 3 }) })),
}) as Arbitrary<Manifest>

test('whatever two manifests say, the report has valid items of limited length', () =>
  checkProperty(
    'survival-items',
    property(manifests, manifests, constantFrom('frozen', 'memory', 'disk', 'new'), (before, after, from) => {
      const items = compareSurvival(evidence({ before, after, from }))
      for (const one of items) {
        survivalItemSchema.parse(one)
        for (const text of [one.name, one.reason, one.detail]) expect(text.length).toBeLessThanOrEqual(2000)
      }
      expect(summarize(items).items.length).toBeLessThanOrEqual(items.length)
    }),
  ))

test('what is the same before and after a pause is never reported as lost', () =>
  checkProperty(
    'survival-same-manifest',
    property(manifests, (manifest) => {
      const items = compareSurvival(evidence({ before: manifest, after: manifest, from: 'memory' }))
      expect(items.filter(({ outcome }) => outcome === 'lost')).toEqual([])
    }),
  ))

test('a manifest of any form is refused or read without losing what it has', () =>
  checkProperty(
    'survival-manifests',
    property(manifests, foreignJson(Object.keys(emptyManifest())), (manifest, other) => {
      expect(manifestSchema.parse(JSON.parse(JSON.stringify(manifest)))).toEqual(manifest)
      manifestSchema.safeParse(other)
    }),
  ))

function evidence({
  before,
  after,
  from,
}: Pick<Evidence, 'before' | 'after'> & { from: Evidence['facts']['from'] }): Evidence {
  return {
    facts: { from, cause: null },
    before,
    after,
    afterProblem: null,
    files: emptyFileChanges,
    rescued: null,
    replayed: null,
    services: [],
  }
}

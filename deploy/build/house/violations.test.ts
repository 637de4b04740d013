import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkDocsPaths } from './rules/docs-paths.ts'
import { checkPortsOverLimit } from './rules/ports.ts'
import { checkPublicFiles } from './rules/public-files.ts'
import { parseSource } from './source.ts'
import { violationsIn } from './violations.ts'

const server = 'apps/server/src'

/** Rule and message of each violation in these files. */
function found(files: Record<string, string>) {
  const sources = Object.entries(files).map(([path, text]) => parseSource(path, text))
  return violationsIn(sources).map(({ rule, message }) => `${rule}: ${message}`)
}

test.each([
  "import { begin } from '../../workflows/rewinds/rewinds.usecases.ts'",
  "import type { Rewinds } from '../../workflows/rewinds/rewinds.usecases.ts'",
  "export { begin } from '../../workflows/rewinds/rewinds.usecases.ts'",
  "const rewinds = await import('../../workflows/rewinds/rewinds.usecases.ts')",
  "type Rewinds = import('../../workflows/rewinds/rewinds.usecases.ts').Rewinds",
])('an import of a higher area is refused: %s', (line) => {
  expect(found({ [`${server}/turns/engine/turns.usecases.ts`]: `\n${line}` })).toEqual([
    'area-order: turns/engine/turns.usecases.ts:2 imports workflows/rewinds: workflows is above turns. ' +
      'Emit an event, add a registration, or move what you need down (docs/architecture.md).',
  ])
})

test('an area does not import the files that build the app', () => {
  expect(found({ [`${server}/turns/engine/turns.ts`]: "import { x } from '../../application.ts'" })).toEqual([
    expect.stringContaining('imports application.ts: application.ts is above turns.'),
  ])
})

test('a feature does not import one to its right', () => {
  expect(
    found({ [`${server}/sandboxes/files/files.usecases.ts`]: "import { Previews } from '../previews/previews.ts'" }),
  ).toEqual(['feature-order: sandboxes/files/files.usecases.ts:1 imports sandboxes/previews, which is right of files.'])
  expect(
    found({ [`${server}/sandboxes/previews/previews.ts`]: "import { Files } from '../files/files.usecases.ts'" }),
  ).toEqual([])
})

test('a feature does not import the constructor of its own area', () => {
  expect(found({ [`${server}/sandboxes/files/files.ts`]: "import { x } from '../sandboxes.ts'" })).toEqual([
    'feature-order: sandboxes/files/files.ts:1 imports sandboxes, which is right of files.',
  ])
})

test('the events of an area are left of its features', () => {
  const events = `${server}/people/people.events.ts`
  expect(found({ [`${server}/people/audit/audit.ts`]: "import { PeopleEvents } from '../people.events.ts'" })).toEqual(
    [],
  )
  expect(found({ [events]: "import { Audit } from './audit/audit.ts'" })).toEqual([
    expect.stringContaining('feature-order: people/people.events.ts:1 imports people/audit'),
  ])
})

test('another area is imported through its public interface', () => {
  const path = `${server}/turns/engine/call.ts`
  expect(found({ [path]: "import { Files } from '../../sandboxes/files/files.usecases.ts'" })).toEqual([
    'public: turns/engine/call.ts:1 bypasses the public interface of sandboxes (sandboxes/files/files.usecases.ts): ' +
      'import sandboxes/public.ts, or ask to add the name.',
  ])
  expect(found({ [path]: "import { Files } from '../../sandboxes/public.ts'" })).toEqual([])
  expect(found({ [path]: "import { wait } from '../../platform/system/wait.ts'" })).toEqual([])
})

test('a file that is not in the list of an area is not public', () => {
  const path = 'apps/web/src/app/sidebar/sidebar.tsx'
  expect(found({ [path]: "import { x } from '../../people/auth/components/password-lines.tsx'" })).toEqual([
    expect.stringContaining('import one of its public files, or ask to add the name.'),
  ])
})

test('a public file that does not exist is refused; a listed folder needs a file in it', () => {
  const publicFiles = ['auth/state/rules.ts', 'auth/state/gone.ts', 'models', 'skills']
  const web = { composition: [], areas: [{ name: 'people', about: '', features: [], publicFiles }] }
  const paths = ['auth/state/rules.ts', 'models/api/models.queries.ts', 'skills.ts']
  const existing = paths.map((path) => `apps/web/src/people/${path}`)
  expect(checkPublicFiles({ web }, existing).map(({ message }) => message)).toEqual([
    'deploy/build/house.ts lists apps/web/src/people/auth/state/gone.ts, which does not exist.',
    'deploy/build/house.ts lists apps/web/src/people/skills, which does not exist.',
  ])
})

test('a folder that the list does not place is rejected, once, whatever it contains', () => {
  const files = (folder: string) => ({ [`${folder}/a.ts`]: '', [`${folder}/b.test.ts`]: '' })
  expect(found(files('apps/host/src/shared'))).toEqual([
    'folder: apps/host/src/shared has no place: add it to the areas of host in deploy/build/house.ts.',
  ])
  expect(found(files(`${server}/turns/helpers`))).toEqual([
    'folder: apps/server/src/turns/helpers has no place: add it to the features of turns in deploy/build/house.ts.',
  ])
})

test.each([
  `${server}/main.ts`,
  `${server}/turns/public.ts`,
  `${server}/turns/engine/a.ts`,
  'apps/web/src/people/models/components/a.tsx',
  'apps/web/src/i18n/de/a.ts',
  'apps/host/src/uninstall/main.ts',
  'apps/cli/src/commands/a.ts',
])('%s has a place', (path) => {
  expect(found({ [path]: '' })).toEqual([])
})

test('a store of another area is rejected', () => {
  expect(
    found({ [`${server}/turns/engine/call.ts`]: "import { makeStore } from '../../threads/log/thread-log.store.ts'" }),
  ).toEqual([
    'store: turns/engine/call.ts:1 imports the store of threads/log: ask threads/public.ts for what you need.',
  ])
})

test('only the root builds an area, and an area can name the type of a lower one', () => {
  const line = "import { makeThreads } from '../threads/threads.ts'"
  expect(found({ [`${server}/sandboxes/sandboxes.ts`]: line })).toEqual([
    'constructor: sandboxes/sandboxes.ts:1 imports threads/threads.ts: only the root of the app builds areas.',
  ])
  expect(found({ [`${server}/sandboxes/sandboxes.ts`]: "import type { T } from '../threads/threads.ts'" })).toEqual([])
  expect(found({ [`${server}/application.ts`]: "import { makeThreads } from './threads/threads.ts'" })).toEqual([])
})

test('a public interface is short, names what it shows, and shows no routes and no stores', () => {
  const names = Array.from({ length: 61 }, (_, index) => `export const name${index} = ${index}`).join('\n')
  expect(found({ [`${server}/threads/public.ts`]: names })).toEqual([
    'public-file: apps/server/src/threads/public.ts has 61 lines; 60 are allowed.',
  ])
  const shown = "export * from './log/thread-log.ts'\nexport { makeStore } from './log/thread-log.store.ts'"
  expect(found({ [`${server}/threads/public.ts`]: shown })).toEqual([
    expect.stringContaining('exports everything of a file'),
    expect.stringContaining('shows ./log/thread-log.store.ts: routes and stores stay inside'),
  ])
})

test('a package imports only what the list allows', () => {
  expect(found({ 'packages/domain/src/ids.ts': "import type { Logger } from '@threadbox/telemetry'" })).toEqual([
    'package: packages/domain/src/ids.ts:1 imports telemetry: packages/domain may import errors (docs/architecture.md).',
  ])
  expect(found({ 'apps/guest/src/main.ts': "import { x } from '@threadbox/protocol/host'" })).toHaveLength(1)
  expect(found({ 'apps/guest/src/main.ts': "import { x } from '@threadbox/protocol/guest'" })).toEqual([])
  expect(found({ 'apps/cli/src/main.ts': "import { x } from '../../server/src/application.ts'" })).toHaveLength(1)
})

test('a test imports what its package may import, and the packages that tests share', () => {
  const files = (line: string) => ({ 'apps/web/src/ui/a.test.tsx': line, 'apps/web/src/ui/b.test-utils.ts': line })
  expect(found(files("import { x } from '@threadbox/testkit/host-stand-in'"))).toEqual([])
  expect(found(files("import { x } from '@threadbox/config'"))).toEqual([
    'package: apps/web/src/ui/a.test.tsx:1 imports config: apps/web may import sdk, concurrency, testkit, sandbox-gateway (docs/architecture.md).',
    expect.stringContaining('package: apps/web/src/ui/b.test-utils.ts:1 imports config'),
  ])
  expect(found(files("import { x } from '../../../server/src/application.ts'"))).toHaveLength(2)
})

test('a package that is not in the list is rejected', () => {
  expect(found({ 'packages/new/src/index.ts': 'export {}' })).toEqual([
    'package: packages/new is not in deploy/build/house.ts: say there what it is and what it may import.',
  ])
})

test('ports have at most 12 members, those of nested types included', () => {
  const members = (count: number) => Array.from({ length: count }, (_, index) => `m${index}: number`).join('; ')
  const ports = `type TurnPorts = { ${members(6)}; nested: { ${members(5)} } }`
  expect(found({ [`${server}/turns/engine/a.ts`]: ports })).toEqual([])
  expect(found({ [`${server}/turns/engine/a.ts`]: `${ports} & { one: number }` })).toEqual([
    'ports: apps/server/src/turns/engine/a.ts:1 TurnPorts has 13 members; 12 are allowed.',
  ])
  expect(found({ [`${server}/turns/engine/a.ts`]: `interface TurnDependencies { ${members(13)} }` })).toHaveLength(1)
})

test('ports have the members of the types that they are made of, also of those in other files', () => {
  const members = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${name}${index}: number`).join('; ')
  const [a, b, c] = ['a', 'b', 'c'].map((name) => `${server}/turns/engine/${name}.ts`) as [string, string, string]
  const lower = {
    [b]: `export type Needed = { ${members('n', 7)} }\nexport { type Other as Renamed } from './c.ts'`,
    [c]: `export interface Other extends Base { ${members('o', 3)} }\ntype Base = { ${members('p', 3)} }`,
  }
  const counted = (ports: string) =>
    found({ ...lower, [a]: `import type { Needed, Renamed } from './b.ts'\n${ports}` }).map(
      (message) => / has (\d+) members/.exec(message)?.[1],
    )
  expect(counted('type TurnPorts = Needed & Renamed')).toEqual(['13'])
  expect(counted('interface TurnPorts extends Needed, Renamed { own: 1 }')).toEqual(['14'])
  expect(counted("type TurnPorts = Omit<Needed & Renamed, 'n0'>")).toEqual([])
  expect(counted("type TurnPorts = Pick<Renamed, 'o0' | 'o1'> & Readonly<Needed>")).toEqual([])
  // A member in both counts once; one with a named type is one port.
  expect(counted('type TurnPorts = Needed & Needed & { needed: Needed; renamed: Renamed & Needed }')).toEqual([])
  expect(counted('type TurnPorts = TurnPorts & Needed & Renamed')).toEqual(['13'])
})

test('an unneeded exception from the limit of ports is rejected', () => {
  const members = Array.from({ length: 13 }, (_, index) => `m${index}: number`).join('; ')
  const files = [parseSource('apps/host/src/orders/a.ts', `type BigPorts = { ${members} }\ntype SmallPorts = {}`)]
  const listed = ['BigPorts', 'SmallPorts', 'GonePorts'].map((name) => `apps/host/src/orders/a.ts#${name}`)
  expect(checkPortsOverLimit(files, listed).map(({ message }) => message)).toEqual([
    expect.stringContaining('lists apps/host/src/orders/a.ts#SmallPorts, which does not exceed 12 members'),
    expect.stringContaining('lists apps/host/src/orders/a.ts#GonePorts'),
  ])
})

test('files that import each other are a cycle, also by types only', () => {
  const [one, two, three] = ['a', 'b', 'c'].map((name) => `${server}/turns/engine/${name}.ts`) as [
    string,
    string,
    string,
  ]
  const files = {
    [one]: "import type { B } from './b.ts'",
    [two]: "import type { C } from './c.ts'",
    [three]: "export type { A } from './a.ts'",
  }
  expect(found(files)).toEqual([
    expect.stringContaining(`cycle: ${one} lies in a cycle of imports: ${two}, ${three}.`),
    expect.stringContaining(`cycle: ${two}`),
    expect.stringContaining(`cycle: ${three}`),
  ])
  expect(found({ ...files, [three]: 'export type A = 1' })).toEqual([])
})

test('tests import what they need inside their app', () => {
  const line = "import { begin } from '../../workflows/rewinds/rewinds.usecases.ts'"
  expect(found({ [`${server}/turns/engine/turns.test.ts`]: line })).toEqual([])
  expect(found({ [`${server}/turns/engine/turns.test-utils.ts`]: line })).toEqual([])
})

test('a path in a page that does not exist is refused', () => {
  const root = mkdtempSync(join(tmpdir(), 'threadbox-house-'))
  writeFileSync(join(root, 'here.md'), '')
  const text =
    'See [here](here.md#part), [there](docs/there.md),\n`apps/server/src/gone.ts` and [far](https://a.example/b).'
  expect(checkDocsPaths(root, [{ path: 'README.md', text }]).map(({ message }) => message)).toEqual([
    'README.md:1 names docs/there.md, which does not exist.',
    'README.md:2 names apps/server/src/gone.ts, which does not exist.',
  ])
})

describe('names that a part of the source does not know', () => {
  test.each([
    [
      `${server}/sandboxes/state/wake-boot.ts`,
      "const kind = 'a disk of gVisor'",
      'the server does not know that gVisor',
    ],
    [`${server}/sandboxes/files/files.ts`, 'export function askBtrfs() {}', 'the server does not know that gVisor'],
    [
      'apps/host/src/orders/info/info.ts',
      'type Owner = { threadId: string }',
      'the host does not know people, threads',
    ],
    ['packages/protocol/src/host/sandboxes.ts', 'const z = { PERSON_ID: 1 }', 'the host does not know people, threads'],
    ['apps/guest/src/runs/run.ts', 'let sandboxId = 1', 'the guest knows none of these words'],
    [
      'apps/web/src/app/panes/x.ts',
      'const program = `runsc`',
      'only packages/gvisor-driver builds a runsc command line',
    ],
    ['packages/domain/src/limits.ts', 'export const now = Date.now()', 'packages/domain has no clock, no randomness'],
    ['packages/domain/src/ids.ts', 'const id = Math.random()', 'packages/domain has no clock, no randomness'],
    ['packages/domain/src/ids.ts', "import { open } from 'node:fs'", 'packages/domain has no clock, no randomness'],
  ])('%s: %s', (path, text, invariant) => {
    expect(found({ [path]: text })).toEqual([expect.stringMatching(`^names: ${path}:1 .*${invariant}`)])
  })

  test('can appear in comments, in texts for people, in longer names, and in tests', () => {
    const words = '// Of gVisor, btrfs and the thread.\nconst remedy = "Delete threads."\nconst isThreadboxError = 1\n'
    expect(found({ 'apps/host/src/orders/info/info.ts': words })).toEqual([])
    expect(found({ [`${server}/sandboxes/files/files.ts`]: '// gVisor\nconst startRunSchema = 1' })).toEqual([])
    expect(found({ [`${server}/sandboxes/files/files.test.ts`]: "const driver = 'runsc'" })).toEqual([])
  })
})

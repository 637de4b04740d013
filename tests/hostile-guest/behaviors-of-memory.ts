import { close, head, jsonBody, say, whole } from './answers.ts'
import { type Behavior, rule } from './behavior.ts'
import type { Step } from './script.ts'

const text = (length: number, of = 'x') => of.repeat(length)
const kibibytes64 = text(65_536)
const manifest = 'GET /manifest'

const empty = {
  version: 1,
  takenAt: 0,
  processes: [],
  ports: [],
  connections: [],
  kernels: [],
  shell: { cwd: '', environment: {}, functions: [], parts: {} },
  packages: { python: {}, apt: {}, npm: {} },
  deletedOpenFiles: [],
  memoryBytes: 0,
  unread: [],
}
const process = (pid: number, more: object = {}) => ({
  pid,
  startTicks: '1',
  startedAt: 0,
  parentPid: 1,
  name: 'x',
  commandLine: ['x'],
  cwd: '/',
  user: 'user',
  memoryBytes: 1,
  role: 'user',
  ...more,
})
const manifestWith = (parts: object) => jsonBody({ ...empty, ...parts })
/** A manifest whose list of processes is written while it is sent. */
const processesWithoutEnd = (times: number | 'endless', one: string): Step[] => [
  head('application/json'),
  say(`${JSON.stringify(empty).slice(0, -1)},"processes":[`),
  say(`${one},`, { times }),
  say(`${one}]}`),
  close,
]

/** What a guest reports about itself, and what it does when its memory is saved or discarded. */
export const behaviorsOfMemory: readonly Behavior[] = [
  { name: 'manifest: never responds', use: 'panel', gets: ['ok'], rules: [rule(manifest, [])] },
  {
    name: 'manifest: a body without end',
    use: 'panel',
    gets: ['ok'],
    rules: [rule(manifest, [head('application/json'), say(kibibytes64, { times: 'endless' })])],
  },
  { name: 'manifest: 1,000,000 levels', use: 'panel', gets: ['ok'], rules: [rule(manifest, whole('['.repeat(1e6)))] },
  {
    name: 'manifest: 1,000,000 levels that end',
    use: 'panel',
    gets: ['ok'],
    rules: [rule(manifest, whole(`${'['.repeat(1e6)}${']'.repeat(1e6)}`))],
  },
  {
    name: 'manifest: 1,000,000 processes',
    use: 'panel',
    gets: ['ok'],
    rules: [rule(manifest, processesWithoutEnd(1e6, JSON.stringify(process(1))))],
  },
  {
    name: 'manifest: 1,000,000 things that are no processes',
    use: 'panel',
    gets: ['ok'],
    rules: [rule(manifest, processesWithoutEnd(1e6, '{}'))],
  },
  {
    name: 'manifest: 1,000,000 things, after a turn',
    use: 'run',
    gets: ['succeeded'],
    rules: [rule(manifest, processesWithoutEnd(1e6, '{}'))],
  },
  {
    name: 'manifest: 20,000 processes of −1 and 2⁶³',
    use: 'panel',
    gets: ['ok'],
    rules: [
      rule(
        manifest,
        manifestWith({
          memoryBytes: -1,
          processes: Array.from({ length: 20_000 }, () => process(-1, { memoryBytes: 2 ** 63 })),
        }),
      ),
    ],
  },
  {
    name: 'manifest: numbers that are none',
    use: 'panel',
    gets: ['ok'],
    rules: [rule(manifest, whole(JSON.stringify(empty).replace('"memoryBytes":0', '"memoryBytes":NaN')))],
  },
  {
    name: 'manifest: names with .., NUL and bidi, of 1 MiB',
    use: 'panel',
    gets: ['ok'],
    rules: [
      rule(
        manifest,
        manifestWith({
          processes: [process(5, { commandLine: ['\u202e../\0', text(1024 * 1024)], name: text(1024 * 1024) })],
        }),
      ),
    ],
  },
  {
    name: 'manifest: its own prototype',
    use: 'panel',
    gets: ['ok'],
    rules: [
      rule(
        manifest,
        whole(JSON.stringify(empty).replace('{"version"', '{"__proto__":{"a":1},"constructor":{},"version"')),
      ),
    ],
  },
  {
    name: 'manifest: ports of 2³¹',
    use: 'panel',
    gets: ['ok'],
    rules: [
      rule(
        manifest,
        manifestWith({
          ports: Array.from({ length: 20_000 }, (_, n) => ({
            protocol: 'tcp',
            address: '::',
            port: 2 ** 31 - n,
            pid: null,
          })),
        }),
      ),
    ],
  },
  {
    name: 'activity: says “busy” without end',
    use: 'pauseAndWake',
    gets: ['ok'],
    rules: [
      rule(
        'GET /activity',
        jsonBody({
          runningKeys: ['x'],
          terminalsLastInputAt: 9e15,
          userCpuSeconds: 1e308,
          busiestProcess: text(100_000, '\u202e'),
          listeningPorts: [-1],
        }),
      ),
    ],
  },
  {
    name: 'wake: repeats one manifest',
    use: 'pauseAndWake',
    gets: ['ok'],
    rules: [rule(manifest, manifestWith({ processes: [process(7, { commandLine: ['kept'] })] }))],
  },
  { name: 'pause: never says what runs', use: 'pauseAndWake', gets: ['ok'], rules: [rule(manifest, [])] },
  {
    name: 'pause: a manifest without end',
    use: 'pauseAndWake',
    gets: ['ok'],
    rules: [rule(manifest, [head('application/json'), say(kibibytes64, { times: 'endless' })])],
  },
  {
    name: 'restart: refuses to say what runs',
    use: 'restart',
    gets: ['ok'],
    rules: [rule(manifest, whole('no', { status: '500 No' }))],
  },
]

/** Each of these takes the half minute that a host daemon gives to a guest. */
export const slowBehaviors: readonly Behavior[] = [
  {
    name: 'wake: never responds to the handshake',
    use: 'pauseAndWake',
    gets: ['ok', 'sandbox.guest-silent', 'sandbox.memory-unusable'],
    rules: [rule('POST /init', [])],
  },
  {
    name: 'wake: a handshake without end',
    use: 'pauseAndWake',
    gets: ['ok', 'sandbox.guest-silent', 'sandbox.memory-unusable'],
    rules: [rule('POST /init', [head('application/json'), say(kibibytes64, { times: 'endless' })])],
  },
]

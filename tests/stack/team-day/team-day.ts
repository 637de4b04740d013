import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isThreadboxError } from '@threadbox/errors'
import { type ModelServer, startModelServer } from '@threadbox/testkit'
import { makeRandom, type Random } from '@threadbox/testkit/repeats'
import { startInstallation, type TestInstallation, type TestThread, testThread } from '../installation.ts'
import { runBackup, setUpBackups } from '../run-backup.ts'
import { type Colleague, inviteColleagues } from './colleagues.ts'
import { type FollowedWaits, followWaits } from './waits.ts'

/**
 * A day of a team on one machine: people who work in their own and in shared threads, two of them greedy, and a backup at
 * noon. The same seed makes the same choices.
 */
export type TeamDay = {
  people: number
  greedy: number
  threadsEach: number
  /** How long people work. */
  milliseconds: number
  seed: number
}

/** What the day was like. Times in milliseconds, memory in bytes. */
export type DayReport = {
  /** What failed that should not have, each with who did what. */
  errors: string[]
  messages: { sent: number; missing: string[]; repeated: string[] }
  waits: FollowedWaits
  /** How long lists of threads took. */
  lists: number[]
  /** From the model’s first words to their event at the person who asked. */
  firstWords: number[]
  /** Of the server, about once a second, oldest first. */
  serverMemory: number[]
  backup: { code: number; output: string }
}

type Day = {
  installation: TestInstallation
  ends: number
  words: Map<string, number>
  sent: Map<string, string[]>
  report: DayReport
}
type Person = Colleague & { number: number; own: TestThread[]; shared: TestThread[]; random: Random }

/** What people leave between two things they do. */
const shortestRestMs = 300
const longestRestMs = 3000

export async function runTeamDay(day: TeamDay): Promise<DayReport> {
  await using cleanup = new AsyncDisposableStack()
  const model = cleanup.use(await startModelServer())
  const installation = cleanup.use(await startInstallation({ asInstalled: true }))
  const { anthropic } = model.baseUrls
  await installation.client.models.connect({ provider: 'anthropic', model: 'test', baseUrl: anthropic, apiKey: 'key' })
  const { colleagues, workspaceId } = await inviteColleagues(installation, day.people)
  const state = newDay(installation)
  respond(model, state.words)
  const waits = cleanup.use(followWaits(colleagues))
  const people = await openThreads(colleagues, { day, workspaceId })
  const memory = measureMemory(installation)
  state.ends = performance.now() + day.milliseconds
  await Promise.all([
    ...people.slice(day.greedy).map((person) => work(state, person)),
    ...people.slice(0, day.greedy).map((person) => beGreedy(state, person)),
    noon(state, day.milliseconds / 2),
  ])
  state.report.serverMemory = await memory.end()
  state.report.waits = await waits.end()
  await compareMessages(state, people)
  return state.report
}

function newDay(installation: TestInstallation): Day {
  return {
    installation,
    ends: 0,
    words: new Map(),
    sent: new Map(),
    report: {
      errors: [],
      messages: { sent: 0, missing: [], repeated: [] },
      waits: { count: 0, outOfOrder: [] },
      lists: [],
      firstWords: [],
      serverMemory: [],
      backup: { code: 1, output: 'not run' },
    },
  }
}

/** Each response names its question, and its first words are timed. */
function respond(model: ModelServer, words: Day['words']): void {
  model.when((request) => {
    const id = [...JSON.stringify(request.messages).matchAll(/question-\w+/g)].at(-1)?.[0]
    if (id === undefined) return undefined
    async function* pieces() {
      words.set(id ?? '', performance.now())
      yield `About ${id}: `
      yield* Array.from({ length: 40 }, (_, number) => `word ${number} `)
    }
    return { text: pieces() }
  })
}

/** The last thread of each person is in the workspace, and the next person works in it too. */
async function openThreads(
  colleagues: readonly Colleague[],
  { day, workspaceId }: { day: TeamDay; workspaceId: string },
): Promise<Person[]> {
  const people: Person[] = []
  for (const [number, colleague] of colleagues.entries()) {
    const own: TestThread[] = []
    for (let count = 1; count < day.threadsEach; count++) own.push(await newThread(colleague, {}))
    const shared = [await newThread(colleague, { workspaceId })]
    const before = people.at(-1)?.shared[0]
    if (before !== undefined) shared.push(testThread(colleague.client, before.id))
    people.push({ ...colleague, number, own, shared, random: makeRandom(day.seed + number) })
  }
  return people
}

async function newThread({ client }: Colleague, place: { workspaceId?: string }): Promise<TestThread> {
  return testThread(client, (await client.threads.create(place)).id)
}

async function work(day: Day, person: Person): Promise<void> {
  const { random } = person
  while (performance.now() < day.ends) {
    await noted(day, { person, what: 'list threads' }, () => listThreads(day, person))
    const thread = random.oneOf(random.next() < 0.7 ? person.own : person.shared)
    const chosen = random.next()
    if (chosen < 0.5) await noted(day, { person, what: 'ask' }, () => ask(day, person, thread))
    else if (chosen < 0.8) await noted(day, { person, what: 'run' }, () => run(day, person, thread))
    else if (chosen < 0.9) await noted(day, { person, what: 'upload' }, () => upload(person, thread))
    else await noted(day, { person, what: 'serve' }, () => serve(person, person.own[0] as TestThread))
    await delay(random.between(shortestRestMs, longestRestMs))
  }
}

/** Wants more sandboxes than a person may have awake, and all processors and the disk in each. */
async function beGreedy(day: Day, person: Person): Promise<void> {
  const command =
    'timeout 5 sh -c "while :; do :; done" & timeout 5 dd if=/dev/zero of=fill bs=1M count=100; wait; true'
  const threads = [...person.own, ...person.shared.slice(0, 1)]
  await Promise.all(
    threads.map(async (thread) => {
      while (performance.now() < day.ends) {
        await noted(day, { person, what: 'fill' }, () => runCommand(day, person, { thread, command }))
      }
    }),
  )
}

async function listThreads({ report }: Day, { client }: Person): Promise<void> {
  const start = performance.now()
  await client.threads.list()
  report.lists.push(performance.now() - start)
}

async function ask(day: Day, person: Person, thread: TestThread): Promise<void> {
  const id = nameOf('question', person)
  const { turn } = await thread.say(note(day, thread, `Tell me about ${id}.`), {
    onEvent: (event) => {
      const isText = event.type === 'text-appended' && event.text.includes(id)
      const isEntry = event.type === 'entry-added' && event.entry.kind === 'text' && event.entry.text.includes(id)
      const sent = day.words.get(id)
      if ((!isText && !isEntry) || sent === undefined) return
      day.words.delete(id)
      day.report.firstWords.push(performance.now() - sent)
    },
  })
  if (turn.status !== 'finished') throw new Error(`its turn is ${turn.status}`)
}

async function run(day: Day, person: Person, thread: TestThread): Promise<void> {
  await runCommand(day, person, { thread, command: 'date >> notes && wc -l < notes' })
}

async function runCommand(
  day: Day,
  person: Person,
  { thread, command }: { thread: TestThread; command: string },
): Promise<void> {
  const { calls } = await thread.say(note(day, thread, `/run ${command} # ${nameOf('command', person)}`))
  if (calls[0]?.status !== 'succeeded') throw new Error(`its command is ${calls[0]?.status}: ${calls[0]?.output.tail}`)
}

async function upload({ client, random }: Person, thread: TestThread): Promise<void> {
  const bytes = new Uint8Array(100_000).map(() => Math.floor(random.next() * 256))
  await client.threads.upload(thread.id, 'figures.bin', new Blob([bytes]))
}

async function serve({ client }: Person, thread: TestThread): Promise<void> {
  await client.services.start(thread.id, { name: 'web', command: 'python3 -m http.server 8000', port: 8000 })
}

async function noon(day: Day, afterMs: number): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-day-'))
  try {
    await mkdir(path.join(directory, 'store'))
    await setUpBackups(day.installation, path.join(directory, 'store'))
    await delay(afterMs)
    day.report.backup = await runBackup(day.installation, ['run', 'machine-files'], 'an archive of the launcher')
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function noted(
  { report }: Day,
  { person, what }: { person: Person; what: string },
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act()
  } catch (error) {
    const said = isThreadboxError(error) ? `${error.code}: ${error.message}` : String(error)
    report.errors.push(`person ${person.number} could not ${what}: ${said}`)
  }
}

let names = 0
function nameOf(kind: string, person: Person): string {
  names += 1
  return `${kind}-p${person.number}n${names}`
}

function note({ sent, report }: Day, { id }: TestThread, text: string): string {
  sent.set(id, [...(sent.get(id) ?? []), text])
  report.messages.sent += 1
  return text
}

/** Every message is in its thread once. */
async function compareMessages({ sent, report }: Day, people: readonly Person[]): Promise<void> {
  const threads = new Map(people.flatMap(({ own, shared }) => [...own, ...shared]).map((thread) => [thread.id, thread]))
  for (const [threadId, texts] of sent) {
    const entries = (await threads.get(threadId)?.entries()) ?? []
    const found = entries.flatMap((entry) => (entry.kind === 'user-message' ? [entry.text] : []))
    report.messages.missing.push(...texts.filter((text) => !found.includes(text)))
    report.messages.repeated.push(...found.filter((text, at) => found.indexOf(text) !== at))
  }
}

function measureMemory({ server }: TestInstallation): { end(): Promise<number[]> } {
  const ended = new AbortController()
  const samples: number[] = []
  const following = (async () => {
    while (!ended.signal.aborted) {
      const status = readFileSync(`/proc/${server.pid()}/status`, 'utf8')
      samples.push(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024)
      await delay(1000, undefined, { signal: ended.signal }).catch(() => undefined)
    }
  })()
  return {
    end: async () => {
      ended.abort()
      await following
      return samples
    },
  }
}

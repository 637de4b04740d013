import { type ServerFacts, serverFactsSchema } from '@threadbox/protocol/support'
import type { Check } from '../installation/checks.logic.ts'
import type { InstallationStatus } from '../installation/status.ts'
import { countCodes } from './log-lines.logic.ts'
import type { BundledLogs } from './log-tails.ts'
import { bundledMetrics } from './metrics-text.logic.ts'
import { isKnownCode, type SupportWords } from './support-words.ts'

/** One file of a bundle. */
export type BundlePart = { name: string; about: string; text: string }
/** A file that a bundle doesn’t have, and why. */
export type MissingPart = { name: string; reason: string }

export function jsonPart(name: string, about: string, value: unknown): BundlePart {
  return { name, about, text: `${JSON.stringify(value, null, 2)}\n` }
}

/** Without details: they have names, addresses and paths. */
export function checksPart(checks: readonly Check[], words: SupportWords): BundlePart {
  const shown = checks.map(({ id, state, code, numbers }) => ({
    id: /^[a-z][a-z0-9-]{0,40}$/.test(id) ? id : 'other',
    state,
    ...(code !== undefined && (isKnownCode(code, words) || words.findings.has(code)) && { code }),
    ...(numbers !== undefined && Object.keys(numbers).length > 0 && { numbers }),
  }))
  return jsonPart('checks.json', 'results of all checks of doctor, without names and addresses', shown)
}

export function processesPart(status: InstallationStatus): BundlePart {
  const { supervisor, host, server, isServing, preparing, imageProblem } = status
  const steps = preparing === null ? null : preparing.length
  const facts = { supervisor, host, server, isServing, preparingSteps: steps, hasImageProblem: imageProblem !== null }
  return jsonPart('processes.json', 'which processes run', facts)
}

/** The parts that come from the server and its database, as its own program found them. */
export function serverParts(
  text: string,
  status: InstallationStatus,
): { parts: BundlePart[]; missing: MissingPart[]; facts: ServerFacts | undefined } {
  const facts = parseFacts(text)
  const parts: BundlePart[] = []
  const missing: MissingPart[] = []
  if (facts?.database) {
    const { kind, schema, settings, ...counts } = facts.database
    parts.push(
      jsonPart('counts.json', 'how many sandboxes, turns, runs and operations are in which state', counts),
      jsonPart('database.json', 'kind and schema of the database, settings changed in the app', {
        kind,
        schema,
        settings,
      }),
    )
  } else {
    const reason = `the database couldn’t be read (${facts?.missing.database ?? 'its reader didn’t respond'})`
    missing.push({ name: 'counts.json', reason }, { name: 'database.json', reason })
  }
  if (facts?.live) {
    parts.push({ name: 'metrics.txt', about: 'the metrics of the server', text: bundledMetrics(facts.live.metrics) })
  } else {
    const reason = status.server === 'running' ? 'the server doesn’t respond' : 'the server isn’t running'
    missing.push({ name: 'metrics.txt', reason: `${reason} (${facts?.missing.live ?? 'not asked'})` })
  }
  return { parts, missing, facts }
}

function parseFacts(text: string): ServerFacts | undefined {
  try {
    return serverFactsSchema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

export function errorsPart(facts: ServerFacts | undefined, { lines }: BundledLogs): BundlePart {
  const responses = facts?.live?.errors.map(({ code, count, lastAt }) => ({
    code,
    count,
    lastAt: new Date(lastAt).toISOString(),
  }))
  const about =
    'codes of errors with their count and last time: of failed responses since the start, and in the logs below'
  return jsonPart('errors.json', about, { responses: responses ?? null, logs: countCodes([...lines.values()].flat()) })
}

export function logParts({ lines }: BundledLogs): BundlePart[] {
  return [...lines]
    .filter(([, ofProcess]) => ofProcess.length > 0)
    .map(([name, ofProcess]) => ({
      name: `logs/${name}.jsonl`,
      about: `the last log lines of this process (${ofProcess.length})`,
      text: ofProcess.map((line) => `${JSON.stringify(line)}\n`).join(''),
    }))
}

const leftOut = [
  'titles, messages, responses, names of people, workspaces, agents and models',
  'email addresses, hostnames, network addresses, paths',
  'secrets, keys, tokens, and settings that are texts: only whether they are set',
  'messages and traces of errors: only their codes',
  'of log lines everything but time, process, level, code, request ID, durations, and messages that are constants in the code',
]

/** The first file of a bundle: what is in it, and what is not. */
export function contentsPart(known: {
  parts: readonly BundlePart[]
  missing: readonly MissingPart[]
  otherLines: number
  at: Date
}): BundlePart {
  const { parts, missing, otherLines, at } = known
  const width = Math.max(...[...parts, ...missing].map(({ name }) => name.length)) + 2
  const lines = [
    `Support bundle of threadbox, ${at.toISOString()}`,
    '',
    'In it:',
    ...parts.map(({ name, about }) => `  ${name.padEnd(width)}${about}`),
    ...(missing.length === 0 ? [] : ['', 'Missing:']),
    ...missing.map(({ name, reason }) => `  ${name.padEnd(width)}${reason}`),
    '',
    'Left out:',
    ...leftOut.map((line) => `  ${line}`),
    `  log lines of another form, such as traces of crashes (${otherLines})`,
  ]
  return { name: 'contents.txt', about: 'this list', text: `${lines.join('\n')}\n` }
}

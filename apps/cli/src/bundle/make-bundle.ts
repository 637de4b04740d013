import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import type { Check } from '../installation/checks.logic.ts'
import type { Installation } from '../installation/data-directory.ts'
import { readStatus } from '../installation/status.ts'
import {
  type BundlePart,
  checksPart,
  contentsPart,
  errorsPart,
  jsonPart,
  logParts,
  type MissingPart,
  processesPart,
  serverParts,
} from './bundle-parts.logic.ts'
import { readLogs } from './log-tails.ts'
import { machineFacts, readHostFacts, versionFacts } from './machine-facts.ts'
import { shownSettings } from './settings-shown.ts'
import { noWords, readSupportWords } from './support-words.ts'
import { tarOf } from './tar.logic.ts'

const folder = 'threadbox-bundle'

/**
 * Makes a support bundle: an archive with what helps someone to find a problem of this installation. Each part lists what
 * it has; nothing is in it only because it was not removed. `serverFacts` is what the support program printed.
 */
export async function makeBundle(options: {
  installation: Installation
  checks: readonly Check[]
  serverFacts: string
  now: Date
}): Promise<{ content: Buffer; parts: readonly BundlePart[]; missing: readonly MissingPart[] }> {
  const { installation, checks, now } = options
  const listed = readSupportWords(join(installation.release, 'support/words.json'))
  const words = listed ?? noWords
  const [status, host] = await Promise.all([readStatus(installation), readHostFacts(installation)])
  const logs = readLogs(installation, words)
  const server = serverParts(options.serverFacts, status)
  const parts = [
    jsonPart(
      'versions.json',
      'versions of everything that an installation needs',
      await versionFacts(installation, host),
    ),
    jsonPart('machine.json', 'processors, memory, disk and pool', await machineFacts(installation, host)),
    processesPart(status),
    checksPart(checks, words),
    jsonPart('settings.json', 'settings of threadbox.env', shownSettings(installation.environment)),
    ...server.parts,
    errorsPart(server.facts, logs),
    ...logParts(logs),
  ]
  const missing = [
    ...server.missing,
    ...(host === undefined ? [{ name: 'pool in machine.json', reason: 'the host daemon doesn’t respond' }] : []),
    ...(listed === undefined ? [{ name: 'events and codes in logs', reason: 'the release has no list of them' }] : []),
  ]
  const all = [contentsPart({ parts, missing, otherLines: logs.otherLines, at: now }), ...parts]
  const archive = tarOf(
    all.map(({ name, text }) => ({ name: `${folder}/${name}`, content: Buffer.from(text) })),
    now,
  )
  return { content: zstdCompressSync(archive), parts: all, missing }
}

import { closeSync, fstatSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { stdin, stdout } from 'node:process'
import { text } from 'node:stream/consumers'
import { type CleanedSandbox, isThreadboxFile, threadboxDirectories } from '@threadbox/protocol/host'
import { sealText } from '@threadbox/protocol/sealing'
import type { Sealing } from '../../../machine/state/sealing-key.ts'
import { openSecrets } from '../open-secrets.ts'
import { type ContentOrder, cleanContent, readAll } from './file-content.ts'
import { eachFileIn, entriesOfTree, openFile, removeEntry, type TreeEntry } from './open-tree.ts'
import { type SecretTrace, secretTraces } from './telling-texts.ts'
import { placeOf, unwantedKind } from './unwanted-names.ts'

/**
 * Removes secrets and traces from the tree that it was started in, in which nothing runs, and reports what is left in
 * it beside the image. It runs as root because files of the sandbox's root are among them; it follows no link and opens
 * no device, so nothing outside of the tree can be reached through it.
 */
export type CleanerOrder = {
  sealing: Sealing
  sealedSecrets: string
  redact: readonly { path: string; rule: string }[]
  /** Also removes the state that threadbox keeps on the disk. */
  withoutState: boolean
  /** The tree that the disk began as: unchanged files belong to the image and are left alone. */
  imagePath: string | null
  /** Paths that are not of the image, byte for byte (as latin1), if known: nothing else has to be checked. */
  names: readonly string[] | null
  /** `looks`: nothing is changed. `collects`: the texts of removed parts are returned, to be found elsewhere. */
  mode: 'cleans' | 'looks' | 'collects'
}

/** The result of the process. What is in `sealedTexts` goes only to another program of the host. */
export type CleanerAnswer = CleanedSandbox & { sealedTexts: string; hasMoreTexts: boolean }

const statePath = threadboxDirectories.state.slice(1)
const maxFindings = 200
/** Of a removed file, and of all of them together: years of work in a shell stay far below. */
const maxTextBytes = 8 * 1024 * 1024
const maxTexts = 100_000

const order = JSON.parse(await text(stdin)) as CleanerOrder
const secrets = await openSecrets(order)
const texts = new Map<string, SecretTrace>()
const content: ContentOrder = {
  secrets: secrets.map((secret) => Buffer.from(secret)),
  redact: redactions(),
  looksOnly: order.mode === 'looks',
  onRedacted: (found) => keep([{ kind: 'finding', text: found }]),
}

const amount = () => ({ files: 0, bytes: 0 })
const answer: CleanerAnswer = {
  removed: [],
  redacted: [],
  findings: [],
  furtherFindings: 0,
  amounts: { home: amount(), packages: amount(), variables: amount(), system: amount() },
  sealedTexts: '',
  hasMoreTexts: false,
}
const gone = new Set<string>()
const leading = order.names === null ? undefined : foldersAbove(order.names)
const enters = ({ path }: TreeEntry) => !gone.has(path) && (leading === undefined || leading.has(path))
for (const entry of entriesOfTree(enters)) inspectEntry(entry)
answer.sealedTexts = await sealText(JSON.stringify([...texts.values()]), order.sealing.publicKey)
stdout.write(JSON.stringify(answer))

function foldersAbove(names: readonly string[]): Set<string> {
  const folders = new Set<string>()
  for (const name of names) {
    for (let end = name.lastIndexOf('/'); end > 0; end = name.lastIndexOf('/', end - 1)) folders.add(name.slice(0, end))
  }
  return folders
}

function redactions(): Map<string, Set<string>> {
  const rules = new Map<string, Set<string>>()
  for (const { path, rule } of order.redact) {
    const key = Buffer.from(path.replace(/^\//, '')).toString('latin1')
    rules.set(key, (rules.get(key) ?? new Set()).add(rule))
  }
  return rules
}

function inspectEntry(entry: TreeEntry): void {
  const { path, at, stats } = entry
  if (isOfImage(entry)) return
  const kind = order.withoutState && path === statePath ? 'output' : unwantedKind(path)
  if (kind !== undefined) {
    if (order.mode === 'collects' && kind !== 'output') eachFileIn(at, stats, (file) => collect(file, kind))
    if (order.mode !== 'looks') removeEntry(at, stats)
    gone.add(path)
    // A check reports everything, including threadbox's own files; a report for people names only theirs.
    if (order.mode === 'looks' || !isThreadboxFile(path)) answer.removed.push({ path: shown(path), kind })
    return
  }
  if (!stats.isFile()) return
  const file = openFile(at, order.mode === 'looks' ? 'read' : 'change')
  if (file === undefined) return
  try {
    if (!fstatSync(file).isFile()) return
    const outcome = cleanContent(file, path, content)
    for (const [rule, count] of outcome.redacted) answer.redacted.push({ path: shown(path), rule, count })
    for (const [rule, count] of outcome.found) {
      if (answer.findings.length < maxFindings) answer.findings.push({ path: shown(path), rule, count })
      else answer.furtherFindings += 1
    }
  } finally {
    closeSync(file)
  }
  const part = placeOf(path)
  if (part !== 'variables' && isThreadboxFile(path)) return
  const place = answer.amounts[part]
  place.files += 1
  place.bytes += stats.size
}

function collect(file: number, kind: 'credentials' | 'history'): void {
  const { size } = fstatSync(file)
  if (size > maxTextBytes) answer.hasMoreTexts = true
  keep(secretTraces(readAll(file, Math.min(size, maxTextBytes)).toString('latin1'), kind))
}

function keep(found: SecretTrace[]): void {
  if (order.mode !== 'collects') return
  for (const one of found) {
    if (texts.size >= maxTexts) answer.hasMoreTexts = true
    else texts.set(one.text, one)
  }
}

/** A copy of a disk keeps the inodes of its source, and every change of a file changes its ctime. */
function isOfImage({ path, stats }: TreeEntry): boolean {
  if (order.imagePath === null) return false
  const original = lstatSync(join(order.imagePath, Buffer.from(path, 'latin1').toString()), { throwIfNoEntry: false })
  return (
    original !== undefined &&
    !stats.isDirectory() &&
    original.ino === stats.ino &&
    original.size === stats.size &&
    original.ctimeMs === stats.ctimeMs
  )
}

function shown(path: string): string {
  return `/${Buffer.from(path, 'latin1').toString()}`
}

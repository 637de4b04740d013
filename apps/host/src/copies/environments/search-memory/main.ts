import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { stdin, stdout } from 'node:process'
import { text } from 'node:stream/consumers'
import type { Sealing } from '../../../machine/state/sealing-key.ts'
import type { SecretTrace, TextKind } from '../clean-disk/telling-texts.ts'
import { openSealed, openSecrets } from '../open-secrets.ts'
import { makeFinder, shortestNeedle } from './find-texts.ts'

/**
 * Searches every file of the directory that it was started in, which is a memory image, for texts, and never prints
 * them.
 */
export type SearcherOrder = { sealing: Sealing; sealedSecrets: string; sealedTexts: string }
/** Number of different texts found, by kind. */
export type SearcherAnswer = { found: Partial<Record<TextKind, number>> }

const partBytes = 8 * 1024 * 1024

const order = JSON.parse(await text(stdin)) as SearcherOrder
const removed = await openSealed<readonly SecretTrace[]>(order.sealedTexts, order.sealing)
const stored = (await openSecrets(order)).map((secret) => ({ kind: 'stored' as const, text: secret }))
const texts: readonly SecretTrace[] = [...removed, ...stored]
const forms = texts.flatMap((one, index) => formsOf(one).map((bytes) => ({ index, bytes })))
const found = new Set<number>()
const find = makeFinder(forms.map(({ bytes }) => bytes))
const longest = forms.reduce((most, { bytes }) => Math.max(most, bytes.length), 0)
for (const entry of readdirSync('.', { withFileTypes: true })) if (entry.isFile()) searchFile(entry.name)
const answer: SearcherAnswer = { found: {} }
for (const index of found) {
  const kind = texts[index]?.kind as TextKind
  answer.found[kind] = (answer.found[kind] ?? 0) + 1
}
stdout.write(JSON.stringify(answer))

/** As bytes of a file, and as interpreters hold texts that contain a two-byte character. */
function formsOf({ kind, text: value }: SecretTrace): Buffer[] {
  // File content was read as latin-1; a stored value is a text.
  const plain = Buffer.from(value, kind === 'stored' ? 'utf8' : 'latin1')
  const characters = Buffer.from(kind === 'stored' ? value : plain.toString('utf8'), 'utf16le')
  return [plain, characters].filter(({ length }) => length >= shortestNeedle)
}

/** Reads in parts that overlap, so that nothing is missed at a border. */
function searchFile(name: string): void {
  const file = openSync(name, 'r')
  const part = Buffer.alloc(partBytes + longest)
  try {
    for (let from = 0; ; from += partBytes) {
      const length = readSync(file, part, 0, part.length, from)
      if (length === 0) return
      find(part.subarray(0, length), (number) => found.add(forms[number]?.index as number))
    }
  } finally {
    closeSync(file)
  }
}

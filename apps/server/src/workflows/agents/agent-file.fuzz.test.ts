import { checkProperty, cutAnywhere, cuts, foreignJson, foreignText } from '@threadbox/testkit/properties'
import { asyncProperty, nat, oneof, property, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'
import {
  addressOf,
  agentFileFormat,
  agentFileSchema,
  freeName,
  readAgentFile,
  withoutTexts,
} from './agent-file.logic.ts'
import { makeByteReader } from './byte-reader.ts'

test('a stream in any pieces gives the same line, bytes and rest', () =>
  checkProperty(
    'agent-file-in-pieces',
    asyncProperty(
      uint8Array({ maxLength: 200 }),
      foreignText(40),
      cuts(),
      nat({ max: 200 }),
      async (bytes, text, places, count) => {
        const body = Buffer.concat([Buffer.from(text), bytes])
        const whole = await readIn([body], count)
        expect(await readIn(cutAnywhere(body, places), count)).toEqual(whole)
        if (whole.line !== undefined) expect(Buffer.byteLength(whole.line)).toBeLessThanOrEqual(3 * 50)
      },
    ),
  ))

test('any head is an agent, another format, or damaged with a problem of limited length', () =>
  checkProperty(
    'agent-file-heads',
    property(foreignJson(Object.keys(agentFileSchema.shape)), foreignText(), (value, text) => {
      const withFormat = typeof value === 'object' ? { ...value, format: agentFileFormat } : value
      for (const line of [text, JSON.stringify(value) ?? '', JSON.stringify(withFormat) ?? '']) {
        const found = readAgentFile(line)
        if (found.kind === 'damaged') expect(found.problem.length).toBeLessThanOrEqual(1000)
        if (found.kind === 'agent') expect(readAgentFile(JSON.stringify(found.file))).toEqual(found)
      }
    }),
  ))

test('a valid head is read as it was written', () =>
  checkProperty(
    'agent-file-round-trip',
    property(foreignText(40), nat(), (instructions, exportedAt) => {
      const file = {
        format: agentFileFormat,
        exportedAt,
        name: 'a',
        description: '',
        instructions,
        model: null,
        skills: null,
        connections: null,
        computer: null,
      }
      expect(readAgentFile(JSON.stringify(file))).toMatchObject({ kind: 'agent', file: { exportedAt, name: 'a' } })
    }),
  ))

test('no secret is left in any value', () =>
  checkProperty(
    'agent-file-secrets',
    property(foreignJson(), oneof(foreignText(8), foreignText(20)), (value, secret) => {
      // A mask doesn’t count as a secret that is left.
      if (secret === '' || '********'.includes(secret)) return
      const clean = withoutTexts({ value, secret: `a${secret}b` }, [secret])
      const left = JSON.stringify(clean, (_key, inside) => (typeof inside === 'object' ? inside : String(inside)))
      expect(stringsIn(clean).filter((text) => text.includes(secret))).toEqual([])
      expect(left).toContain('********')
    }),
  ))

test('any address is without credentials, and any name becomes free within its length', () =>
  checkProperty(
    'agent-file-addresses',
    property(
      oneof(
        foreignText(),
        foreignText(20).map((text) => `https://user:secret@a.example/${text}?key=secret`),
      ),
      foreignText(100),
      (url, name) => {
        expect(addressOf(url) ?? '').not.toMatch(/@a\.example|\?key=/)
        const taken = new Set([name.slice(0, 80).trimEnd()])
        const free = freeName(name, (candidate) => taken.has(candidate))
        expect(taken.has(free)).toBe(false)
        expect(free.length).toBeLessThanOrEqual(80)
      },
    ),
  ))

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

async function readIn(pieces: Buffer[], count: number) {
  const reader = makeByteReader(
    (async function* () {
      yield* pieces
    })(),
  )
  const line = await reader.line(50)
  const taken = line === undefined ? undefined : await reader.take(count)
  if (line === undefined || taken === undefined) return { line, taken, rest: undefined }
  const rest: Uint8Array[] = []
  for await (const part of reader.rest()) rest.push(part)
  return { line, taken: Buffer.from(taken), rest: Buffer.concat(rest) }
}

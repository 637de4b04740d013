import type { CallToolResult } from '@modelcontextprotocol/client'
import { checkProperty, cutAnywhere, cuts, foreignJson, foreignText } from '@threadbox/testkit/properties'
import { type Arbitrary, array, constantFrom, nat, oneof, option, property, record, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'
import { callContentOf } from './call-content.logic.ts'
import { makeLineReader } from './program-lines.logic.ts'
import { listedTools, mergedTools, type RawTool } from './tool-list.logic.ts'
import { SchemaProblem, usableSchema } from './tool-schema.logic.ts'

const keywords = [
  'type',
  'properties',
  'required',
  '$ref',
  '$defs',
  'definitions',
  'items',
  'anyOf',
  'enum',
  'description',
]
const schemas = foreignJson(keywords)
const same = (text: string) => text

test('a server’s lines in any pieces are the same lines, up to the limit', () =>
  checkProperty(
    'mcp-lines',
    property(array(foreignText(40), { maxLength: 6 }), cuts(), nat({ max: 200 }), (lines, places, limit) => {
      const bytes = Buffer.from(lines.join('\n'))
      const whole = read([bytes], limit)
      expect(read(cutAnywhere(bytes, places), limit).lines).toEqual(whole.lines)
      for (const line of whole.lines) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(limit * 3)
      expect(read(cutAnywhere(bytes, places), limit).isTooLong).toBe(whole.isTooLong)
    }),
  ))

test('any schema of a tool becomes one that models accept, or a problem in words', () =>
  checkProperty(
    'mcp-tool-schemas',
    property(schemas, (schema) => {
      try {
        const usable = usableSchema(schema)
        expect(usable.type).toBe('object')
        expect(JSON.stringify(usable).length).toBeLessThanOrEqual(24_000)
        expect(usableSchema(usable)).toEqual(usable)
        expect(JSON.stringify(usable)).not.toMatch(/"(\$ref|\$defs|__proto__)":/)
      } catch (error) {
        if (!(error instanceof SchemaProblem)) throw error
      }
    }),
    { runs: 500 },
  ))

const tools = array(
  record(
    {
      name: oneof(constantFrom('a', 'b', '__proto__', 'toString'), foreignText(150)),
      title: foreignText(200),
      description: foreignText(60),
      inputSchema: schemas,
      annotations: record({ title: foreignJson(), readOnlyHint: foreignJson() }),
    },
    { requiredKeys: ['name'] },
  ),
  { maxLength: 8 },
) as Arbitrary<RawTool[]>

test('any list of tools is one of limited length with each name once, and all that is cut is counted', () =>
  checkProperty(
    'mcp-tool-lists',
    property(tools, (raw) => {
      const { tools: found, furtherTools } = listedTools(raw, same)
      const names = found.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
      expect(found.length + furtherTools).toBe(new Set(raw.map(({ name }) => name)).size)
      for (const { title, description } of found) {
        expect(title?.length ?? 0).toBeLessThanOrEqual(120)
        expect(description.length).toBeLessThanOrEqual(4000)
      }
    }),
  ))

test('C9: a tool that its server changed in any way asks again before it runs', () =>
  checkProperty(
    'mcp-tool-approvals',
    property(tools, tools, (earlier, later) => {
      const known = mergedTools([], listedTools(earlier, same).tools).map((tool) => ({
        ...tool,
        approval: 'allow' as const,
      }))
      for (const tool of mergedTools(known, listedTools(later, same).tools)) {
        const before = known.find(({ name }) => name === tool.name)
        if (before?.fingerprint !== tool.fingerprint) expect(tool.approval).toBe('ask')
      }
    }),
  ))

const base64 = uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('base64'))
const blocks = oneof(
  record({ type: constantFrom('text'), text: foreignText() }),
  record({ type: constantFrom('image', 'audio'), data: oneof(base64, foreignText()), mimeType: foreignText(20) }),
  record({
    type: constantFrom('resource_link'),
    uri: foreignText(),
    name: foreignText(),
    title: option(foreignText(), { nil: undefined }),
  }),
  record({
    type: constantFrom('resource'),
    resource: record({
      uri: foreignText(),
      mimeType: constantFrom('image/png', 'a'),
      blob: oneof(base64, foreignText()),
    }),
  }),
  record({ type: constantFrom('new-type', '__proto__') }),
)

test('any result of a tool is text, a few images and notes', () =>
  checkProperty(
    'mcp-results',
    property(array(blocks, { maxLength: 12 }), foreignJson(), (content, structuredContent) => {
      const found = callContentOf({ content, structuredContent } as unknown as CallToolResult, same)
      expect(found.images.length).toBeLessThanOrEqual(4)
      for (const { mediaType } of found.images) expect(mediaType).toMatch(/^image\//)
      expect(found.notes.length).toBeLessThanOrEqual(content.length + 1)
      expect(typeof found.text).toBe('string')
    }),
  ))

function read(pieces: readonly Buffer[], limit: number) {
  const reader = makeLineReader(limit)
  const lines: string[] = []
  for (const piece of pieces) {
    const found = reader.push(piece)
    lines.push(...found.lines)
    if (found.isTooLong) return { lines, isTooLong: true }
  }
  return { lines, isTooLong: false }
}

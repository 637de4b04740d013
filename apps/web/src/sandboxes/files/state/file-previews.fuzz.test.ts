import { deflateRawSync } from 'node:zlib'
import { checkProperty, foreignJson, foreignText } from '@threadbox/testkit/properties'
import { array, asyncProperty, boolean, constantFrom, nat, oneof, property, tuple, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'
import { linkTarget } from '../../terminal/state/links.logic.ts'
import { tableOfCsv } from './csv.logic.ts'
import { notebookOf } from './notebook.logic.ts'
import { openZip } from './zip-parts.ts'

const keys = [
  'cells',
  'metadata',
  'outputs',
  'cell_type',
  'source',
  'output_type',
  'text',
  'data',
  'traceback',
  'image/png',
]

test('any notebook is shown as text, HTML and images without other addresses, or not at all', () =>
  checkProperty(
    'notebooks',
    property(array(foreignJson(keys), { maxLength: 4 }), foreignText(), (cells, text) => {
      expect(notebookOf(text)?.cells.length ?? 0).toBeLessThanOrEqual(200)
      const book = notebookOf(JSON.stringify({ cells }))
      for (const { source, outputs } of book?.cells ?? []) {
        expect(typeof source).toBe('string')
        for (const output of outputs) {
          if (output.kind === 'image')
            expect(output.address).toMatch(/^data:image\/(png|jpeg);base64,[A-Za-z0-9+/]+=*$/)
        }
      }
    }),
  ))

test('any table has rows of one width, within the limits', () =>
  checkProperty(
    'csv-tables',
    property(
      array(oneof(foreignText(20), constantFrom('"', '""', ',', '\n', '\r\n', 'a,b')), { maxLength: 20 }),
      boolean(),
      (parts, isCut) => {
        const table = tableOfCsv(parts.join(''), isCut)
        expect(table.columns.length).toBeLessThanOrEqual(100)
        for (const row of table.rows) expect(row).toHaveLength(table.columns.length)
      },
    ),
  ))

test('any bytes are a zip archive whose files can be read, or an error', () =>
  checkProperty(
    'zip-parts',
    asyncProperty(
      uint8Array({ maxLength: 100 }),
      array(tuple(nat({ max: 300 }), nat({ max: 255 })), { maxLength: 4 }),
      async (content, changes) => {
        const whole = zipOf(content)
        expect(await openZip(whole).read('a')).toBe(new TextDecoder().decode(content))
        expect(await openZip(whole).read('__proto__')).toBeNull()
        for (const [at, value] of changes) whole[at % whole.length] = value
        try {
          await openZip(whole).read('a')
        } catch (error) {
          expect(error).toBeInstanceOf(Error)
        }
      },
    ),
  ))

test('any text in a terminal is a link to the sandbox, to a web page, or none', () =>
  checkProperty(
    'terminal-links',
    property(
      oneof(foreignText(), constantFrom('http://localhost:3000/a', 'javascript:alert(1)', 'http://0x7f.1/')),
      (text) => {
        const target = linkTarget(text)
        if (target?.kind === 'web') expect(target.url).toMatch(/^https?:/)
        if (target?.kind === 'service') expect(target.port).toBeLessThan(65_536)
      },
    ),
  ))

function zipOf(content: Uint8Array): Uint8Array<ArrayBuffer> {
  const packed = deflateRawSync(content)
  const bytes = Buffer.alloc(31 + packed.length + 47 + 22)
  bytes.writeUInt16LE(1, 26)
  packed.copy(bytes, 31)
  const at = 31 + packed.length
  bytes.writeUInt32LE(0x02014b50, at)
  bytes.writeUInt16LE(8, at + 10)
  bytes.writeUInt32LE(packed.length, at + 20)
  bytes.writeUInt32LE(content.length, at + 24)
  bytes.writeUInt16LE(1, at + 28)
  bytes.write('a', at + 46)
  bytes.writeUInt32LE(0x06054b50, at + 47)
  bytes.writeUInt16LE(1, at + 57)
  bytes.writeUInt32LE(at, at + 63)
  return Uint8Array.from(bytes)
}

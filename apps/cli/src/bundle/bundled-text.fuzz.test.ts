import { checkProperty } from '@threadbox/testkit/properties'
import { anything, dictionary, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { serverParts } from './bundle-parts.logic.ts'
import { bundledLine } from './log-lines.logic.ts'
import { bundledMetrics } from './metrics-text.logic.ts'

const words = {
  events: new Set(['known']),
  codes: new Set(['a.b']),
  findings: new Set<string>(),
  durations: new Set(['tookMs']),
}
const time = '2026-11-30T10:00:00.000Z'
/** No text of ours has it. */
const mark = 'zq7'
const marked = string().map((text) => `${mark}${text}`)

test('whatever a log line has, only known words and numbers stay', async () => {
  await checkProperty(
    'bundle-log-lines',
    property(dictionary(string(), anything({ withBigInt: false })), marked, (fields, text) => {
      const line = {
        ...fields,
        [text]: text,
        time,
        process: 'server',
        msg: text,
        code: text,
        err: { code: text, message: text },
      }
      const found = bundledLine(JSON.stringify(line), words)
      expect(found).toMatchObject({ time, process: 'server' })
      expect(JSON.stringify(found)).not.toContain(mark)
      expect(bundledLine(text, words)).toBeUndefined()
    }),
  )
})

test('whatever stands between metrics, only ours stay', async () => {
  await checkProperty(
    'bundle-metrics',
    property(marked, string(), (text, other) => {
      const lines = [`threadbox_up{name="${text}"} 1`, text, other, `${text}{state="a"} 1`, 'threadbox_up 1']
      const found = bundledMetrics(lines.join('\n'))
      expect(found).not.toContain(mark)
      expect(found).toContain('threadbox_up 1\n')
    }),
  )
})

test('whatever the server’s program prints, a bundle has what fits the schema or says that it is missing', async () => {
  const status = { server: 'stopped' } as Parameters<typeof serverParts>[1]
  await checkProperty(
    'bundle-server-facts',
    property(anything({ withBigInt: false }), marked, (value, text) => {
      const database = { kind: 'sqlite', totals: text, [text]: value }
      const printed = JSON.stringify({ database, live: null, missing: { database: null, live: text } })
      for (const given of [text, JSON.stringify(value) ?? '', printed]) {
        const { parts, missing } = serverParts(given, status)
        expect(parts).toEqual([])
        expect(JSON.stringify(missing)).not.toContain(mark)
      }
    }),
  )
})

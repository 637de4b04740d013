import { formatIpv4, parseIpv4 } from '@threadbox/domain'
import { makeLogger } from '@threadbox/telemetry'
import { checkProperty, cutAnywhere, cuts, foreignText } from '@threadbox/testkit/properties'
import { decode, encode } from 'dns-packet'
import { type Arbitrary, array, asyncProperty, constantFrom, nat, oneof, property, tuple, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'
import { makeFrameReader, toFrame } from './dns-frames.ts'
import { parseResolvers } from './dns-policy.logic.ts'
import { makeDnsResolver } from './dns-resolver.ts'
import { makeLineReader, namesReportSchema } from './name-channel.ts'
import { makeNamesLog, readableName } from './names-asked.logic.ts'
import { isPrivateAddress } from './private-ranges.logic.ts'

const from = '10.0.0.2'
const logger = makeLogger({ process: 'test', level: 'silent' })

test('DNS over TCP in any pieces gives the messages that were sent, however large', () =>
  checkProperty(
    'dns-frames-in-pieces',
    property(array(uint8Array({ maxLength: 300 }), { maxLength: 6 }), cuts(2000), (messages, places) => {
      const read = makeFrameReader()
      const frames = Buffer.concat(messages.map((message) => toFrame(Buffer.from(message))))
      const found = cutAnywhere(frames, places).flatMap((piece) => read(piece))
      expect(found).toEqual(messages.map((message) => Buffer.from(message)))
    }),
  ))

test('a question of any bytes gets a response, an error response, or none, and never fails', () =>
  checkProperty(
    'dns-question',
    asyncProperty(packets(), packets(), constantFrom('udp', 'tcp'), async (question, answer, transport) => {
      const resolver = resolverWith(answer)
      const found = await resolver.answer({ from, question: Buffer.from(question), transport })
      if (found === undefined) return
      expect(found.subarray(0, 2)).toEqual(Buffer.from(question).subarray(0, 2))
      expect(found.length).toBeLessThanOrEqual(transport === 'tcp' ? 65_535 : 65_507)
    }),
    { runs: 1000 },
  ))

test('G2: no response of an upstream server brings a private address into a sandbox', () =>
  checkProperty(
    'dns-private-addresses',
    asyncProperty(array(nat({ max: 0xff_ff_ff_ff }), { maxLength: 5 }), async (numbers) => {
      const addresses = [...numbers.map(formatIpv4), '10.0.0.1', '127.0.0.1', '169.254.169.254']
      const questions = [{ type: 'A' as const, name: 'name.example' }]
      const answers = addresses.map((data) => ({ type: 'A' as const, name: 'name.example', ttl: 1, data }))
      const resolver = resolverWith(encode({ type: 'response', id: 7, questions, answers }))
      const found = await resolver.answer({ from, question: encode({ id: 7, questions }), transport: 'tcp' })
      const received = decode(found ?? Buffer.alloc(0)).answers?.flatMap((each) => (each.type === 'A' ? each.data : []))
      expect(received).toEqual(addresses.filter((address) => !isPrivateAddress(address)))
    }),
  ))

test('the log of names holds a limited number of readable names, whatever a sandbox asks for', () =>
  checkProperty(
    'dns-names-log',
    property(array(foreignText(400), { maxLength: 300 }), (names) => {
      const log = makeNamesLog(() => 5)
      log.begin(from)
      for (const name of names) log.note(from, name)
      const found = log.since(from, 0)?.names ?? []
      expect(found.length).toBeLessThanOrEqual(200)
      for (const { name, count } of found) {
        expect(name).toMatch(/^[a-z0-9._?-]{0,253}(:\d{1,5})?$/)
        expect(count).toBeGreaterThan(0)
      }
    }),
    { runs: 50 },
  ))

test('any resolv.conf gives between one and three servers', () =>
  checkProperty(
    'dns-resolv-conf',
    property(
      array(oneof(foreignText(), constantFrom('nameserver 1.2.3.4', 'nameserver ::1%eth0')), { maxLength: 8 }),
      (lines) => {
        const found = parseResolvers(lines.join('\n'))
        expect(found.length).toBeGreaterThan(0)
        expect(found.length).toBeLessThanOrEqual(3)
        for (const address of found) expect(address).toMatch(/^[0-9a-fA-F.:]+$/)
      },
    ),
  ))

function resolverWith(answer: Uint8Array) {
  const resolver = makeDnsResolver({
    // As an upstream server’s response is passed on: with the ID of the question.
    upstream: async ({ question }) => {
      const given = Buffer.from(answer)
      question.copy(given, 0, 0, 2)
      return given
    },
    virtualAddress: async () => '198.19.0.1',
    onAnswered: () => undefined,
    logger,
    now: () => 0,
  })
  resolver.setClient({ address: from, egress: { kind: 'open' } })
  return resolver
}

/** Messages with a valid header more often than chance, and labels of any bytes and lengths, and pointers. */
function packets(): Arbitrary<Uint8Array> {
  const label = uint8Array({ minLength: 1, maxLength: 63 }).map((bytes) => [bytes.length, ...bytes])
  const pointer = nat({ max: 40 }).map((to) => [0xc0, to])
  const name = tuple(array(label, { maxLength: 4 }), oneof(pointer, constantFrom([0]))).map(([labels, end]) => [
    ...labels.flat(),
    ...end,
  ])
  const type = constantFrom(1, 2, 5, 6, 12, 15, 16, 28, 33, 41, 43, 46, 47, 252, 255, 4711)
  const question = tuple(name, type, constantFrom(1, 3, 255, 99)).map(([bytes, kind, group]) => [
    ...bytes,
    ...word(kind),
    ...word(group),
  ])
  const data = uint8Array({ maxLength: 40 }).map((bytes) => [0, 0, 0, 9, ...word(bytes.length), ...bytes])
  const record = tuple(question, data).map(([head, rest]) => [...head, ...rest])
  const flags = oneof(constantFrom(0x0100, 0x8180, 0x0000), nat({ max: 65_535 }))
  const built = tuple(flags, array(question, { maxLength: 2 }), array(record, { maxLength: 3 }), nat({ max: 3 })).map(
    ([bits, questions, records, more]) =>
      Uint8Array.from([
        ...[7, 7],
        ...word(bits),
        ...word(questions.length),
        ...word(records.length),
        ...[0, 0, 0, more],
        ...questions.flat(),
        ...records.flat(),
      ]),
  )
  return oneof(uint8Array({ maxLength: 200 }), built, built)
}

function word(value: number): [number, number] {
  return [value >> 8, value & 255]
}

test('lines of the DNS process in any pieces are the lines that it wrote, or are refused as too long', () =>
  checkProperty(
    'dns-process-lines',
    property(array(foreignText(60), { maxLength: 6 }), cuts(400), nat({ max: 80 }), (texts, places, longest) => {
      const lines = texts.map((text) => text.replaceAll('\n', ' '))
      const read = makeLineReader(longest)
      const pieces = cutAnywhere(Buffer.from(lines.map((line) => `${line}\n`).join(''), 'utf16le'), places)
      const decoder = new TextDecoder('utf-16le', { ignoreBOM: true })
      const all = () => pieces.flatMap((piece) => read(decoder.decode(piece, { stream: true })))
      if (lines.some((line) => line.length > longest)) expect(all).toThrow('too long')
      else expect(all()).toEqual(lines.map((line) => line.toWellFormed()))
    }),
  ))

test('a report of the DNS process is refused, or has a harmless name and addresses', () =>
  checkProperty(
    'dns-process-report',
    property(foreignText(300), foreignText(20), (name, address) => {
      const shown = readableName(name)
      for (const type of ['answered', 'refused', 'virtual']) {
        const parsed = namesReportSchema.safeParse({ type, address, name, id: 1 })
        if (parsed.success && 'name' in parsed.data) expect(parsed.data.name).not.toMatch(/[^!-~]/)
        if (parsed.success) expect(parseIpv4(address)).toBeDefined()
      }
      const own = namesReportSchema.safeParse({ type: 'answered', address: '10.0.0.2', name: shown })
      expect(own.success).toBe(shown !== '')
    }),
  ))

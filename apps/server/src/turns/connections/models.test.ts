import { readSettings, serverSettings } from '@threadbox/config'
import { toolNames } from '@threadbox/protocol/public'
import { describe, expect, it } from 'vitest'
import { allowedAddressesOf, mayConnectTo, parseAllowedUrl } from '../../platform/outbound/addresses.logic.ts'
import { agentNames, slugOf } from './agent-names.logic.ts'
import { callContentOf } from './call-content.logic.ts'
import { redactor } from './mcp-session.ts'
import { type KnownTool, listedTools, maxTools, mergedTools } from './tool-list.logic.ts'
import { SchemaProblem, usableSchema } from './tool-schema.logic.ts'

const nothing = allowedAddressesOf('')
const asIs = (text: string) => text

describe('where connections may lead', () => {
  it.each([
    ...['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '169.254.169.254', '100.100.100.200', '0.0.0.0'],
    ...['224.0.0.1', '255.255.255.255', '198.18.0.1', '::1', '::', 'fe80::1', 'fc00::1', 'fd12::1', 'ff02::1'],
    // IPv6 forms that contain an IPv4 address.
    ...[
      '::ffff:127.0.0.1',
      '::ffff:a9fe:a9fe',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '2001:0:1::1',
      'not an address',
      '',
    ],
  ])('G9: %s is refused', (address) => {
    expect(mayConnectTo(address, nothing)).toBe(false)
  })

  it.each(['8.8.8.8', '172.32.0.1', '169.253.1.1', '2606:4700::1111'])('G9: %s is not', (address) => {
    expect(mayConnectTo(address, nothing)).toBe(true)
  })

  it('G9: an administrator allows single addresses, ranges and names, and only those', () => {
    const allowed = allowedAddressesOf('10.1.0.0/16, 192.168.7.7,  Tools.Internal ,fd00::/8')
    const may = (address: string) => mayConnectTo(address, allowed)
    expect(['10.1.255.1', '192.168.7.7', 'fd12::1'].map(may)).toEqual([true, true, true])
    expect(['10.2.0.1', '192.168.7.8', '127.0.0.1', 'fe80::1'].map(may)).toEqual([false, false, false, false])
    expect(parseAllowedUrl('http://tools.internal:8080/mcp', allowed).href).toBe('http://tools.internal:8080/mcp')
    expect(() => parseAllowedUrl('http://other.internal/mcp', allowed)).toThrow('must use HTTPS')
  })

  it.each([
    ['https://127.0.0.1/mcp', 'connection.address-refused'],
    ['https://[::1]/mcp', 'connection.address-refused'],
    // Other spellings of 127.0.0.1 that URLs accept.
    ['https://0x7f.1/mcp', 'connection.address-refused'],
    ['https://2130706433/mcp', 'connection.address-refused'],
    ['https://[::ffff:127.0.0.1]/mcp', 'connection.address-refused'],
    ['https://localhost/mcp', 'connection.address-refused'],
    ['https://a.localhost/mcp', 'connection.address-refused'],
    ['http://example.com/mcp', 'connection.address-invalid'],
    ['https://user:secret@example.com/mcp', 'connection.address-invalid'],
    ['https://example.com/mcp#part', 'connection.address-invalid'],
  ])('G9: %s cannot be a connection', (url, code) => {
    expect(() => parseAllowedUrl(url, nothing)).toThrow(expect.objectContaining({ code }))
  })

  it('refuses a list of allowed addresses with an invalid range', () => {
    const read = (THREADBOX_CONNECTIONS_ALLOW: string) => readSettings(serverSettings, { THREADBOX_CONNECTIONS_ALLOW })
    expect(read('10.0.0.0/8, tools.internal').connectionsAllow).toBe('10.0.0.0/8, tools.internal')
    for (const wrong of ['10.0.0.0/33', 'tools/8', '10.0.0.0/8/8', 'http://a']) expect(() => read(wrong)).toThrow()
  })
})

describe('names of tools', () => {
  it('G9: carry the connection’s name, in characters that every model can write, and never equal a built-in name', () => {
    const slug = slugOf('Google Drive (Büro)')
    expect(slug).toBe('google-drive-buro')
    expect(agentNames(slug, ['read_file', 'search files!', 'ok-1'])).toEqual([
      'google-drive-buro__read_file',
      'google-drive-buro__search_files_',
      'google-drive-buro__ok-1',
    ])
    expect(slugOf('文件')).toBe('connection')
    expect(slugOf('run_command__')).toBe('run-command')
    expect(toolNames.filter((name) => name.includes('__'))).toEqual([])
  })

  it('G9: stay different when the server’s names become equal or are too long', () => {
    const names = agentNames('a'.repeat(24), ['x y', 'x-y', 'x_y', 'x.y', 'n'.repeat(100), `${'n'.repeat(99)}m`])
    expect(new Set(names).size).toBe(6)
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
  })
})

describe('schemas of servers', () => {
  it('G9: keep what models understand and lose the rest', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What\u200b to\u202e find', pattern: '(a+)+$', format: 'made-up' },
        limit: { type: ['integer', 'null', 'nonsense'], minimum: 'low', maximum: 10 },
        where: { $ref: '#/$defs/place' },
        loop: { $ref: '#/$defs/ring' },
        any: 'no schema at all',
      },
      required: ['query', 'missing', 7],
      anyOf: [{ required: ['query'] }],
      $defs: {
        place: { type: 'object', properties: { city: { type: 'string' } } },
        ring: { type: 'object', properties: { ring: { $ref: '#/$defs/ring' } } },
      },
    }
    expect(usableSchema(schema)).toEqual({
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What to find' },
        limit: { type: ['integer', 'null'], maximum: 10 },
        where: { type: 'object', properties: { city: { type: 'string' } } },
        loop: { type: 'object', properties: { ring: {} } },
        any: {},
      },
      required: ['query'],
    })
    expect(usableSchema({})).toEqual({ type: 'object', properties: {} })
  })

  it.each<[string, unknown, string]>([
    ['nothing', null, 'not valid JSON Schema'],
    ['a list', [], 'not valid JSON Schema'],
    ['another type', { type: 'string' }, 'not an object'],
    ['a deep one', deepSchema(40), 'deeper than'],
    ['a wide one', { properties: manyFields(500) }, 'more than 128 fields'],
    ['a long one', { properties: { a: { enum: Array.from({ length: 400 }, () => 'x'.repeat(900)) } } }, 'longer than'],
    ['a name that models cannot write', { properties: { 'a b': {} } }, 'name that models can’t use'],
    ['one whose references unfold without end', unfoldingSchema(), 'more than 2000 parts'],
  ])('G9: a tool with %s is not offered, and says why', (_what, schema, problem) => {
    const began = performance.now()
    expect(() => usableSchema(schema)).toThrow(SchemaProblem)
    const { tools } = listedTools([{ name: 'tool', inputSchema: schema }], asIs)
    expect(tools[0]).toMatchObject({ schema: null, problem: expect.stringContaining(problem) })
    expect(performance.now() - began).toBeLessThan(5000)
  })
})

describe('lists of tools', () => {
  const list = (...raw: { name: string; description?: string; inputSchema?: unknown }[]) =>
    listedTools(
      raw.map((tool) => ({ inputSchema: { type: 'object' }, ...tool })),
      asIs,
    ).tools
  const known = (tools: ReturnType<typeof list>, approval: KnownTool['approval']): KnownTool[] =>
    tools.map((tool) => ({ ...tool, approval, isChanged: false, isListed: true }))

  it('G9: an approval is void when anything about the tool changes, and stays valid otherwise', () => {
    const before = known(list({ name: 'a', description: 'Reads.' }), 'allow')
    const same = list({ name: 'a', description: 'Reads.', inputSchema: { type: 'object' } })
    expect(mergedTools(before, same)).toMatchObject([{ approval: 'allow', isChanged: false }])
    const others = [
      list({ name: 'a', description: 'Reads and sends.' }),
      list({ name: 'a', description: 'Reads.', inputSchema: { type: 'object', properties: { to: {} } } }),
      // What is cut off for the model counts too.
      list({ name: 'a', description: 'Reads.', inputSchema: { type: 'object', unknown: 'keyword' } }),
    ]
    for (const other of others) expect(mergedTools(before, other)).toMatchObject([{ approval: 'ask', isChanged: true }])
  })

  it('G9: a tool that returns needs approval again; one that was off stays off, missing or changed', () => {
    const tools = list({ name: 'allowed' }, { name: 'off' })
    const before = known(tools, 'allow').map((tool) =>
      tool.name === 'off' ? { ...tool, approval: 'off' as const } : tool,
    )
    const missing = mergedTools(before, [])
    expect(missing).toMatchObject([{ name: 'off', isListed: false }])
    expect(mergedTools(missing, list({ name: 'allowed' }, { name: 'off', description: 'New.' }))).toMatchObject([
      { name: 'allowed', approval: 'ask' },
      { name: 'off', approval: 'off' },
    ])
  })

  it('G9: a new tool needs approval', () => {
    expect(mergedTools([], list({ name: 'new' }))).toMatchObject([{ approval: 'ask', isChanged: false }])
  })

  it('G9: tools beyond the limit, with repeated or unreadable names are counted, not offered', () => {
    const many = Array.from({ length: maxTools + 30 }, (_, index) => ({ name: `tool-${index}` }))
    const odd = [{ name: '' }, { name: 'x'.repeat(300) }, { name: 'hidden\u202ename' }]
    const { tools, furtherTools } = listedTools([...odd, ...many, { name: 'tool-1', description: 'again' }], asIs)
    expect(tools).toHaveLength(maxTools)
    expect(tools[1]).toMatchObject({ name: 'tool-1', description: '' })
    expect(furtherTools).toBe(33)
  })

  it('G9: neither invisible characters nor the secret reach the model', () => {
    const tag = String.fromCodePoint(0xe0041)
    const raw = { name: 'a', title: ' T\u200b ', description: `See\u202e ${tag}tok-123\n\tend`, inputSchema: {} }
    const { tools } = listedTools([raw], redactor(['tok-123']))
    expect(tools[0]).toMatchObject({ title: 'T', description: 'See [secret]\n\tend' })
  })
})

describe('answers of servers', () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64')

  it('G9: texts, images and notes about what is omitted', () => {
    const content = callContentOf(
      {
        content: [
          { type: 'text', text: 'one tok-123' },
          { type: 'image', data: png, mimeType: 'text/html' },
          { type: 'image', data: Buffer.from('<svg onload=x>').toString('base64'), mimeType: 'image/svg+xml' },
          { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
          { type: 'resource', resource: { uri: 'file:///a', text: 'inside' } },
          { type: 'resource', resource: { uri: 'file:///b', blob: 'AAAA' } },
          { type: 'resource_link', name: 'Page', uri: 'https://example.com' },
        ],
      },
      redactor(['tok-123']),
    )
    expect(content.text).toBe('one [secret]\n\n[file:///a]\ninside\n\n[Page: https://example.com]')
    expect(content.images).toMatchObject([{ mediaType: 'image/png' }])
    expect(content.notes).toEqual([
      expect.stringContaining('not a PNG'),
      expect.stringContaining('audio'),
      expect.stringContaining('file:///b'),
    ])
  })

  it('G9: an image that is too large and a fifth image are omitted with a note', () => {
    const image = { type: 'image' as const, data: png, mimeType: 'image/png' }
    const large = { ...image, data: 'A'.repeat(6 * 1024 * 1024) }
    const { images, notes } = callContentOf({ content: [large, ...Array.from({ length: 5 }, () => image)] }, asIs)
    expect(images).toHaveLength(4)
    expect(notes).toEqual([expect.stringContaining('larger than 4.0 MiB'), expect.stringContaining('4 are shown')])
  })

  it('values without a text are shown as JSON', () => {
    expect(callContentOf({ content: [], structuredContent: { a: 1 } }, asIs).text).toBe('{\n "a": 1\n}')
  })
})

function deepSchema(depth: number): Record<string, unknown> {
  return depth === 0 ? { type: 'string' } : { type: 'object', properties: { a: deepSchema(depth - 1) } }
}

function manyFields(count: number): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, {}]))
}

/** Four definitions, each of which references the next one 30 times. */
function unfoldingSchema(): unknown {
  const names = ['d0', 'd1', 'd2', 'd3']
  const definitions = names.map((name, index) => {
    const next = Array.from({ length: 30 }, (_, field) => [`f${field}`, { $ref: `#/$defs/d${index + 1}` }])
    return [name, { properties: Object.fromEntries(next) }]
  })
  return { type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs: Object.fromEntries(definitions) }
}

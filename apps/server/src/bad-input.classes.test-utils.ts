import type { BadInputRow } from './bad-input.row.test-utils.ts'

type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
}
/** An operation of the OpenAPI document. */
export type Operation = {
  security?: Record<string, string[]>[]
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

/** A request that is wrong in exactly one way, and the codes that its response can have. */
export type BadRequest = {
  title: string
  params?: Record<string, string>
  query?: Record<string, string>
  /** A query parameter to leave out. */
  omit?: string
  /** Appended to the query unchanged. */
  rawQuery?: string
  body?: unknown
  contentType?: string
  credentials?: 'none' | 'unknown-key' | 'expired-key' | 'expired-session' | 'key' | 'other-person' | 'spare-person'
  origin?: string
  codes: string[]
}

const megabyte = 1024 * 1024

/** All bad requests for a route, derived from the parameters and the body in the document. */
export function badRequestsFor(operation: Operation, row: BadInputRow): BadRequest[] {
  return [
    ...badCredentials(operation, row),
    ...badIds(operation, row),
    ...badQueries(operation, row),
    ...badBodies(operation, row),
    { title: 'an address with bytes that are not text', rawQuery: 'x=%FF%FE', codes: ['request.not-text'] },
    { title: 'an address with a NUL', rawQuery: 'x=%00', codes: ['request.not-text'] },
  ]
}

function badCredentials(operation: Operation, row: BadInputRow): BadRequest[] {
  const required = { codes: ['auth.required'] }
  return [
    ...(row.isPublic === true
      ? []
      : ([
          { title: 'no login', credentials: 'none', ...required },
          { title: 'an unknown API key', credentials: 'unknown-key', ...required },
          { title: 'an expired API key', credentials: 'expired-key', ...required },
          { title: 'an expired login', credentials: 'expired-session', ...required },
        ] as const)),
    ...(isSessionOnly(operation)
      ? [{ title: 'an API key', credentials: 'key' as const, codes: ['auth.session-required'] }]
      : []),
    ...(row.ownerOnly === undefined
      ? []
      : [{ title: 'a person who is not the owner', credentials: 'other-person' as const, codes: [row.ownerOnly] }]),
  ]
}

/** Whether no API key can send this, whatever its scopes. */
export function isSessionOnly({ security = [] }: Pick<Operation, 'security'>): boolean {
  return security.length > 0 && !security.some((sender) => 'apiKey' in sender)
}

function badIds(operation: Operation, row: BadInputRow): BadRequest[] {
  const names = (operation.parameters ?? []).filter(({ in: place }) => place === 'path').map(({ name }) => name)
  return names.flatMap((name): BadRequest[] => {
    const code = row.unknown?.[name] ?? 'no code in the row'
    const cases: [string, string, string[]][] = [
      ['an unknown id', 'unknown0000000000000a', [code]],
      ['an id that climbs up', '..%2f..%2fetc%2fpasswd', [code, 'request.invalid']],
      ['an id with quotes of SQL', "'%20or%20'1'='1", [code, 'request.invalid']],
      ['an id with a NUL', 'a%00b', ['request.not-text']],
      ['an id of bytes that are not text', '%C3%28', ['request.not-text']],
      ['a huge id', 'a'.repeat(5000), ['request.invalid']],
      ['a negative number as id', '-1', [code, 'request.invalid']],
    ]
    return cases.map(([title, value, codes]) => ({ title: `${title} (${name})`, params: { [name]: value }, codes }))
  })
}

function badQueries(operation: Operation, row: BadInputRow): BadRequest[] {
  const invalid = ['request.invalid']
  return (operation.parameters ?? [])
    .filter(({ in: place }) => place === 'query')
    .flatMap(({ name, required, schema }): BadRequest[] => {
      const pair = `${name}=${encodeURIComponent(row.query?.[name] ?? '1')}`
      const isGiven = row.query?.[name] !== undefined
      // A position in a list is a number and optional; a message is given by its id.
      const isPlace = name === 'before' && required !== true
      const isNumber = schema.type === 'integer' || schema.type === 'number' || isPlace
      const isPath = name === 'path'
      return [
        { title: `twice ${name}`, rawQuery: isGiven ? pair : `${pair}&${pair}`, codes: invalid },
        { title: `a huge ${name}`, query: { [name]: '9'.repeat(6000) }, codes: invalid },
        { title: `a NUL in ${name}`, query: { [name]: 'a\0b' }, codes: ['request.not-text'] },
        ...(name === 'cursor'
          ? [
              {
                title: 'a cursor of somebody else’s making',
                query: { cursor: 'bm9uZQ' },
                codes: ['request.cursor-invalid', 'request.invalid'],
              },
            ]
          : []),
        ...(required === true ? [{ title: `no ${name}`, omit: name, codes: invalid }] : []),
        ...(required === true ? [{ title: `an empty ${name}`, query: { [name]: '' }, codes: invalid }] : []),
        ...(isNumber
          ? ['-1', 'abc', '1.5', '1e999', '0x10'].map((value) => ({
              title: `${name}=${value}`,
              query: { [name]: value },
              codes: invalid,
            }))
          : []),
        ...(isPath
          ? ['../../etc/passwd', 'relative.txt'].map((value) => ({
              title: `path ${value}`,
              query: { path: value },
              codes: invalid,
            }))
          : []),
      ]
    })
}

function badBodies(operation: Operation, row: BadInputRow): BadRequest[] {
  const schema = operation.requestBody?.content['application/json']?.schema
  if (schema === undefined) return []
  const invalid = ['request.invalid']
  const body = row.body ?? {}
  const without = (name: string) => Object.fromEntries(Object.entries(body).filter(([key]) => key !== name))
  return [
    { title: 'an empty body', body: '', codes: ['request.not-json'] },
    { title: 'a body that is not JSON', body: '{"a":', codes: ['request.not-json'] },
    {
      title: 'a body of bytes that are not text',
      body: new Uint8Array([0x7b, 0xff, 0x7d]),
      codes: ['request.not-text'],
    },
    { title: 'a huge body', body: `{"a":"${'x'.repeat(3 * megabyte)}"}`, codes: ['request.too-large'] },
    {
      title: 'a deep body',
      body: '['.repeat(50_000) + ']'.repeat(50_000),
      codes: ['request.invalid', 'request.not-json'],
    },
    { title: 'a list as body', body: [], codes: invalid },
    { title: 'null as body', body: 'null', codes: invalid },
    { title: 'another kind of body', body: 'a=1', contentType: 'text/plain', codes: invalid },
    { title: 'a field that nobody knows', body: { ...body, surprise: true }, codes: invalid },
    { title: 'a field that changes prototypes', body: `{"__proto__":{"a":1}, "surprise":1}`, codes: invalid },
    ...(schema.required ?? []).map((name) => ({ title: `no ${name}`, body: without(name), codes: invalid })),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => badFields({ name, property, body })),
  ]
}

function badFields(field: { name: string; property: Schema; body: Record<string, unknown> }): BadRequest[] {
  const { name, property, body } = field
  const types = [property.type ?? property.anyOf?.map((one) => one.type) ?? []].flat(2)
  const codes = ['request.invalid']
  const change = (title: string, value: unknown, expected = codes): BadRequest => ({
    title: `${title} as ${name}`,
    body: { ...body, [name]: value },
    codes: expected,
  })
  return [
    change('an object in a list', [{}]),
    ...(types.includes('string')
      ? [
          change('a number', 5),
          change('a NUL', 'a\0b', ['request.not-text']),
          // JSON can contain a lone surrogate; text can't.
          change('half a character', '\ud800', ['request.not-text']),
          change('a huge text', 'x'.repeat(400_000)),
        ]
      : []),
    ...(types.includes('integer') || types.includes('number')
      ? [change('a text', '1'), change('a negative number', -1), change('a huge number', 1e300)]
      : []),
    ...(types.includes('boolean') ? [change('a text', 'true')] : []),
  ]
}

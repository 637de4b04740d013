import type { Grant } from '@threadbox/protocol/egress'
import { secretNotUsableHere } from './broker.errors.ts'
import type { HeaderPair, RequestHead } from './request-head.logic.ts'
import { latin1Of } from './secret-forms.logic.ts'
import { checkPosition, hostOf, type Purpose, type Target, unmetCondition } from './target.logic.ts'

/** A request as it goes to the host. */
export type InsertedHead = {
  path: string
  headers: HeaderPair[]
  used: Grant[]
  purpose: Purpose
}

const methodHeaders = new Set(['x-http-method', 'x-http-method-override', 'x-method-override'])
/** A rule can’t set what frames a message. */
const ruleRefused = /^(:.*|accept-encoding|connection|content-length|expect|host|te|trailer|transfer-encoding|upgrade)$/

/**
 * Replaces the placeholders of a request’s head with the values. Throws `secret.not-usable-here` for a placeholder that
 * may not be where it is; nothing is then sent.
 */
export function insertIntoHead(head: RequestHead, grants: readonly Grant[], target: Target): InsertedHead {
  const [path = '', query] = splitOnce(head.path, '?')
  const overridesMethod = head.headers.some(([name]) => methodHeaders.has(name))
  const purpose: Purpose = { target, method: head.method, path, overridesMethod }
  const inserter = makeInserter(grants, purpose)
  const encode = (value: string) => encodeURIComponent(value)
  const asHeader = (value: string, grant: Grant) => headerText(value, grant, target)
  const inserted = {
    path: inserter.insert(path, { position: 'path', encode }),
    query: query === undefined ? '' : `?${inserter.insert(query, { position: 'query', encode })}`,
    headers: head.headers.map(([name, value]): HeaderPair => {
      if (inserter.isIn(name)) inserter.insert(name, { position: 'header', encode: refuseName(target) })
      const basic = name === 'authorization' ? basicOf(value) : undefined
      if (basic === undefined || !inserter.isIn(basic)) {
        return [name, inserter.insert(value, { position: 'header', encode: asHeader })]
      }
      const plain = inserter.insert(basic, { position: 'header', encode: latin1Of })
      return [name, `Basic ${Buffer.from(plain, 'latin1').toString('base64')}`]
    }),
  }
  const rules = rulesFor(grants, purpose)
  const ruled = new Set(rules.map(({ pair: [name] }) => name))
  return {
    path: inserted.path + inserted.query,
    headers: [...inserted.headers.filter(([name]) => !ruled.has(name)), ...rules.map(({ pair }) => pair)],
    used: [...new Set([...inserter.used, ...rules.map(({ grant }) => grant)])],
    purpose,
  }
}

/**
 * Replaces the placeholders in a body with the values, in the form that the media type requires. `grants` are those that
 * may be in it ({@link bodyGrantsOf}).
 */
export function insertIntoBody(
  body: Buffer,
  { grants, purpose, mediaType }: { grants: readonly Grant[]; purpose: Purpose; mediaType: string },
): { body: Buffer; used: Grant[] } {
  const inserter = makeInserter(grants, purpose)
  const text = body.toString('latin1')
  const plain = inserter.insert(text, { position: 'body', encode: (value) => latin1Of(bodyText(value, mediaType)) })
  return inserter.used.length === 0 ? { body, used: [] } : { body: Buffer.from(plain, 'latin1'), used: inserter.used }
}

/** The grants whose placeholders may be in the body of such a request. */
export function bodyGrantsOf(grants: readonly Grant[], purpose: Purpose): Grant[] {
  return grants.filter((grant) => grant.positions.includes('body') && unmetCondition(grant, purpose) === undefined)
}

function bodyText(value: string, mediaType: string): string {
  if (/^application\/x-www-form-urlencoded\b/i.test(mediaType)) return encodeURIComponent(value)
  return /^[a-z-]+\/([\w.-]+\+)?json\b/i.test(mediaType) ? JSON.stringify(value).slice(1, -1) : value
}

type Inserting = { position: Grant['positions'][number]; encode(value: string, grant: Grant): string }

type Search = { ordered: readonly Grant[]; placeholders: RegExp | undefined }
const searches = new WeakMap<readonly Grant[], Search>()

/** Kept for as long as the same list of grants is: that is, until they change. */
function searchFor(grants: readonly Grant[]): Search {
  const known = searches.get(grants)
  if (known !== undefined) return known
  // A placeholder that begins with another is found first.
  const ordered = grants.toSorted((a, b) => b.placeholder.length - a.placeholder.length)
  const pattern = ordered.map(({ placeholder }) => placeholder.replace(/[^A-Za-z0-9_]/g, '\\$&')).join('|')
  const search = { ordered, placeholders: pattern === '' ? undefined : new RegExp(pattern, 'g') }
  searches.set(grants, search)
  return search
}

function makeInserter(grants: readonly Grant[], purpose: Purpose) {
  const { ordered, placeholders } = searchFor(grants)
  const used = new Set<Grant>()
  return {
    get used() {
      return [...used]
    },
    isIn: (text: string) => ordered.some(({ placeholder }) => text.includes(placeholder)),
    /** In one pass, so that a value that contains a placeholder changes nothing. */
    insert: (text: string, { position, encode }: Inserting) =>
      placeholders === undefined
        ? text
        : text.replace(placeholders, (found) => {
            const grant = ordered.find(({ placeholder }) => placeholder === found)
            if (grant === undefined) return found
            checkPosition(grant, position, purpose)
            used.add(grant)
            return encode(grant.value, grant)
          }),
  }
}

function headerText(value: string, grant: Grant, target: Target): string {
  const text = latin1Of(value)
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return text
  const condition = 'its value has characters that no header can have'
  throw secretNotUsableHere({ secret: grant.name, host: hostOf(target), condition })
}

function refuseName(target: Target) {
  return (_: string, grant: Grant): never => {
    const condition = 'its placeholder is not allowed in the name of a header'
    throw secretNotUsableHere({ secret: grant.name, host: hostOf(target), condition })
  }
}

/** The headers to set without a placeholder. Where two grants set the same one, the first does. */
function rulesFor(grants: readonly Grant[], purpose: Purpose): { grant: Grant; pair: HeaderPair }[] {
  const found = new Map<string, { grant: Grant; pair: HeaderPair }>()
  for (const grant of grants) {
    if (grant.header === null || unmetCondition(grant, purpose) !== undefined) continue
    const name = grant.header.name.toLowerCase()
    if (found.has(name) || ruleRefused.test(name) || !/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) continue
    found.set(name, { grant, pair: [name, headerText(grant.header.prefix + grant.value, grant, purpose.target)] })
  }
  return [...found.values()]
}

/** The decoded text of a Basic `Authorization`, one character per byte. */
function basicOf(value: string): string | undefined {
  const encoded = /^basic[ \t]+([A-Za-z0-9+/_-]+={0,2})[ \t]*$/i.exec(value)?.[1]
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('latin1')
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

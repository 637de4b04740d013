import { isReservedSecretName, nameOfSecretHost, parseSecretHost } from '@threadbox/domain'
import type { CreateSecret, Secret, UpdateSecret } from '@threadbox/protocol/public'
import {
  secretHeaderReserved,
  secretHostInvalid,
  secretHostOwn,
  secretNameReserved,
  secretUnusable,
  secretValueEmpty,
  secretValueMultiline,
  secretValueSpaces,
  secretValueTooLong,
  secretValueUnprintable,
} from './secrets.errors.ts'

/** Where a secret goes, and how its placeholders begin. */
export type SecretRules = Pick<
  Secret,
  'hosts' | 'positions' | 'methods' | 'pathPrefix' | 'header' | 'placeholderPrefix'
>

const maxValueBytes = 64 * 1024

/** Throws the reason if a request could never carry the value unchanged. */
export function checkValue(value: string): void {
  if (value === '') throw secretValueEmpty({})
  if (Buffer.byteLength(value) > maxValueBytes) throw secretValueTooLong({ limitBytes: maxValueBytes })
  if (/[\r\n]/.test(value)) throw secretValueMultiline({})
  if (!/^[\t\x20-\x7e]*$/.test(value)) throw secretValueUnprintable({})
  if (value.trim() !== value) throw secretValueSpaces({})
}

export function checkName(name: string): void {
  if (isReservedSecretName(name)) throw secretNameReserved({ name })
}

/** They say where a request goes, or where it ends. */
const reservedHeaders =
  /^(host|content-length|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|proxy-.*|accept-encoding|:.*)$/i

/** The rules in the form in which they are compared. `before`: those that the request leaves as they are. */
export function checkedRules(
  request: Pick<CreateSecret, keyof SecretRules> | UpdateSecret,
  context: { before: SecretRules | undefined; isOwnName(name: string): boolean },
): SecretRules {
  const before = context.before ?? {
    hosts: [],
    positions: ['header'],
    methods: null,
    pathPrefix: null,
    header: null,
    placeholderPrefix: '',
  }
  const header = request.header === undefined ? before.header : request.header
  if (header !== null && reservedHeaders.test(header.name)) throw secretHeaderReserved({ name: header.name })
  const positions = [...new Set(request.positions ?? before.positions)]
  if (positions.length === 0 && header === null) throw secretUnusable({})
  const { hosts, methods, pathPrefix, placeholderPrefix } = request
  return {
    hosts: hosts === undefined ? before.hosts : checkedHosts(hosts, context.isOwnName),
    positions,
    methods: methods === undefined ? before.methods : methods && [...new Set(methods)],
    pathPrefix: pathPrefix === undefined ? before.pathPrefix : pathPrefix,
    header,
    placeholderPrefix: placeholderPrefix ?? before.placeholderPrefix,
  }
}

function checkedHosts(hosts: readonly string[], isOwnName: (name: string) => boolean): string[] {
  const checked = hosts.map((text) => {
    const parsed = parseSecretHost(text)
    if (isOwnName(text.trim().toLowerCase().split(':')[0] ?? '')) throw secretHostOwn({ host: text.slice(0, 100) })
    if ('problem' in parsed) throw secretHostInvalid({ host: text.slice(0, 100) })
    if (isOwnName(nameOfSecretHost(parsed.host))) throw secretHostOwn({ host: parsed.host })
    return parsed.host
  })
  return [...new Set(checked)].toSorted()
}

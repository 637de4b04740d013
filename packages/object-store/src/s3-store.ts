import { AwsClient } from 'aws4fetch'
import {
  storeFormatNewer,
  storeNameInvalid,
  storeOfOtherProgram,
  storeRefused,
  storeUnreachable,
} from './object-store.errors.ts'
import {
  contentOf,
  isKnownFormat,
  isPlainName,
  type ObjectContent,
  type ObjectRow,
  type ObjectStore,
  storeFormat,
} from './object-store.ts'

export type S3StoreOptions = {
  /** `https://HOST`, without the bucket. */
  endpoint: string
  bucket: string
  /** Empty, or a name with a `/` at the end. */
  prefix: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  /** Times that a request is repeated after a failure of the store or the network. */
  retries?: number
}

type Call = { path: string; method?: string; headers?: Record<string, string>; body?: Blob | undefined }
type Send = (call: Call) => Promise<Response>

const leaseName = 'lease'

/** A store in a bucket. Needs conditional writes (`If-None-Match`, `If-Match`), which every current S3 has. */
export async function openS3Store(options: S3StoreOptions): Promise<ObjectStore> {
  const place = `${options.endpoint}/${options.bucket}/${options.prefix}`
  const send = makeSend(options, place)
  const pathOf = (name: string) => {
    if (!isPlainName(name)) throw storeNameInvalid({ name: name.slice(0, 200) })
    return `/${options.bucket}/${options.prefix}${name}`
  }
  const refused = async (response: Response) =>
    storeRefused({ place, reason: `${response.status} ${(await response.text()).slice(0, 300)}` })
  const write = async (name: string, content: ObjectContent, condition: Record<string, string>) => {
    const headers = { ...condition, 'x-amz-content-sha256': content.sha256 }
    const response = await send({ path: pathOf(name), method: 'PUT', headers, body: content.body })
    if (response.status === 412 || response.status === 409) return undefined
    if (!response.ok) throw await refused(response)
    return response.headers.get('etag') ?? ''
  }
  const read = async (name: string, headers: Record<string, string> = {}) => {
    const response = await send({ path: pathOf(name), headers })
    if (response.status === 404) return undefined
    if (!response.ok && response.status !== 416) throw await refused(response)
    return response
  }
  const ports = { send, options, refused }
  await prepareFormat({ place, read, write, ports })
  return {
    place,
    put: async (name, content) => {
      const etag = await write(name, content, { 'if-none-match': '*' })
      return etag === undefined ? 'existed' : 'stored'
    },
    get: async (name, range) => {
      const last = range === undefined ? 0 : range.offset + range.length - 1
      const headers = range === undefined ? {} : { range: `bytes=${range.offset}-${last}` }
      const response = await read(name, headers as Record<string, string>)
      if (response === undefined) return undefined
      return response.status === 416 ? new Blob([]).stream() : (response.body ?? new Blob([]).stream())
    },
    list: (prefix) => listObjects(ports, prefix),
    delete: async (name) => {
      const response = await send({ path: pathOf(name), method: 'DELETE' })
      if (!response.ok && response.status !== 404) throw await refused(response)
    },
    readLease: async () => {
      const response = await read(leaseName)
      return response && { text: await response.text(), version: response.headers.get('etag') ?? '' }
    },
    writeLease: async (text, over) => {
      const condition: Record<string, string> = over === undefined ? { 'if-none-match': '*' } : { 'if-match': over }
      return await write(leaseName, await contentOf(text), condition)
    },
  }
}

function makeSend(options: S3StoreOptions, place: string): Send {
  const { accessKeyId, secretAccessKey, region } = options
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: options.retries ?? 5 })
  return async ({ path, method = 'GET', headers = {}, body }) => {
    const init = { method, headers, ...(body === undefined ? {} : { body }), redirect: 'error' as const }
    const response = await client.fetch(`${options.endpoint}${path}`, init).catch((cause: Error) => {
      const inner = cause.cause instanceof Error ? `: ${cause.cause.message}` : ''
      throw storeUnreachable({ place, reason: `${cause.message}${inner}` }, { cause })
    })
    if (response.status < 500) return response
    throw storeUnreachable({ place, reason: `${response.status} ${(await response.text()).slice(0, 300)}` })
  }
}

type Preparing = {
  place: string
  read(name: string): Promise<Response | undefined>
  write(name: string, content: ObjectContent, condition: Record<string, string>): Promise<string | undefined>
  ports: ListPorts
}

async function prepareFormat({ place, read, write, ports }: Preparing): Promise<void> {
  const format = await read('format')
  if (format === undefined) {
    for await (const _ of listObjects(ports, '')) throw storeOfOtherProgram({ place })
    await write('format', await contentOf(`${storeFormat}\n`), { 'if-none-match': '*' })
    return
  }
  const known = isKnownFormat(await format.text())
  if (known === 'newer') throw storeFormatNewer({ place })
  if (known === 'unknown') throw storeOfOtherProgram({ place })
}

type ListPorts = { send: Send; options: S3StoreOptions; refused(response: Response): Promise<Error> }

async function* listObjects({ send, options, refused }: ListPorts, prefix: string): AsyncIterable<ObjectRow> {
  let token: string | undefined
  do {
    const query = new URLSearchParams({ 'list-type': '2', prefix: `${options.prefix}${prefix}` })
    if (token !== undefined) query.set('continuation-token', token)
    const response = await send({ path: `/${options.bucket}?${query}` })
    if (!response.ok) throw await refused(response)
    const page = await response.text()
    for (const [, row = ''] of page.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
      const name = textIn(row, 'Key').slice(options.prefix.length)
      yield { name, sizeBytes: Number(textIn(row, 'Size')), modifiedAt: Date.parse(textIn(row, 'LastModified')) }
    }
    token = textIn(page, 'IsTruncated') === 'true' ? textIn(page, 'NextContinuationToken') : undefined
  } while (token !== undefined && token !== '')
}

/** The names of objects are ours, and plain; other values have no markup but these. */
function textIn(xml: string, tag: string): string {
  const [, text = ''] = new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml) ?? []
  return text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

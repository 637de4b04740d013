import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sleepingEntryHeader } from '@threadbox/protocol/host'

type Message = { headers: Record<string, string>; body: string }
export type Exchange = {
  call: string
  request: Message & { method: string; path: string }
  response: Message & { status: number }
}

export type Recorder = AsyncDisposable & {
  socketPath: string
  exchanges: Exchange[]
  /** The name under which the next exchanges are recorded. */
  begin(call: string): void
  /** A value that differs between runs is recorded as this name. */
  name(value: string, name: string): void
}

/** Headers about the transport or the time only. */
const unrecordedHeaders = new Set(['host', 'connection', 'keep-alive', 'date'])
const streamedTypes = new Set(['application/x-ndjson'])
/** A disk has no content type when it is sent to a host. */
const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
const binaryTypes = new Set(['application/zstd', 'application/zip'])

/** Measured numbers: times, durations, and sizes of real files. */
const measured =
  /"(at|bootStartedAt|durationMs|stallMs|imageBytes|knownSince|diskUsedBytes|writtenBytes|usedBytes|bytes|bytesBefore|bytesNow|since|modifiedSeconds|modifiedNanos|memoryTotalBytes|memoryAvailableBytes|poolTotalBytes|poolUsedBytes|memoryImageBytes|memoryImageBudgetBytes|frozenBytes)":[\d.]+/g
/** A key of this run, and what was sealed for it. */
const sealed = /"(sealingKey|sealedSecrets)":"(?:[^"\\]|\\.)*"/g
/** Findings of the machine’s own checks depend on the machine. */
const finding = /"(state|detail|cure|code|values)":(?:"(?:[^"\\]|\\.)*"|\{(?:"(?:[^"\\]|\\.)*"|[^"{}])*\})/g

/** A proxy socket in front of a host that records each exchange on the wire. */
export async function startRecorder(hostUrl: string): Promise<Recorder> {
  const socketPath = join(tmpdir(), `threadbox-wire-${process.pid}-${Date.now()}.sock`)
  const exchanges: Exchange[] = []
  const names = new Map<string, string>()
  let call = ''
  const named = (text: string) => [...names].reduce((named, [value, name]) => named.replaceAll(value, name), text)
  const server = createServer((incoming, outgoing) => {
    const current = call
    const sent: Buffer[] = []
    const forwarded = httpRequest(hostUrl + incoming.url, { method: incoming.method, headers: incoming.headers })
    incoming.on('data', (part: Buffer) => sent.push(part))
    incoming.pipe(forwarded)
    outgoing.on('close', () => forwarded.destroy())
    forwarded.on('error', () => outgoing.destroy())
    forwarded.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 0, response.headers)
      const received: Buffer[] = []
      const note = () => {
        const request = { method: incoming.method ?? '', path: named(incoming.url ?? ''), ...messageOf(incoming, sent) }
        const answer = { status: response.statusCode ?? 0, ...messageOf(response, received) }
        answer.body = current === 'doctor' ? answer.body.replace(finding, '"$1":"<found>"') : answer.body
        exchanges.push({
          call: current,
          request: { ...request, body: named(request.body) },
          response: { ...answer, body: named(answer.body) },
        })
      }
      const isStream = streamedTypes.has(response.headers['content-type'] ?? '')
      response.on('data', (part: Buffer) => {
        received.push(part)
        if (isStream && received.length === 1) note()
        outgoing.write(part)
      })
      response.on('end', () => {
        if (!isStream) note()
        outgoing.end()
      })
      response.on('error', () => outgoing.destroy())
    })
  })
  await listen(server, socketPath)
  return {
    socketPath,
    exchanges,
    begin: (next) => {
      call = next
    },
    name: (value, name) => void names.set(value, name),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      const { promise, resolve } = Promise.withResolvers<void>()
      server.close(() => resolve())
      await promise
    },
  }
}

function messageOf(message: IncomingMessage, parts: Buffer[]): Message {
  const headers = Object.fromEntries(
    Object.entries(message.headers)
      .filter(([name]) => !unrecordedHeaders.has(name))
      .map(([name, value]) => [name, headerOf(name, String(value))])
      .toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1)),
  )
  const bytes = Buffer.concat(parts)
  const isBinary = binaryTypes.has(headers['content-type'] ?? '') || bytes.includes(zstdMagic)
  return { headers, body: isBinary ? '<bytes>' : textIn(bytes) }
}

function textIn(bytes: Buffer): string {
  return bytes.toString().replace(measured, '"$1":"<number>"').replace(sealed, '"$1":"<sealed>"')
}

function headerOf(name: string, value: string): string {
  if (name === 'content-length') return '<length>'
  if (name !== sleepingEntryHeader) return value
  return Buffer.from(value, 'base64url').toString().replace(measured, '"$1":"<number>"')
}

/** As text, so that a difference is readable. */
export function textOf(exchanges: readonly Exchange[]): string {
  const lines = ({ headers, body }: Message) => [
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === '' ? [] : ['', body.trimEnd()]),
  ]
  return exchanges
    .map(({ call, request, response }) =>
      [
        `### ${call}`,
        ...[`${request.method} ${request.path}`, ...lines(request), ''],
        ...[`HTTP ${response.status}`, ...lines(response), ''],
      ].join('\n'),
    )
    .join('\n')
}

async function listen(server: Server, socketPath: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(socketPath, resolve)
  await promise
}

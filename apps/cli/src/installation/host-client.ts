import { request } from 'node:http'

/**
 * Sends one request to the host daemon over its Unix socket: a POST with `body` as JSON, else a GET. Rejects if there
 * is no response in time; the caller checks the status.
 */
export function askHost(options: {
  socketPath: string
  path: string
  body?: unknown
  timeoutMs: number
}): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const { socketPath, path, body, timeoutMs } = options
    const kind = body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' } }
    const sent = request({ socketPath, path, timeout: timeoutMs, ...kind }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.once('error', reject)
      answer.once('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({ status: answer.statusCode ?? 0, body: parseJson(text) })
      })
    })
    sent.once('timeout', () => sent.destroy(new Error(`no response within ${timeoutMs / 1000} s`)))
    sent.once('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

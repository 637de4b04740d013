import { request } from 'node:http'

/**
 * One GET to the host daemon over its unix socket. Rejects when it does not answer in time; the answer's status is the
 * caller's to judge.
 */
export function askHost(options: {
  socketPath: string
  path: string
  timeoutMs: number
}): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { socketPath: options.socketPath, path: options.path, timeout: options.timeoutMs },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.once('error', reject)
        answer.once('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          resolve({ status: answer.statusCode ?? 0, body: parseJson(text) })
        })
      },
    )
    sent.once('timeout', () => sent.destroy(new Error(`no answer within ${options.timeoutMs / 1000} s`)))
    sent.once('error', reject)
    sent.end()
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

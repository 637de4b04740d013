import { createConnection } from 'node:net'
import { defineError } from '@threadbox/errors'

export const kernelNotAnswering = defineError<{ problem: string }>({
  code: 'kernel.not-answering',
  kind: 'unavailable',
  message: ({ problem }) => `The Python kernel isn’t responding: ${problem}`,
  remedy: () => 'Wait until its cell finishes, or stop the cell.',
})

/** Limit for a kernel's description of its variables: enough for very many, and no more than memory allows. */
const answerLimitBytes = 64 * 1024 * 1024

/**
 * Sends a request to the kernel's control socket. A thread of the kernel responds to it, also while a cell runs; only a
 * computation that never releases the interpreter blocks it. One request, one reply. Rejects with
 * `kernel.not-answering`.
 */
export function askKernel(options: {
  socketPath: string
  request: { operation: string } & Record<string, unknown>
  timeoutMs: number
}): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path: options.socketPath })
    const chunks: Buffer[] = []
    let size = 0
    const fail = (problem: string, cause?: unknown) => {
      clearTimeout(timeout)
      socket.destroy()
      reject(kernelNotAnswering({ problem }, { cause }))
    }
    const timeout = setTimeout(() => fail(`nothing came within ${options.timeoutMs} ms`), options.timeoutMs)
    socket.on('error', (error) => fail(error.message, error))
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > answerLimitBytes) fail('its response is too large')
    })
    socket.on('end', () => {
      clearTimeout(timeout)
      try {
        resolve(checkAnswer(JSON.parse(Buffer.concat(chunks).toString('utf8'))))
      } catch (error) {
        fail(error instanceof Error ? error.message : 'its response is not JSON', error)
      }
    })
    socket.end(`${JSON.stringify(options.request)}\n`)
  })
}

function checkAnswer(answer: unknown): unknown {
  if (typeof answer === 'object' && answer !== null && 'error' in answer) throw new Error(String(answer.error))
  return answer
}

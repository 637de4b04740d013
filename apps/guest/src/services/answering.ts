import { request } from 'node:http'
import { connect } from 'node:net'

/** A page that a development server builds at its first request takes a while; a server of another protocol stays silent. */
const answerMs = 5_000
const connectMs = 1_000

/**
 * Whether a port answers: any HTTP answer counts, as does an accepted connection on which something else is spoken, or
 * nothing at all for a while.
 */
export async function answers(target: { address: string; port: number }, signal: AbortSignal): Promise<boolean> {
  if (!(await accepts(target, signal))) return false
  return await new Promise((resolve) => {
    const asked = request(
      { host: target.address, port: target.port, path: '/', method: 'GET', agent: false, signal, timeout: answerMs },
      (response) => {
        response.destroy()
        resolve(true)
      },
    )
    asked.once('timeout', () => {
      asked.destroy()
      resolve(true)
    })
    asked.once('error', (error) => resolve(!isRefusal(error) && !signal.aborted))
    asked.end()
  })
}

function accepts(target: { address: string; port: number }, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: target.address, port: target.port, signal })
    const settle = (value: boolean) => {
      socket.destroy()
      resolve(value)
    }
    socket.setTimeout(connectMs, () => settle(false))
    socket.once('connect', () => settle(true))
    socket.once('error', () => settle(false))
  })
}

/** It closed the connection before it spoke, as a server does that is about to end or that expects another protocol. */
function isRefusal(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
}

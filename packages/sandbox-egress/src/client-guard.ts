import { readClientHello } from './client-hello.logic.ts'
import { type Guard, makeCollected } from './guard.ts'
import { makeHttpGuard } from './http-guard.ts'

/** More than any client sends; with keys that resist quantum computers a ClientHello has some 2 KB. */
const maxHelloBytes = 16 * 1024
const handshakeRecord = 22

/**
 * Checks that a connection to a name is for that name, as far as the bytes of the sandbox show it: TLS at any port, which
 * alone is allowed at 443, and HTTP at port 80. Everything else passes.
 */
export function makeClientGuard(target: { name: string; port: number }): Guard {
  let chosen: Guard | undefined
  return {
    push: (bytes) => {
      // The first byte decides, and a piece can be empty.
      if (bytes.length === 0) return { forward: [] }
      chosen ??= choose(target, bytes)
      return chosen.push(bytes)
    },
    // A server can be the first to speak, except where TLS or HTTP is required.
    isWaiting: () => chosen?.isWaiting() ?? isClientFirst(target),
  }
}

/** Whether the first bytes of the sandbox must have been checked before the name is connected to. */
function isClientFirst({ port }: { port: number }): boolean {
  return port === 443 || port === 80
}

function choose(target: { name: string; port: number }, bytes: Buffer): Guard {
  if (target.port === 443 || bytes[0] === handshakeRecord) return makeTlsGuard(target)
  if (target.port === 80) return makeHttpGuard(target)
  return everything
}

const everything: Guard = { push: (bytes) => ({ forward: [bytes] }), isWaiting: () => false }

/** Lets everything pass after a ClientHello for `name`. */
function makeTlsGuard({ name }: { name: string }): Guard {
  const collected = makeCollected(maxHelloBytes)
  let hasPassed = false
  return {
    push: (bytes) => {
      if (hasPassed) return { forward: [bytes] }
      const taken = collected.add(bytes)
      const hello = readClientHello(collected.bytes())
      if (hello === 'incomplete') return collected.isFull() ? { refused: 'too-long' } : { forward: [] }
      if (hello === 'not-tls') return { refused: 'not-tls' }
      if (hello === 'invalid') return { refused: 'tls-invalid' }
      if (hello.name === undefined) return { refused: 'server-name-missing' }
      const wanted = hello.name.toLowerCase().replace(/\.$/, '')
      if (wanted !== name) return { refused: 'server-name-wrong' }
      hasPassed = true
      return { forward: [collected.bytes(), bytes.subarray(taken)] }
    },
    isWaiting: () => !hasPassed,
  }
}

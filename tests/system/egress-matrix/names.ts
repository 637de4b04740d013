import type { Answer, Question } from 'dns-packet'
import { type NameServer, startNameServer } from '../isolation/rebinding-name-server.ts'

const chainLength = 12
const textBytes = 4096

/**
 * The names of this test’s internet. `*.turning.site.test`: a public address in the first response, a private one after it.
 * `chain` and `private-chain`: twelve CNAME records lead to the address. `*.texts.*`: texts of 4 KiB, as a tunnel would use.
 */
export function startMatrixNameServer(options: {
  publicNames: readonly string[]
  publicAddress: string
  privateAddress: string
}): Promise<NameServer> {
  const { publicNames, publicAddress, privateAddress } = options
  const turned = new Set<string>()
  const addressOf = (name: string): string | undefined => {
    if (name === 'private.site.test') return privateAddress
    if (publicNames.includes(name)) return publicAddress
    if (!name.endsWith('.turning.site.test')) return undefined
    if (turned.has(name)) return privateAddress
    turned.add(name)
    return publicAddress
  }
  return startNameServer(({ name: asked, type }) => {
    const name = asked.toLowerCase()
    if (type === 'TXT' && name.includes('.texts.')) return [longText(asked)]
    if (type !== 'A') return []
    if (name === 'chain.site.test') return chain(asked, publicAddress)
    if (name === 'private-chain.site.test') return chain(asked, privateAddress)
    const data = addressOf(name)
    return data === undefined ? [] : [{ type: 'A', name: asked, data, ttl: 1 }]
  })
}

function longText(name: Question['name']): Answer {
  return { type: 'TXT', name, ttl: 1, data: Array.from({ length: textBytes / 128 }, () => 'x'.repeat(128)) }
}

function chain(name: string, address: string): Answer[] {
  const links = [name, ...Array.from({ length: chainLength }, (_, index) => `link-${index + 1}.${name}`)]
  const aliases = links
    .slice(1)
    .map((data, index): Answer => ({ type: 'CNAME', name: links[index] ?? '', data, ttl: 1 }))
  return [...aliases, { type: 'A', name: links.at(-1) ?? '', data: address, ttl: 1 }]
}

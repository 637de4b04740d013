import { splitNetworkEntry } from './network-entry.ts'
import { isPort, type NameProblem, parseNetworkName } from './network-name.ts'

/** Why a text is no host of a secret. */
export type SecretHostProblem = NameProblem | 'wildcard' | 'port'

/**
 * The form in which a secret’s host is stored and compared: one exact name, with a port unless it is 443. A value is for
 * the server that a person named, so nothing else may stand for it: no wildcard, no address in any notation.
 */
export function parseSecretHost(text: string): { host: string } | { problem: SecretHostProblem } {
  const [name = '', port, ...more] = text.trim().split(':')
  if (more.length > 0) return { problem: 'address' }
  if (name.includes('*')) return { problem: 'wildcard' }
  const parsed = parseNetworkName(name)
  if ('problem' in parsed) return parsed
  if (port === undefined) return { host: parsed.name }
  if (!isPort(port)) return { problem: 'port' }
  return { host: port === '443' ? parsed.name : `${parsed.name}:${port}` }
}

/** The name of a host in the form of {@link parseSecretHost}, without its port. */
export function nameOfSecretHost(host: string): string {
  return splitNetworkEntry(host).name
}

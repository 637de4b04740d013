import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Writes a test authority (`authority.pem`), which a test makes an installation trust, and a certificate of hosts with its
 * key (`host.pem`, `host.key`).
 */
export async function makeTestCertificates(directory: string, hosts: readonly [string, ...string[]]): Promise<void> {
  const file = (end: string) => path.join(directory, end)
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const authority = ['-keyout', file('authority.key'), '-out', file('authority.pem'), '-subj', '/CN=Test authority']
  // Python refuses an authority without it.
  const usage = ['-addext', 'keyUsage=critical,keyCertSign,cRLSign']
  await run('openssl', ['req', '-x509', ...key, ...authority, ...usage])
  const own = ['-keyout', file('host.key'), '-out', file('host.pem'), '-subj', `/CN=${hosts[0]}`]
  const signed = ['-CA', file('authority.pem'), '-CAkey', file('authority.key')]
  const names = hosts.map((host) => `DNS:${host}`).join(',')
  const extensions = ['-addext', `subjectAltName=${names}`, '-addext', 'basicConstraints=CA:FALSE']
  await run('openssl', ['req', '-x509', ...key, ...signed, ...own, ...extensions])
}

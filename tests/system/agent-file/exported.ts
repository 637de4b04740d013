import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { hostPaths } from '@threadbox/protocol/host'
import type { AcceptAgentDraft, Agent, AgentDraft } from '@threadbox/sdk'
import { expect } from 'vitest'
import { sandboxIdsOf, type TestInstallation } from '../../stack/installation.ts'

/** The file of the current version of an agent. */
export async function exportAgent({ server }: TestInstallation, { id, current }: Agent): Promise<Buffer> {
  const where = `${server.loopbackOrigin}/api/v1/agents/${id}/versions/${current.version}/export`
  const response = await fetch(where, { headers: { authorization: `Bearer ${server.apiKey}` } })
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

/** Head and disk of an exported file; the disk is decompressed into another line and tar. */
export function partsOf(exported: Buffer): { head: Record<string, unknown>; disk: Buffer } {
  const start = exported.indexOf('\n') + 1
  const end = exported.indexOf('\n', start)
  const head = JSON.parse(exported.subarray(start, end).toString()) as Record<string, unknown>
  return { head, disk: exported.subarray(end + 1) }
}

/** Imports a file and accepts everything in it. */
export async function importAgent({ client }: Pick<TestInstallation, 'client'>, file: Blob): Promise<Agent> {
  const draft = await client.agents.import(file)
  return await client.agents.accept(draft.id, everythingIn(draft))
}

export function everythingIn(draft: AgentDraft): AcceptAgentDraft {
  return {
    sha256: draft.file.sha256,
    instructions: true,
    environment: draft.environment !== null,
    variables: draft.environment !== null,
    services: draft.services.map(({ name }) => name),
    skills: draft.skills.items.map(({ name }) => name),
    connections: draft.connections.items.flatMap(({ here }) => here?.id ?? []),
  }
}

/** Contents of an installation’s pool; every disk in it belongs to a sandbox. */
export async function onPool({ host }: TestInstallation): Promise<{ sandboxes: string[]; usedBytes: number }> {
  const sandboxes = await sandboxIdsOf({ host })
  const { body } = await host.request('GET', hostPaths.info())
  const disks = execFileSync('ls', [path.join(host.diskDirectory, 'pool/disks')]).toString()
  expect(disks.split('\n').filter((name) => name.startsWith('b') && !sandboxes.includes(name))).toEqual([])
  return { sandboxes: sandboxes.toSorted(), usedBytes: (body as { poolUsedBytes: number }).poolUsedBytes }
}

import { makeKeyedLock } from '@threadbox/concurrency'
import { unpackSkill } from '@threadbox/protocol/host'
import {
  type AcceptAgentDraft,
  type Agent,
  type AgentDraft,
  type AgentDraftFile,
  type AgentDraftSummary,
  type AgentDrafts as AgentDraftsView,
  maxAgentDraftsPerHome,
} from '@threadbox/protocol/public'
import type { Audit } from '../../people/public.ts'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import type { Operations } from '../../platform/operations/operations.ts'
import type { System } from '../../platform/system/system.ts'
import { type Access, workspaceNotFound } from '../../threads/public.ts'
import { type AcceptDraftDependencies, type AcceptedItems, acceptDraft } from './accept-draft.ts'
import { type DraftPlace, type DraftSkill, itemsOf } from './agent-drafts.logic.ts'
import type { AgentDraftStore } from './agent-drafts.store.ts'
import type { AgentDraftRow } from './agent-drafts.table.ts'
import type { AgentFile } from './agent-file.logic.ts'
import { agentDraftLimitReached, agentDraftNotFound } from './agents.errors.ts'
import { makeByteReader } from './byte-reader.ts'
import type { Environments } from './environments.usecases.ts'
import { measured, readDisk, readHead, readSkills } from './read-draft.ts'

/** Deletes what a draft kept, once it is accepted, declined or was not received completely. */
export const eraseDraftOperation = 'erase-agent-draft'

/** The longest time that an upload may take: after a crash in it, its skills are deleted then. */
const receivingMs = 24 * 60 * 60_000

type Bytes = AsyncIterable<Uint8Array>

/**
 * Imported agent files that wait for a person. Nothing of a draft runs, is given to a model or is available to a thread.
 * Methods throw `agent-draft.not-found`, also for a draft that the user must not review.
 */
export type AgentDrafts = {
  /**
   * Keeps an untrusted file as a draft. Throws `agent-file.damaged`, `agent-file.other-format`, `agent-file.other-image`,
   * `agent-draft.limit-reached`, and what checking skills throws; in that case nothing of the file is kept.
   */
  import(userId: string, file: { workspaceId: string | null; bytes: Bytes }): Promise<AgentDraft>
  list(userId: string): Promise<AgentDraftsView>
  get(userId: string, draftId: string): Promise<AgentDraft>
  /** Throws `agent-draft.not-found` also for a file that the draft doesn’t have. */
  file(userId: string, draftId: string, wanted: { skill: string; path: string }): Promise<AgentDraftFile>
  /**
   * Makes the draft an agent that has what the user accepted, and nothing else. Throws `agent-draft.other-file` unless
   * the user reviewed this file, `agent-draft.not-offered`, and what creating agents and skills throws.
   */
  accept(userId: string, draftId: string, choices: AcceptAgentDraft): Promise<Agent>
  decline(userId: string, draftId: string): Promise<AgentDraftSummary>
  /** Whether a draft has this ID and the user may review it. */
  isDraft(userId: string, draftId: string): Promise<boolean>
  /** Call it before a workspace is deleted permanently. */
  eraseOf(home: string): Promise<void>
  /** Called at start: deletes what drafts kept that an earlier server accepted or declined. */
  recover(): Promise<void>
}

export type AgentDraftsDependencies = {
  store: AgentDraftStore
  access: Access
  requireWorkspace: (userId: string, workspaceId: string) => Promise<void>
  workspaceIdsOf: (userId: string) => Promise<string[]>
  accepting: AcceptDraftDependencies
  environments: Pick<Environments, 'receive' | 'discard' | 'keep' | 'sweep'>
  placeOf: (draft: { userId: string; workspaceId: string | null; file: AgentFile }) => Promise<DraftPlace>
  blobs: BlobStore
  operations: Operations
  audit: Audit
  system: System
  onChanged: (home: { userId: string; workspaceId: string | null }) => Promise<void>
}

const folderOf = (draftId: string) => `agent-drafts/${draftId}`
const keyOf = (draftId: string, skill: string) => `${folderOf(draftId)}/${skill}`

export function makeAgentDrafts(dependencies: AgentDraftsDependencies): AgentDrafts {
  const { store, access, operations, blobs, system } = dependencies
  const oneAtATime = makeKeyedLock()
  operations.register(eraseDraftOperation, async ({ subjectId }) => {
    // It was received, but the server stopped before it withdrew the removal.
    if ((await store.find(subjectId)) !== undefined) return
    await dependencies.environments.sweep()
    await blobs.deleteAll(folderOf(subjectId))
    await store.remove(subjectId)
  })
  const erase = (draftId: string) =>
    operations.plan({ kind: eraseDraftOperation, subjectId: draftId, dueAt: system.now() })
  const mayReview = (userId: string, row: AgentDraftRow) =>
    access.may(userId, 'change', { workspaceId: row.workspace_id, ownerId: row.owner_id, isPrivate: false })
  const open = async (userId: string, draftId: string) => {
    const row = await store.find(draftId)
    if (row === undefined || !(await mayReview(userId, row))) throw agentDraftNotFound({})
    return row
  }
  const present = async (userId: string, row: AgentDraftRow) => {
    const file = fileOf(row)
    const place = await dependencies.placeOf({ userId, workspaceId: row.workspace_id, file })
    return { ...summaryOf(row, file), ...itemsOf(file, skillsOf(row), place) }
  }
  const packageOf = async (row: AgentDraftRow, skill: string) => {
    const blob = await blobs.get(keyOf(row.id, skill))
    const bytes = blob && new Uint8Array(await new Response(blob.stream).arrayBuffer())
    // Only a decline in the meantime deletes it.
    if (bytes === undefined) throw agentDraftNotFound({})
    return unpackSkill(bytes) ?? []
  }
  const told = async (
    row: AgentDraftRow,
    event: { userId: string; action: string; details: Record<string, string | number> },
  ) => {
    const { userId, action, details } = event
    const all = { name: fileOf(row).name, sha256: row.sha256, ...details }
    await dependencies.audit.record({ userId, action, subject: row.id, details: all })
    await dependencies.onChanged({ userId: row.owner_id, workspaceId: row.workspace_id })
  }
  return {
    import: async (userId, incoming) => {
      const row = await receive(dependencies, { userId, ...incoming, erase })
      await told(row, { userId, action: 'agent-file-imported', details: { sizeBytes: Number(row.size_bytes) } })
      return await present(userId, row)
    },
    list: async (userId) => {
      const rows = await store.list([userId, ...(await dependencies.workspaceIdsOf(userId))])
      const allowed = await Promise.all(rows.map((row) => mayReview(userId, row)))
      return { drafts: rows.filter((_, at) => allowed[at]).map((row) => summaryOf(row, fileOf(row))) }
    },
    get: async (userId, draftId) => present(userId, await open(userId, draftId)),
    file: async (userId, draftId, { skill, path }) => {
      const row = await open(userId, draftId)
      const isOffered = skillsOf(row).some(({ name }) => name === skill)
      const found = isOffered ? (await packageOf(row, skill)).find((one) => one.path === path) : undefined
      if (found === undefined) throw agentDraftNotFound({})
      const { content, isExecutable } = found
      return { path, isExecutable, sizeBytes: content.byteLength, text: textOf(content) }
    },
    accept: (userId, draftId, choices) =>
      oneAtATime(draftId, async () => {
        const row = await open(userId, draftId)
        const { agent, accepted } = await acceptDraft(dependencies.accepting, {
          userId,
          draft: { id: row.id, workspaceId: row.workspace_id, sha256: row.sha256, environmentId: row.environment_id },
          file: fileOf(row),
          items: await present(userId, row),
          choices,
          skillFiles: (name) => packageOf(row, name),
          close: async (writer) => {
            if (!(await store.close(row.id, writer))) throw agentDraftNotFound({})
          },
        })
        await erase(row.id)
        await told(row, { userId, action: 'agent-file-accepted', details: { accepted: wordsOf(accepted) } })
        return agent
      }),
    decline: (userId, draftId) =>
      oneAtATime(draftId, async () => {
        const row = await open(userId, draftId)
        if (!(await store.close(row.id))) throw agentDraftNotFound({})
        await erase(row.id)
        await told(row, { userId, action: 'agent-file-declined', details: {} })
        return summaryOf(row, fileOf(row))
      }),
    isDraft: async (userId, draftId) => {
      const row = await store.find(draftId)
      return row !== undefined && (await mayReview(userId, row))
    },
    eraseOf: async (home) => {
      for (const { id } of await store.list([home])) {
        await store.close(id)
        await erase(id)
      }
    },
    recover: async () => {
      for (const id of await store.goneIds()) await erase(id)
    },
  }
}

/** The removal is planned first and withdrawn when the row exists, so that a crash leaves nothing behind. */
async function receive(
  dependencies: AgentDraftsDependencies,
  order: { userId: string; workspaceId: string | null; bytes: Bytes; erase: (draftId: string) => Promise<void> },
): Promise<AgentDraftRow> {
  const { store, system, blobs, operations, environments } = dependencies
  const { userId, workspaceId } = order
  const { bytes, result } = measured(order.bytes)
  const reader = makeByteReader(bytes)
  const id = system.newId('agent')
  const received: { environmentId: string | null } = { environmentId: null }
  try {
    await requireRoom(dependencies, { userId, workspaceId })
    const file = await readHead(reader)
    await operations.plan({ kind: eraseDraftOperation, subjectId: id, dueAt: system.now() + receivingMs })
    const skills = await readSkills({ file, reader }, (name, content) => blobs.put(keyOf(id, name), content))
    received.environmentId = (await readDisk(environments, { userId, file, reader }))?.id ?? null
    await reader.drain()
    const { sha256, sizeBytes } = result()
    const row: AgentDraftRow = {
      id,
      owner_id: userId,
      workspace_id: workspaceId,
      home: workspaceId ?? userId,
      state: 'waiting',
      file_json: JSON.stringify(file),
      skills_json: JSON.stringify(skills),
      sha256,
      size_bytes: sizeBytes,
      environment_id: received.environmentId,
      imported_at: system.now(),
    }
    await store.insert(row)
    if (received.environmentId !== null) await environments.keep(received.environmentId)
    await operations.withdraw(eraseDraftOperation, id)
    return row
  } catch (error) {
    await order.erase(id)
    if (received.environmentId !== null) await environments.discard(userId, received.environmentId)
    // A client that is still sending does not read the response.
    await reader.drain()
    throw error
  }
}

async function requireRoom(
  { store, access, requireWorkspace }: AgentDraftsDependencies,
  { userId, workspaceId }: { userId: string; workspaceId: string | null },
): Promise<void> {
  if (workspaceId !== null) {
    await requireWorkspace(userId, workspaceId)
    const subject = { workspaceId, ownerId: userId, isPrivate: false }
    await access.require(userId, 'change', { subject, notFound: () => workspaceNotFound({}) })
  }
  if ((await store.count(workspaceId ?? userId)) >= maxAgentDraftsPerHome) {
    throw agentDraftLimitReached({ limit: maxAgentDraftsPerHome })
  }
}

function fileOf(row: AgentDraftRow): AgentFile {
  return JSON.parse(row.file_json) as AgentFile
}

function skillsOf(row: AgentDraftRow): DraftSkill[] {
  return JSON.parse(row.skills_json) as DraftSkill[]
}

function summaryOf(row: AgentDraftRow, { name, description, exportedAt }: AgentFile): AgentDraftSummary {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name,
    description,
    importedAt: Number(row.imported_at),
    file: { sha256: row.sha256, sizeBytes: Number(row.size_bytes), exportedAt },
  }
}

function wordsOf({ services, skills, connections, ...parts }: AcceptedItems): string {
  const kinds = Object.entries(parts).flatMap(([kind, isAccepted]) => (isAccepted ? [kind] : []))
  const named = Object.entries({ service: services, skill: skills, connection: connections })
  return [...kinds, ...named.flatMap(([kind, names]) => names.map((name) => `${kind} ${name}`))].join(', ')
}

function textOf(content: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    return null
  }
}

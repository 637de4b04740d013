import type { CalledConnection } from '@threadbox/protocol/public'
import { type Audit, auditChange } from '../../people/public.ts'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { Access } from '../../threads/public.ts'
import { agentNames } from './agent-names.logic.ts'
import { type CallContent, callContentOf } from './call-content.logic.ts'
import { approvalsOf } from './connection-audit.logic.ts'
import { connectionNotFound, connectionToolGone, connectionToolOff } from './connections.errors.ts'
import type { ConnectionStore } from './connections.store.ts'
import type { ConnectionRow } from './connections.table.ts'
import { redactor } from './mcp-session.ts'
import type { OAuthTokens } from './oauth-tokens.ts'
import { addressOf, recordList } from './server-look.ts'
import type { Sessions } from './sessions.ts'
import { type KnownTool, maxTools } from './tool-list.logic.ts'
import type { InputSchema } from './tool-schema.logic.ts'

/** A tool of a connection, as the model gets it. */
export type OfferedTool = {
  agentName: string
  description: string
  schema: InputSchema
  plan: ConnectionPlan
  connection: CalledConnection
}

/**
 * What is recorded with a call: the tool, the fingerprint of the tool for which approval was requested, and the
 * fingerprint for which the call was allowed once.
 */
export type ConnectionPlan = {
  connectionId: string
  tool: string
  askedFingerprint: string | null
  approvedFingerprint: string | null
}

/** Whether a call can be made now. `ask`: it needs approval for the tool as currently described. */
export type CallPermission = 'go' | 'ask'

export type CallResult = { kind: 'made'; content: CallContent } | { kind: 'ask' }

/** What turns do with connections. */
export type AgentConnections = {
  /** Returns the tools as last listed. Contacts no server, so that none can delay a turn. */
  offered(threadId: string): Promise<{ tools: OfferedTool[]; leftOut: number }>
  /** Returns what a request for approval shows: the tool as currently stored. Throws `connection.tool-gone`. */
  question(threadId: string, plan: ConnectionPlan): Promise<{ connection: CalledConnection; plan: ConnectionPlan }>
  /** Throws `connection.tool-gone`, `connection.tool-off`. */
  permission(threadId: string, plan: ConnectionPlan): Promise<CallPermission>
  /**
   * Makes a call, once or not at all. With `ask` and `connection.tool-*` the call was not made: the server describes
   * the tool differently than when it was allowed. A server's misbehavior is thrown as a `ThreadboxError`.
   */
  call(
    threadId: string,
    plan: ConnectionPlan,
    request: { input: Record<string, unknown>; signal: AbortSignal },
  ): Promise<CallResult>
  /**
   * Always allows a tool, as it was when approval was requested; a tool that has changed since then stays as it is.
   * Throws `connection.not-found` if the user can't change the connection.
   */
  allowAlways(userId: string, plan: ConnectionPlan): Promise<void>
}

/**
 * `userId`: whose own connections the thread can use; null: none, because others can work in it. `only` limits the
 * connections that the thread can use; null: all that are available in its scope.
 */
export type ConnectionScope = { userId: string | null; workspaceId: string | null; only: readonly string[] | null }

export type AgentConnectionsDependencies = {
  store: ConnectionStore
  access: Pick<Access, 'may'>
  audit: Pick<Audit, 'record'>
  sessions: Sessions
  secretBox: SecretBox
  oauthTokens: OAuthTokens
  /** Returns the thread's owner, workspace and selected connections; undefined when the thread is deleted. */
  placeOf(threadId: string): Promise<ConnectionScope | undefined>
  now: () => number
}

/** Limit of a description for the model; the app shows the full description. */
const maxDescriptionCharacters = 1500

class ApprovalVoid extends Error {
  override readonly name = 'ApprovalVoid'
}

export function makeAgentConnections(dependencies: AgentConnectionsDependencies): AgentConnections {
  const { store } = dependencies
  const rowsOf = async (threadId: string) => {
    const place = await dependencies.placeOf(threadId)
    if (place === undefined) return []
    const { userId, workspaceId, only } = place
    const rows = await store.list(userId, workspaceId === null ? [] : [workspaceId])
    return inherited(rows.filter((row) => row.is_enabled === 1 && (only === null || only.includes(row.id))))
  }
  const find = async (threadId: string, plan: ConnectionPlan) => {
    const row = (await rowsOf(threadId)).find(({ id }) => id === plan.connectionId)
    const tools = row === undefined ? [] : ((await store.tools([row.id])).get(row.id) ?? [])
    const tool = tools.find(({ name, isListed }) => isListed && name === plan.tool)
    if (row === undefined || tool === undefined) throw connectionToolGone({ tool: plan.tool })
    return { row, tool }
  }
  return {
    offered: async (threadId) => {
      const rows = await rowsOf(threadId)
      const known = await store.tools(rows.map(({ id }) => id))
      const all = rows.flatMap((row) => offeredOf(row, known.get(row.id) ?? []))
      return { tools: all.slice(0, maxTools), leftOut: Math.max(0, all.length - maxTools) }
    },
    question: async (threadId, plan) => {
      const { row, tool } = await find(threadId, plan)
      const askedPlan = { ...plan, askedFingerprint: tool.fingerprint, approvedFingerprint: null }
      return { connection: calledConnection(row, tool), plan: askedPlan }
    },
    permission: async (threadId, plan) => permissionFor((await find(threadId, plan)).tool, plan),
    call: async (threadId, plan, request) => {
      const { row } = await find(threadId, plan)
      try {
        return { kind: 'made', content: await makeCall(dependencies, { row, plan, threadId, ...request }) }
      } catch (error) {
        if (error instanceof ApprovalVoid) return { kind: 'ask' }
        throw error
      }
    },
    allowAlways: async (userId, plan) => {
      const row = await store.find(plan.connectionId)
      const subject = { workspaceId: row?.workspace_id ?? null, ownerId: row?.user_id ?? '', isPrivate: false }
      if (row === undefined || !(await dependencies.access.may(userId, 'manage', subject))) throw connectionNotFound({})
      const before = (await store.tools([row.id])).get(row.id) ?? []
      await store.changeTools(row, (known) => ({
        tools: known.map((tool) => {
          const isMeant =
            tool.name === plan.tool && tool.fingerprint === plan.askedFingerprint && tool.approval === 'ask'
          return isMeant ? { ...tool, approval: 'allow', isChanged: false } : tool
        }),
      }))
      const after = (await store.tools([row.id])).get(row.id) ?? []
      await dependencies.audit.record({
        userId,
        action: 'connection-tools-approved',
        subject: row.id,
        details: { name: row.name },
        ...auditChange(approvalsOf(before), approvalsOf(after)),
      })
    },
  }
}

/** A workspace's connection replaces the owner's own connection whose tools would have the same names. */
function inherited(rows: readonly ConnectionRow[]): ConnectionRow[] {
  const ofWorkspace = new Set(rows.filter((row) => row.workspace_id !== null).map((row) => row.slug))
  return rows.filter((row) => row.workspace_id !== null || !ofWorkspace.has(row.slug))
}

function offeredOf(row: ConnectionRow, known: readonly KnownTool[]): OfferedTool[] {
  const listed = known.filter((tool) => tool.isListed)
  const names = agentNames(
    row.slug,
    listed.map((tool) => tool.name),
  )
  return listed.flatMap((tool, index): OfferedTool[] => {
    const agentName = names[index]
    if (tool.approval === 'off' || tool.schema === null || agentName === undefined) return []
    const described = tool.description.slice(0, maxDescriptionCharacters)
    const description = `From the connection ${JSON.stringify(row.name)}. The server describes it as: ${described}`
    const plan = { connectionId: row.id, tool: tool.name, askedFingerprint: null, approvedFingerprint: null }
    return [{ agentName, description, schema: tool.schema, plan, connection: calledConnection(row, tool) }]
  })
}

function calledConnection(row: ConnectionRow, tool: KnownTool): CalledConnection {
  return { id: row.id, name: row.name, tool: tool.name, title: tool.title, description: tool.description }
}

function permissionFor(tool: KnownTool, plan: ConnectionPlan): CallPermission {
  if (tool.approval === 'off') throw connectionToolOff({ tool: tool.name })
  const isAllowed = tool.approval === 'allow' || plan.approvedFingerprint === tool.fingerprint
  return isAllowed ? 'go' : 'ask'
}

async function makeCall(
  dependencies: AgentConnectionsDependencies,
  call: {
    row: ConnectionRow
    plan: ConnectionPlan
    threadId: string
    input: Record<string, unknown>
    signal: AbortSignal
  },
): Promise<CallContent> {
  const { row, plan } = call
  const address = addressOf(row, dependencies)
  const place = { connectionId: row.id, revision: row.revision, threadId: call.threadId }
  return await dependencies.sessions.call(place, {
    address,
    signal: call.signal,
    onList: async (list) => {
      const tools = await recordList(dependencies, row, { list, address })
      const tool = tools?.find(({ name, isListed }) => isListed && name === plan.tool)
      if (tool === undefined) throw connectionToolGone({ tool: plan.tool })
      if (permissionFor(tool, plan) === 'ask') throw new ApprovalVoid()
    },
    make: async (session) =>
      callContentOf(await session.call(plan.tool, call.input, call.signal), redactor(address.secrets)),
  })
}

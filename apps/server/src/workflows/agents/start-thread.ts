import type { NetworkPolicy, StartedFrom } from '@threadbox/protocol/public'
import type { NetworkPolicies, ThreadDrafts, ThreadSecretGrants, ThreadSetups } from '../../threads/public.ts'
import { agentStartInterrupted } from './agents.errors.ts'
import type { AgentRow, AgentVersionRow } from './agents.table.ts'

/** An order for a thread that starts from an agent. */
export type StartThread = {
  agentId: string
  /** Default: the current version. */
  version?: number | undefined
  /** The owner of the new thread, who must be allowed to work with the agent. */
  ownerId: string
  /** Default: derived from its first message. */
  title?: string | undefined
  /**
   * Created and recorded by the caller beforehand, so that the order can be repeated after a crash: an existing thread
   * with this ID is the one of the first order.
   */
  threadId?: string | undefined
  /**
   * What the thread can use if the agent names no connections, as a JSON list. Default: all connections that a thread
   * in its scope has.
   */
  connectionIdsJson?: string | null | undefined
  /** Narrows what its sandbox reaches, from the first moment. */
  network?: NetworkPolicy | null | undefined
}

export type StartDependencies = {
  threadDrafts: ThreadDrafts
  setups: Pick<ThreadSetups, 'insertIfMissing'>
  network: Pick<NetworkPolicies, 'narrowNew'>
  /** Gives the thread a sandbox that starts as a copy of an environment. */
  startEnvironment: (order: { environmentId: string; threadId: string }) => Promise<void>
  secrets: Pick<ThreadSecretGrants, 'inherit'>
  /** The thread whose sandbox an environment is a copy of. */
  sourceOf: (environmentId: string) => Promise<string | undefined>
  onSandboxChanged: (threadId: string) => void
}

/** The thread stays hidden with a scheduled removal until it is complete, so that a crash leaves nothing visible. */
export async function startThread(
  dependencies: StartDependencies,
  start: { agent: AgentRow; version: AgentVersionRow; order: StartThread },
): Promise<string> {
  const { threadDrafts, setups } = dependencies
  const { agent, version, order } = start
  const from: StartedFrom = { agentId: agent.id, name: agent.name, version: version.version }
  const existing = order.threadId === undefined ? undefined : await threadDrafts.stateOf(order.threadId)
  if (order.threadId !== undefined && existing === 'shown') return order.threadId
  if (order.threadId !== undefined && existing === 'hidden') {
    await threadDrafts.abandon(order.threadId)
    throw agentStartInterrupted({})
  }
  const id = await threadDrafts.create({
    ...(order.threadId === undefined ? {} : { id: order.threadId }),
    user_id: order.ownerId,
    workspace_id: agent.workspace_id,
    model_id: version.model_id,
    title: order.title ?? '',
    title_source: order.title === undefined ? 'none' : 'person',
    started_from_json: JSON.stringify(from),
  })
  try {
    const { instructions, skill_ids_json } = version
    const connection_ids_json = version.connection_ids_json ?? order.connectionIdsJson ?? null
    await setups.insertIfMissing({ thread_id: id, instructions, skill_ids_json, connection_ids_json })
    if (order.network != null) await dependencies.network.narrowNew(id, order.network)
    if (version.environment_id !== null) {
      const shared = { is_private: 0, is_personal_off: 0 }
      const place = { id, user_id: order.ownerId, workspace_id: agent.workspace_id, ...shared }
      const source = await dependencies.sourceOf(version.environment_id)
      if (source !== undefined) await dependencies.secrets.inherit(source, place)
      await dependencies.startEnvironment({ environmentId: version.environment_id, threadId: id })
    }
    await threadDrafts.show(id)
    dependencies.onSandboxChanged(id)
    return id
  } catch (error) {
    await threadDrafts.abandon(id)
    throw error
  }
}

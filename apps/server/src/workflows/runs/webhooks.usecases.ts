import {
  type CreatedWebhook,
  type CreateWebhook,
  maxTriggersPerAgent,
  type UpdateWebhook,
  type Webhook,
  type Webhooks as WebhooksView,
} from '@threadbox/protocol/public'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import { requireTriggered } from './own-runs.ts'
import type { RunDependencies } from './run-dependencies.ts'
import type { RunIntake } from './run-intake.ts'
import { parseRunNetwork, runNetworkJson } from './run-network.logic.ts'
import {
  runTriggerLimit,
  runTriggerNotFound,
  webhookDisabled,
  webhookOutOfTime,
  webhookRefused,
  webhookReplayed,
} from './runs.errors.ts'
import { presentWebhook } from './runs.presenter.ts'
import type { WebhookRow } from './runs.table.ts'
import {
  isInTime,
  isSignedBy,
  makeWebhookSecret,
  messageOf,
  type SignedRequest,
  toleranceSeconds,
} from './webhook-signature.logic.ts'

/**
 * Webhooks: addresses at which a signed request starts a run. Methods throw `agent.not-found` or
 * `run.trigger-not-found`, also for another user’s. `origin` is the app’s origin for the caller.
 */
export type Webhooks = {
  list(userId: string, agentId: string, origin: string): Promise<WebhooksView>
  /** Returns the secret, only this once. Throws `agent.version-not-found`, `run.trigger-limit`. */
  create(caller: { userId: string; origin: string }, agentId: string, request: CreateWebhook): Promise<CreatedWebhook>
  update(caller: { userId: string; origin: string }, id: string, request: UpdateWebhook): Promise<Webhook>
  /** Replaces the secret; the previous one is rejected from then on. Returns the new secret, only this once. */
  renewSecret(caller: { userId: string; origin: string }, id: string): Promise<CreatedWebhook>
  delete(userId: string, id: string): Promise<void>
  /**
   * Starts a run for an unauthenticated request. Throws `webhook.refused`, the same for an unknown address and a wrong
   * signature. To a sender with the secret it throws `webhook.out-of-time`, `webhook.disabled`, `webhook.replayed`,
   * `run.queue-full`.
   */
  deliver(id: string, request: SignedRequest & { text: string }): Promise<{ runId: string }>
}

type Dependencies = Pick<RunDependencies, 'store' | 'webhooks' | 'agents' | 'audit' | 'system' | 'onChanged'> & {
  secretBox: SecretBox
  intake: RunIntake
  nudge: () => void
}

export function makeWebhooks(dependencies: Dependencies): Webhooks {
  const { webhooks, agents, system, secretBox } = dependencies
  const open = async (userId: string, id: string) => {
    const row = await webhooks.find(id)
    if (row === undefined) throw runTriggerNotFound({})
    await requireTriggered(agents, { userId, row })
    return row
  }
  const changed = async (userId: string, row: WebhookRow, action: string) => {
    await dependencies.audit.record({ userId, action, subject: row.id, details: { name: row.name } })
    dependencies.onChanged(userId, row.agent_id)
  }
  return {
    list: async (userId, agentId, origin) => {
      await agents.resolve(userId, { agentId, version: null, action: 'read' })
      return { webhooks: (await webhooks.list(agentId)).map((row) => presentWebhook(row, origin)) }
    },
    create: async ({ userId, origin }, agentId, { name, input, version = null, network = null }) => {
      await agents.resolve(userId, { agentId, version, action: 'work' })
      if ((await webhooks.list(agentId)).length >= maxTriggersPerAgent) {
        throw runTriggerLimit({ limit: maxTriggersPerAgent })
      }
      const secret = makeWebhookSecret(system.randomBytes)
      const row: WebhookRow = {
        id: system.newId('trigger'),
        agent_id: agentId,
        user_id: userId,
        name,
        input,
        agent_version: version,
        sealed_secret: secretBox.seal(secret),
        is_enabled: 1,
        created_at: system.now(),
        last_used_at: null,
        connection_ids_json: JSON.stringify(await agents.usableConnections(userId)),
        network_json: runNetworkJson(network),
      }
      await webhooks.insert(row)
      await changed(userId, row, 'webhook-added')
      return { ...presentWebhook(row, origin), secret }
    },
    update: async ({ userId, origin }, id, request) => {
      const row = await open(userId, id)
      const version = request.version === undefined ? row.agent_version : request.version
      await agents.resolve(userId, { agentId: row.agent_id, version, action: 'work' })
      const network = request.network === undefined ? parseRunNetwork(row.network_json) : request.network
      const isEnabled = request.isEnabled === undefined ? row.is_enabled : request.isEnabled ? 1 : 0
      const columns = {
        name: request.name ?? row.name,
        input: request.input ?? row.input,
        agent_version: version,
        is_enabled: isEnabled,
        user_id: userId,
        connection_ids_json: JSON.stringify(await agents.usableConnections(userId)),
        network_json: runNetworkJson(network),
      }
      await webhooks.update(id, columns)
      await changed(userId, { ...row, ...columns }, 'webhook-changed')
      return presentWebhook({ ...row, ...columns }, origin)
    },
    renewSecret: async ({ userId, origin }, id) => {
      const row = await open(userId, id)
      const secret = makeWebhookSecret(system.randomBytes)
      // Never returns a secret that is not stored: a webhook that was deleted or renewed in the meantime is not found.
      if (!(await webhooks.replaceSecret(row, secretBox.seal(secret)))) throw runTriggerNotFound({})
      await changed(userId, row, 'webhook-secret-renewed')
      return { ...presentWebhook(row, origin), secret }
    },
    delete: async (userId, id) => {
      const row = await open(userId, id)
      await webhooks.remove(id)
      await changed(userId, row, 'webhook-deleted')
    },
    deliver: (id, request) => deliver(dependencies, id, request),
  }
}

async function deliver(
  dependencies: Dependencies,
  id: string,
  request: SignedRequest & { text: string },
): Promise<{ runId: string }> {
  const { webhooks, agents, system, secretBox, intake } = dependencies
  const row = await webhooks.find(id)
  // An unknown address takes as long as a wrong secret.
  const secret = row === undefined ? makeWebhookSecret(system.randomBytes) : secretBox.open(row.sealed_secret)
  const isSigned = isSignedBy(secret, request)
  if (row === undefined || !isSigned) throw webhookRefused({})
  if (!isInTime(request.timestamp, system.now())) throw webhookOutOfTime({ toleranceSeconds })
  if (row.is_enabled === 0) throw webhookDisabled({})
  const replayed = async () => {
    const runId = await webhooks.runOf(id, request.id)
    return runId === undefined ? undefined : webhookReplayed({ runId })
  }
  const before = await replayed()
  if (before !== undefined) throw before
  const agent = { agentId: row.agent_id, version: row.agent_version, action: 'work' as const }
  const { version } = await agents.resolve(row.user_id, agent)
  const run = {
    agentId: row.agent_id,
    version,
    userId: row.user_id,
    trigger: 'webhook' as const,
    triggerId: row.id,
    title: row.name,
    input: messageOf(row.input, request.text),
    connectionIdsJson: row.connection_ids_json,
    networkJson: row.network_json,
  }
  const now = system.now()
  const added = await intake.add(run, (writer, { id: runId }) =>
    webhooks.take({ webhookId: id, messageId: request.id, runId, now }, writer),
  )
  if (added === undefined) throw (await replayed()) ?? webhookRefused({})
  dependencies.onChanged(row.user_id, row.agent_id)
  dependencies.nudge()
  return { runId: added.id }
}

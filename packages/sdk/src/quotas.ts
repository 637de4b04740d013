import type {
  AskForMore,
  CreateQuotaPreset,
  DecideQuotaRequest,
  PersonQuotas,
  QuotaPreset,
  QuotaPresets,
  QuotaRequest,
  QuotaRequests,
  Quotas,
  UpdateOwnQuotas,
  UpdatePersonQuotas,
  UpdateQuotaPreset,
} from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** Limits of people. All but the own ones are for the owner and admins. */
export function quotaCalls(connection: Connection) {
  const preset = (id: string) => `/quota-presets/${encodeURIComponent(id)}`
  const person = (id: string) => `/people/${encodeURIComponent(id)}/quotas`
  return {
    own: (signal?: AbortSignal) => connection.json<Quotas>('GET', '/quotas', { signal }),
    updateOwn: (request: UpdateOwnQuotas) => connection.json<Quotas>('PATCH', '/quotas', { json: request }),
    ask: (request: AskForMore) => connection.json<QuotaRequest>('POST', '/quotas/requests', { json: request }),
    requests: (signal?: AbortSignal) => connection.json<QuotaRequests>('GET', '/quota-requests', { signal }),
    decide: (requestId: string, decision: DecideQuotaRequest) =>
      connection.json<void>('POST', `/quota-requests/${encodeURIComponent(requestId)}/decision`, { json: decision }),
    presets: (signal?: AbortSignal) => connection.json<QuotaPresets>('GET', '/quota-presets', { signal }),
    createPreset: (request: CreateQuotaPreset) =>
      connection.json<QuotaPreset>('POST', '/quota-presets', { json: request }),
    updatePreset: (presetId: string, request: UpdateQuotaPreset) =>
      connection.json<QuotaPreset>('PATCH', preset(presetId), { json: request }),
    removePreset: (presetId: string) => connection.json<void>('DELETE', preset(presetId)),
    ofPerson: (personId: string, signal?: AbortSignal) =>
      connection.json<PersonQuotas>('GET', person(personId), { signal }),
    updatePerson: (personId: string, request: UpdatePersonQuotas) =>
      connection.json<PersonQuotas>('PATCH', person(personId), { json: request }),
  }
}

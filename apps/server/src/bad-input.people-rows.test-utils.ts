import { keyScopes } from '@threadbox/domain'
import { inThread, member, password, person, settingsOwner, workspace } from './bad-input.params.test-utils.ts'
import type { BadInputRow } from './bad-input.row.test-utils.ts'

const providersOwner = { ownerOnly: 'sign-in.owner-only' } as const
const ownProvider = {
  ...providersOwner,
  params: { providerId: 'own' },
  unknown: { providerId: 'sign-in.provider-not-found' },
} as const
const provider = {
  join: { rule: 'invited', domains: [], group: null },
  groups: { claim: 'groups', source: 'id-token', mappings: [] },
  linkByVerifiedEmail: false,
  recheckHours: 8,
}
/** Well formed, and of no passkey. */
const credential = { id: 'bm9uZQ', rawId: 'bm9uZQ', type: 'public-key' }
const clientDataJSON = Buffer.from('{"challenge":"none"}').toString('base64url')
const assertion = { ...credential, response: { clientDataJSON, authenticatorData: '', signature: '' } }
const registration = { ...credential, response: { clientDataJSON, attestationObject: '' } }

/** The rows of accounts, people, invites and members of workspaces. */
export const peopleRows: Record<string, BadInputRow> = {
  'GET /setup': { isPublic: true },
  'POST /auth/sign-up': {
    isPublic: true,
    body: { token: 'x', name: 'Name', email: 'somebody@example.com', password },
  },
  'POST /auth/sign-in': { isPublic: true, body: { email: 'somebody@example.com', password } },
  'POST /auth/sign-out': { endsLogin: true },
  'POST /auth/cookies/clear': {},
  'POST /auth/cookies/restore': { isPublic: true, body: { token: 'unknown' } },
  'POST /auth/password': {
    body: { currentPassword: 'a wrong password', newPassword: 'another long password' },
  },
  'POST /auth/confirm': { body: { password: 'a wrong password' } },
  'POST /auth/confirm/request': {},
  'POST /auth/passkey/request': { isPublic: true },
  'POST /auth/passkey': { isPublic: true, body: { assertion } },
  'GET /passkeys': {},
  'POST /passkeys/request': {},
  'POST /passkeys': { body: { name: 'Laptop', registration } },
  'PATCH /passkeys/{passkeyId}': {
    params: { passkeyId: 'own' },
    unknown: { passkeyId: 'passkey.not-found' },
    body: { name: 'Laptop' },
  },
  'DELETE /passkeys/{passkeyId}': {
    params: { passkeyId: 'own' },
    unknown: { passkeyId: 'passkey.not-found' },
  },
  'GET /auth/sessions': {},
  'DELETE /auth/sessions/{sessionId}': {
    params: { sessionId: 'own' },
    unknown: { sessionId: 'session.not-found' },
  },
  'GET /me': {},
  'PATCH /me': { body: { name: 'Name' } },
  'GET /api-keys': {},
  'POST /api-keys': { body: { name: 'key', expiresInDays: 1, scopes: [...keyScopes] } },
  'DELETE /api-keys/{apiKeyId}': {
    params: { apiKeyId: 'own' },
    unknown: { apiKeyId: 'api-key.not-found' },
  },
  'PUT /threads/{threadId}/presence': { ...inThread, body: { isTyping: false, isHere: true } },
  'GET /people': {},
  'PATCH /people/{personId}': { ...person, ...settingsOwner, body: { role: 'member', isDisabled: false } },
  'POST /people/{personId}/reset-link': { ...person, ...settingsOwner },
  'GET /invites': settingsOwner,
  'POST /invites': {
    ...settingsOwner,
    body: { role: 'member', email: 'somebody@example.com', workspaceIds: [], uses: 1, expiresInDays: 7 },
  },
  'DELETE /invites/{inviteId}': {
    ...settingsOwner,
    params: { inviteId: 'own' },
    unknown: { inviteId: 'invite.not-found' },
  },
  'GET /auth/providers': { isPublic: true, query: { problem: 'sign-in.declined' } },
  'POST /auth/providers/start': { isPublic: true, body: { providerId: 'none', returnTo: '/', secret: 'none' } },
  'GET /auth/identities': {},
  'POST /auth/confirm/provider': { body: { providerId: 'none', returnTo: '/' } },
  'POST /auth/identities': { body: { providerId: 'none', returnTo: '/' } },
  'DELETE /auth/identities/{identityId}': {
    params: { identityId: { value: 'none' } },
    unknown: { identityId: 'sign-in.identity-not-found' },
  },
  'GET /sign-in-providers': providersOwner,
  'POST /sign-in-providers': {
    ...providersOwner,
    body: { name: 'Provider', issuer: 'https://issuer.example', clientId: 'id', clientSecret: 'secret', ...provider },
  },
  'PATCH /sign-in-providers/{providerId}': {
    ...ownProvider,
    body: { name: 'Provider', clientId: 'id', clientSecret: null, ...provider },
  },
  'DELETE /sign-in-providers/{providerId}': ownProvider,
  'POST /sign-in-providers/{providerId}/test': ownProvider,
  'GET /metrics': settingsOwner,
  'GET /machine': { ...settingsOwner, query: { checks: 'false' } },
  'GET /machine/history': { ...settingsOwner, query: { span: 'month' } },
  'GET /machine/backups': settingsOwner,
  'POST /machine/backups/run': settingsOwner,
  'POST /machine/sandboxes/{sandboxId}/pause': {
    ...settingsOwner,
    params: { sandboxId: 'own' },
    unknown: { sandboxId: 'machine.sandbox-unknown' },
  },
  'POST /machine/sandboxes/{sandboxId}/stop': {
    ...settingsOwner,
    params: { sandboxId: 'own' },
    unknown: { sandboxId: 'machine.sandbox-unknown' },
  },
  'GET /usage': { query: { of: 'mine', from: '2026-11-01', to: '2026-11-30', by: 'model' } },
  'GET /usage/csv': { query: { of: 'mine', from: '2026-11-01', to: '2026-11-30' } },
  'GET /quotas': {},
  'PATCH /quotas': { body: { concurrentRuns: 1, modelMicroUsdPerMonth: null } },
  'POST /quotas/requests': { body: { quota: 'modelMicroUsdPerMonth', note: 'For a report.' } },
  'GET /quota-requests': settingsOwner,
  'POST /quota-requests/{requestId}/decision': {
    ...settingsOwner,
    params: { requestId: 'own' },
    unknown: { requestId: 'quota.request-not-found' },
    body: { limit: 5, until: 1_800_000_000_000 },
  },
  'GET /quota-presets': settingsOwner,
  'POST /quota-presets': {
    ...settingsOwner,
    body: { name: 'Preset', limits: { concurrentRuns: 1, awakeSandboxes: null, modelMicroUsdPerMonth: null } },
  },
  'PATCH /quota-presets/{presetId}': {
    ...settingsOwner,
    params: { presetId: 'own' },
    unknown: { presetId: 'quota.preset-not-found' },
    body: { name: 'Another name', limits: { concurrentRuns: 2, modelMicroUsdPerMonth: 1 } },
  },
  'DELETE /quota-presets/{presetId}': {
    ...settingsOwner,
    params: { presetId: 'own' },
    unknown: { presetId: 'quota.preset-not-found' },
  },
  'GET /people/{personId}/quotas': { ...person, ...settingsOwner },
  'PATCH /people/{personId}/quotas': {
    ...person,
    ...settingsOwner,
    body: { presetId: null, assigned: { concurrentRuns: 1, modelMicroUsdPerMonth: null } },
  },
  'GET /people/{personId}/belongings': { ...person, ...settingsOwner },
  'POST /people/{personId}/hand-over': { ...person, ...settingsOwner, body: { to: 'u-unknown' } },
  'POST /people/{personId}/erase': { ...person, ...settingsOwner },
  'GET /me/belongings': {},
  'POST /me/erase': {},
  'GET /me/export': {},
  'GET /ownership-offer': {},
  'PUT /ownership-offer': { ...settingsOwner, body: { personId: 'u-unknown' } },
  'DELETE /ownership-offer': {},
  'POST /ownership-offer/accept': {},
  'GET /threads/{threadId}/personal-uses': inThread,
  'GET /workspaces/{workspaceId}/personal-uses': workspace,
  'POST /threads/{threadId}/hand-over': { ...inThread, body: { to: 'u-unknown' } },
  'POST /threads/{threadId}/openings': { ...inThread, body: { reason: 'A report of misuse.' } },
  'POST /auth/link': { isPublic: true, body: { secret: 'none' } },
  'POST /auth/join': {
    isPublic: true,
    body: { secret: 'none', name: 'Name', email: 'somebody@example.com', password },
  },
  'POST /auth/reset': { isPublic: true, body: { secret: 'none', password } },
  'GET /workspaces/{workspaceId}/members': workspace,
  'PUT /workspaces/{workspaceId}/members/{userId}': { ...member, body: { role: 'owner' } },
  'DELETE /workspaces/{workspaceId}/members/{userId}': member,
  'POST /workspaces/{workspaceId}/leave': workspace,
}

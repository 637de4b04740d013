import type {
  CreatedInvite,
  Identity,
  Invite,
  Passkey,
  Person,
  PersonQuotas,
  QuotaPreset,
  QuotaRequest,
  QuotaState,
  SignInLink,
  SignInProvider,
  UsageReport,
} from '@threadbox/protocol/public'
import { now } from './example-data.ts'

const day = 86_400_000
const GiB = 1024 ** 3

export const people: Person[] = [
  { id: 'u2', name: 'Ben', role: 'admin', isDisabled: false, isBeingErased: false, email: 'ben@example.com' },
  {
    id: 'u3',
    name: 'Chiara',
    role: 'member',
    isDisabled: false,
    isBeingErased: false,
    email: 'chiara.bianchi@example.com',
  },
  { id: 'u4', name: 'Daichi', role: 'member', isDisabled: true, isBeingErased: false, email: 'daichi@example.com' },
]

export const invites: Invite[] = [
  {
    id: 'i1',
    role: 'member',
    email: 'eva@example.com',
    workspaceIds: [],
    usesLeft: 1,
    createdAt: now - day,
    expiresAt: now + 6 * day,
  },
]
export const createdInvite: CreatedInvite = { ...(invites[0] as Invite), path: '/join#k3v9…' }
export const link: SignInLink = { kind: 'invite', email: 'eva@example.com', expiresAt: now + 6 * day }

const state = (quota: QuotaState['quota'], used: number, limit: number | null): QuotaState => ({
  quota,
  used,
  limit,
  assigned: limit,
  own: null,
  resetsAt: quota === 'modelMicroUsdPerMonth' ? Date.UTC(2026, 3, 1) : null,
})
export const quotas: QuotaState[] = [
  // Below 80 %: the notice about it would be on every screen.
  state('modelMicroUsdPerMonth', 41_370_000, 60_000_000),
  state('awakeSandboxes', 2, 4),
  state('concurrentRuns', 0, 3),
  state('sandboxes', 23, 200),
  {
    ...state('diskBytes', 12 * GiB, 40 * GiB),
    largest: { threadId: 't1', title: 'Compare the two exports', used: 6 * GiB },
  },
  state('apiRequestsPerSecond', 2, 50),
]
export const personQuotas: PersonQuotas = { presetId: null, assigned: {}, quotas }
export const quotaRequests: QuotaRequest[] = [
  { id: 'q1', userId: 'u3', quota: 'awakeSandboxes', note: 'Benchmarks in six threads.', createdAt: now - day / 8 },
]
export const quotaPresets: QuotaPreset[] = [
  {
    id: 'p1',
    name: 'Data team',
    limits: {
      modelMicroUsdPerMonth: 50_000_000,
      awakeSandboxes: 4,
      concurrentRuns: 3,
      sandboxes: 200,
      diskBytes: 40 * GiB,
      apiRequestsPerSecond: 50,
    },
    isDefault: true,
  },
]

const sums = (requests: number, costMicroUsd: number) => ({
  requests,
  inputTokens: requests * 18_400,
  outputTokens: requests * 620,
  cachedInputTokens: requests * 9000,
  costMicroUsd,
  unpricedRequests: 0,
  estimatedRequests: 0,
})
export const usage: UsageReport = {
  timeZone: 'UTC',
  from: '2026-03-01',
  to: '2026-03-04',
  total: sums(91, 41_370_000),
  groups: [
    { key: '2026-03-02', name: null, sums: sums(34, 15_120_000) },
    { key: '2026-03-03', name: null, sums: sums(46, 21_900_000) },
    { key: '2026-03-04', name: null, sums: sums(11, 4_350_000) },
  ],
}

export const passkeys: Passkey[] = [
  {
    id: 'k1',
    name: 'Chrome on Linux',
    host: 'app.stand-in.localhost',
    createdAt: now - 40 * day,
    lastUsedAt: now - day,
  },
  { id: 'k2', name: 'Phone', host: 'app.example.org', createdAt: now - 90 * day, lastUsedAt: null },
]

const addressesOf = (id: string) => ({
  callback: `https://box.example.com/sign-in/${id}/callback`,
  logout: `https://box.example.com/sign-in/${id}/logout`,
})
export const signInProviders: SignInProvider[] = [
  {
    id: '01',
    name: 'Example GmbH',
    issuer: 'https://sso.example.com/realms/company',
    clientId: 'threadbox',
    hasClientSecret: true,
    join: { rule: 'group', domains: [], group: 'threadbox-users' },
    groups: {
      claim: 'realm_access.roles',
      source: 'id-token',
      mappings: [
        { group: 'threadbox-admins', role: 'admin', workspaceId: null, workspaceRole: null, presetId: null },
        { group: 'threadbox-users', role: 'member', workspaceId: null, workspaceRole: null, presetId: null },
      ],
    },
    linkByVerifiedEmail: true,
    recheckHours: 8,
    addresses: addressesOf('01'),
  },
  {
    id: '02',
    name: 'Partners',
    issuer: 'https://login.example.org',
    clientId: '8f1c2d',
    hasClientSecret: false,
    join: { rule: 'invited', domains: [], group: null },
    groups: { claim: null, source: 'id-token', mappings: [] },
    linkByVerifiedEmail: false,
    recheckHours: 24,
    addresses: addressesOf('02'),
  },
]
export const identities: Identity[] = [
  {
    id: '21',
    providerId: '01',
    providerName: 'Example GmbH',
    email: 'owner@example.org',
    createdAt: now - 90 * day,
    usedAt: now - day,
  },
]

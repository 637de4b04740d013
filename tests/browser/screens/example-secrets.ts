import { type Secret, secretSchema, type ThreadSecrets } from '@threadbox/protocol/public'
import { now } from './example-data.ts'

const minute = 60_000

export const secrets: Secret[] = [
  {
    id: '51',
    name: 'GITHUB_TOKEN',
    owner: 'person',
    workspaceId: null,
    hosts: ['api.github.com', 'uploads.github.com'],
    positions: ['header'],
    methods: null,
    pathPrefix: null,
    header: null,
    placeholderPrefix: 'ghp_',
    workspaceIds: [],
    threads: [{ id: 't', title: 'Q3', way: 'brokered' }],
    threadCount: 3,
    lastUsedAt: now - 4 * minute,
    valueSetAt: now - 600 * minute,
    createdAt: now - 600 * minute,
  },
  {
    id: '52',
    name: 'BILLING_KEY',
    owner: 'installation',
    workspaceId: null,
    hosts: ['billing.example.org:8443'],
    positions: ['header', 'query'],
    methods: ['GET'],
    pathPrefix: '/v1/',
    header: { name: 'X-Api-Key', prefix: '' },
    placeholderPrefix: '',
    workspaceIds: [],
    threads: [],
    threadCount: 0,
    lastUsedAt: null,
    valueSetAt: now - 60 * minute,
    createdAt: now - 60 * minute,
  },
].map((secret) => secretSchema.parse(secret))

/** For the thread whose sandbox is shown: one through a placeholder, one that isn’t used, and one as a value. */
export const threadSecrets: ThreadSecrets = {
  secrets: [
    ...secrets.map(({ id, name, owner, hosts, lastUsedAt }, index) => ({
      id,
      name,
      owner,
      hosts,
      lastUsedAt,
      way: index === 0 ? ('brokered' as const) : null,
      isGrantedByWorkspace: false,
      canGrant: true,
      obstacle: null,
    })),
    {
      id: '53',
      name: 'SIGNING_KEY',
      owner: 'person',
      hosts: ['storage.example.org'],
      lastUsedAt: null,
      way: 'direct',
      isGrantedByWorkspace: false,
      canGrant: true,
      obstacle: null,
    },
  ],
  isInEffect: true,
  problem: null,
  taintedAt: now - 30 * minute,
}

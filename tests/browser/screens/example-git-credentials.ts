import { type GitCredential, gitCredentialSchema, type ThreadGitCredential } from '@threadbox/protocol/public'
import { now } from './example-data.ts'

const minute = 60_000

export const gitCredentials: GitCredential[] = [
  {
    id: '41',
    address: 'https://github.com',
    username: 'somebody',
    access: 'push',
    threadCount: 2,
    repositories: ['somebody/reports', 'example-org/*'],
    workspaceIds: [],
    lastUsedAt: now - 12 * minute,
    createdAt: now - 600 * minute,
  },
  {
    id: '42',
    address: 'https://git.example.org:3000',
    username: 'builds',
    access: 'read',
    threadCount: 0,
    repositories: [],
    workspaceIds: [],
    lastUsedAt: null,
    createdAt: now - 60 * minute,
  },
].map((credential) => gitCredentialSchema.parse(credential))

/** For the thread whose sandbox is shown. */
export const threadGitCredentials: ThreadGitCredential[] = gitCredentials.map(
  ({ id, address, username, access, repositories }, index) => ({
    id,
    address,
    username,
    access,
    repositories,
    isAllowed: index === 0,
    isAllowedByWorkspace: false,
  }),
)

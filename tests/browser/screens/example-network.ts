import type { InstallationNetwork, NetworkPolicy, ThreadNetwork } from '@threadbox/protocol/public'

const presets: InstallationNetwork['presets'] = [
  {
    id: 'package-registries',
    names: ['packages.example.net', 'files.example.net'].map((name) => ({ name, reason: '' })),
  },
  { id: 'github', names: ['github.com', '*.githubusercontent.com'].map((name) => ({ name, reason: '' })) },
]

const policy: NetworkPolicy = { kind: 'allowlist', names: ['api.example.org', '*.example.com'], presets: ['github'] }
const names = ['api.example.org', '*.example.com', 'github.com', '*.githubusercontent.com']

/** A list of the installation, which the thread doesn’t narrow. */
export const installationNetwork: InstallationNetwork = {
  levels: [{ level: 'installation', policy }],
  effective: { kind: 'allowlist', names },
  sources: ['installation'],
  presets,
}

export const threadNetwork: ThreadNetwork = {
  levels: [...installationNetwork.levels, { level: 'thread', policy: null }],
  effective: installationNetwork.effective,
  sources: ['installation'],
  isApplied: true,
  activity: {
    knownSince: 0,
    reached: [{ name: 'api.example.org', count: 12, isAtLeast: false }],
    refused: [{ name: 'tracker.example.net', count: 3, isAtLeast: false }],
  },
}

import type { InstallationNetwork, NetworkPolicy, PrivateAddresses, ThreadNetwork } from '@threadbox/protocol/public'

const presets: InstallationNetwork['presets'] = [
  {
    id: 'package-registries',
    names: ['packages.example.net', 'files.example.net'].map((name) => ({ name, reason: '' })),
  },
  { id: 'github', names: ['github.com', '*.githubusercontent.com'].map((name) => ({ name, reason: '' })) },
]

const policy: NetworkPolicy = {
  kind: 'allowlist',
  names: ['api.example.org', '*.example.com', 'git.corp.example'],
  presets: ['github'],
}
const names = ['api.example.org', '*.example.com', 'git.corp.example', 'github.com', '*.githubusercontent.com']

/** Services in private networks. */
export const privateAddresses: PrivateAddresses = {
  addresses: [
    { name: 'git.corp.example', port: 443, range: '10.1.2.0/24' },
    { name: 'warehouse.corp.example', port: 5432, range: '192.168.7.20/32' },
  ],
}

/** A list of the installation, which the thread doesn’t narrow. */
export const installationNetwork: InstallationNetwork = {
  levels: [{ level: 'installation', policy }],
  effective: { kind: 'allowlist', names },
  sources: ['installation'],
  privateNames: ['git.corp.example:443'],
  presets,
}

export const threadNetwork: ThreadNetwork = {
  levels: [...installationNetwork.levels, { level: 'thread', policy: null }],
  effective: installationNetwork.effective,
  sources: ['installation'],
  privateNames: installationNetwork.privateNames,
  isApplied: true,
  activity: {
    knownSince: 0,
    reached: ['api.example.org', 'git.corp.example'].map((name) => ({ name, count: 12, isAtLeast: false })),
    refused: [
      { name: 'tracker.example.net', count: 3, isAtLeast: false, reason: 'policy' },
      { name: 'git.corp.example:443', count: 2, isAtLeast: false, reason: 'address-out-of-range' },
    ],
  },
}

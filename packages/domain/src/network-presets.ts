/** Sets of names that a network policy can allow together. No other file names these hosts. */
export const networkPresets = {
  'package-registries': [
    { name: 'pypi.org', reason: 'pip, uv: index of Python packages' },
    { name: 'files.pythonhosted.org', reason: 'pip, uv: files of Python packages' },
    { name: 'registry.npmjs.org', reason: 'npm, pnpm, yarn: index and files' },
    { name: 'deb.debian.org', reason: 'apt: packages and security updates' },
    { name: 'security.debian.org', reason: 'apt: security updates under their older name' },
    { name: 'index.crates.io', reason: 'cargo: index' },
    { name: 'static.crates.io', reason: 'cargo: files' },
    { name: 'proxy.golang.org', reason: 'go: modules' },
    { name: 'sum.golang.org', reason: 'go: checksums of modules' },
    { name: 'rubygems.org', reason: 'gem, bundler: files' },
    { name: 'index.rubygems.org', reason: 'gem, bundler: index' },
    { name: 'repo.maven.apache.org', reason: 'Maven: index and files' },
    { name: 'repo1.maven.org', reason: 'Gradle: index and files' },
  ],
  github: [
    { name: 'github.com', reason: 'git over HTTPS, pages, downloads of releases' },
    { name: 'api.github.com', reason: 'API' },
    { name: 'codeload.github.com', reason: 'archives of repositories' },
    { name: '*.githubusercontent.com', reason: 'raw files, files of releases, large files' },
  ],
} as const satisfies Record<string, readonly { name: string; reason: string }[]>

export type NetworkPreset = keyof typeof networkPresets
export const networkPresetIds = Object.keys(networkPresets) as [NetworkPreset, ...NetworkPreset[]]

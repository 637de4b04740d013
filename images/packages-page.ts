import { debianPackages, installedAs, nodeWheel, pythonPackages } from './recipe/packages.ts'

/** The page `docs/packages.md`: what every sandbox has from the start. `lock` is the text of `python.lock`. */
export function packagesPage(lock: string): string {
  const versions = new Map(
    lock.split('\n').flatMap((line) => {
      const [, name, version] = /^([a-z0-9.-]+)(?:\[[^\]]*\])?==([^ ;]+)/.exec(line) ?? []
      return name && version ? [[name, version] as const] : []
    }),
  )
  const sections = Object.entries(pythonPackages).flatMap(([purpose, names]) => [
    `### ${title(purpose)}`,
    '',
    names.map((name) => `\`${installedAs[name] ?? name}\` ${versions.get(name) ?? '(not locked)'}`).join(' · '),
    '',
  ])
  const debian = Object.entries(debianPackages).flatMap(([purpose, names]) => [
    `- **${title(purpose)}**: ${names.join(', ')}`,
  ])
  return [
    '<!-- Generated from images/recipe/packages.ts by `node images/write-packages-page.ts`. Do not edit. -->',
    '# Software in every sandbox',
    '',
    'Debian 13, user `user` with passwordless sudo, home `/home/user`. Everything you install stays with its thread.',
    '',
    '## Languages',
    '',
    `Python 3.13 (\`/opt/python\`), Node ${nodeWheel.split('==')[1]} with npm (\`/opt/node\`), Bash, C and C++ (gcc), Go.`,
    '',
    `## ${versionsCount()} Python packages`,
    '',
    ...sections,
    '## Debian packages',
    '',
    'The browser is `chromium-headless-shell`: no window, but screenshots, PDF (`--print-to-pdf`) and DevTools.',
    '',
    ...debian,
    '',
  ].join('\n')
}

function versionsCount(): number {
  return Object.values(pythonPackages).flat().length
}

function title(purpose: string): string {
  return `${purpose.charAt(0).toUpperCase()}${purpose.slice(1)}`
}

import type { en } from './words/en.ts'
import { words } from './words/words.ts'

type Group = keyof typeof en.groups
type Page = keyof typeof en.pages

const menu: readonly (readonly [Group, readonly Page[]])[] = [
  [
    'use',
    [
      'start',
      'sandbox',
      'persistence',
      'services',
      'files',
      'agents',
      'fork-and-rewind',
      'workspaces',
      'people',
      'sign-in',
      'passkeys',
      'skills',
      'connections',
      'secrets',
      'sharing',
      'models',
      'direct-mode',
      'limits',
      'troubleshooting',
      'packages',
    ],
  ],
  [
    'operate',
    [
      'operate/install',
      'operate/own-domain',
      'operate/upgrade',
      'operate/network',
      'operate/settings',
      'operate/disk-and-memory',
      'operate/backup',
      'operate/machine',
      'operate/doctor',
      'operate/support-bundle',
      'operate/errors',
    ],
  ],
  ['build', ['build/api', 'build/events', 'build/sdk', 'build/contribute']],
]

/** The menu: every name in every language, so that the menu beside an untranslated page is translated too. */
export const sidebar = menu.map(([group, pages]) => ({
  ...inAll(({ groups }) => groups[group]),
  items: pages.map((slug) => ({ slug, ...inAll((one) => one.pages[slug]) })),
}))

function inAll(text: (one: (typeof words)['en']) => string) {
  const { en, ...others } = words
  const translations = Object.fromEntries(Object.entries(others).map(([language, one]) => [language, text(one)]))
  return { label: text(en), translations }
}

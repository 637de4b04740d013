import type { Locator, Page } from 'playwright-core'
import * as data from './example-data.ts'
import type { ScreenStage } from './screen-stage.ts'

/** A screen of the app, and how a person gets there. */
export type Screen = {
  name: string
  path: string
  arrange?(stage: ScreenStage): void
  /** Steps from the opened page to the screen, with the keyboard. */
  reach?(page: Page): Promise<void>
  /** An element that is visible once the screen is shown. */
  shows(page: Page): Locator
}

const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name, exact: true }).first()
const dialog = (page: Page) => page.getByRole('dialog').last()
/** The last row of the conversation: everything above it is drawn. */
const conversation = (page: Page) => page.getByRole('log').getByText('Group it by hour.')
const press =
  (...keys: string[]) =>
  async (page: Page) => {
    await conversation(page).waitFor()
    // Shown with what can be done with the thread.
    await page.getByRole('button', { name: 'Bike trips per hour', exact: true }).waitFor()
    for (const key of keys) await page.keyboard.press(key)
  }
/** How far a page is scrolled to a button depends on what had loaded by then. */
const scrollUp = (page: Page) =>
  page.evaluate(`for (const element of document.querySelectorAll('*')) element.scrollTop = 0`)
/** The server suspends the services of a sandbox that it pauses. */
const pauseSandbox = (stage: ScreenStage) => {
  stage.server.setSandbox(data.paused)
  stage.services.set('t', { services: [{ ...data.service, status: 'suspended' }] })
}
const settings = (section: string, shows: Screen['shows']): Screen => ({
  name: `settings-${section}`,
  path: `/settings/${section}`,
  shows,
})

export const screens: readonly Screen[] = [
  {
    name: 'login',
    path: '/login',
    arrange: (stage) => stage.signOut({ isNew: false }),
    shows: (page) => page.getByLabel('Email'),
  },
  {
    name: 'setup',
    path: `/setup?token=${'x'.repeat(32)}`,
    arrange: (stage) => stage.signOut({ isNew: true }),
    shows: (page) => page.getByText('Server is up'),
  },
  {
    name: 'join',
    path: '/join#k3v9',
    arrange: (stage) => stage.signOut({ isNew: false }),
    shows: (page) => page.getByLabel('Email'),
  },
  { name: 'empty', path: '/threads/new', shows: heading('This thread has its own computer') },
  { name: 'thread', path: '/threads/t', shows: conversation },
  {
    name: 'thread-paused',
    path: '/threads/t',
    arrange: pauseSandbox,
    shows: conversation,
  },
  {
    name: 'preview',
    path: '/threads/t',
    reach: press('Alt+1'),
    shows: (page) => page.frameLocator('.frame iframe').getByRole('heading', { name: '/', exact: true }),
  },
  {
    name: 'preview-suspended',
    path: '/threads/t',
    arrange: pauseSandbox,
    reach: press('Alt+1'),
    shows: (page) => page.getByRole('button', { name: 'Wake', exact: true }),
  },
  {
    name: 'preview-error',
    path: '/threads/t',
    arrange: (stage) => {
      const problem = {
        code: 'exited' as const,
        exitCode: 1,
        message: 'It ended with exit code 1.',
        lastLines: 'ModuleNotFoundError: no streamlit\n',
      }
      stage.services.set('t', { services: [{ ...data.service, status: 'error', problem }] })
    },
    reach: press('Alt+1'),
    shows: (page) => page.getByRole('region', { name: 'Last output' }),
  },
  {
    name: 'files',
    path: '/threads/t',
    reach: press('Alt+2'),
    shows: (page) => page.getByText('training.py', { exact: true }).last(),
  },
  {
    name: 'terminal',
    path: '/threads/t',
    reach: press('Alt+3'),
    shows: (page) => page.locator('.xterm-rows').getByText('trips.csv'),
  },
  {
    name: 'sandbox',
    path: '/threads/t',
    reach: press('Alt+4'),
    shows: (page) => page.getByRole('region', { name: 'Processes' }),
  },
  {
    name: 'thread-secrets',
    path: '/threads/t',
    reach: async (page) => {
      await press('Alt+4')(page)
      await page.getByRole('switch', { name: 'Use BILLING_KEY in this thread' }).focus()
    },
    shows: (page) => page.getByRole('region', { name: 'Secrets' }),
  },
  {
    name: 'found-secret',
    path: '/threads/t',
    reach: async (page) => {
      await press()(page)
      await page.locator('#message').fill(`Use ghp_${'a1B2'.repeat(9)} for the upload.`)
      await page.locator('#message').press('Enter')
    },
    shows: (page) => page.getByRole('button', { name: 'Move to a secret' }),
  },
  {
    name: 'git',
    path: '/threads/t',
    reach: async (page) => {
      await press('Alt+5')(page)
      await page.getByRole('button', { name: 'by_hour.py' }).press('Enter')
    },
    shows: (page) => page.getByText('print(len(trips))'),
  },
  {
    name: 'palette',
    path: '/threads/t',
    reach: press('Control+k'),
    // The first one is selected only after the list has been drawn.
    shows: (page) => dialog(page).getByRole('option', { selected: true }),
  },
  {
    name: 'call-approval',
    path: '/threads/t',
    arrange: (stage) => stage.ask(),
    shows: (page) => page.getByRole('button', { name: 'Always allow' }),
  },
  { name: 'shortcuts', path: '/threads/t', reach: press('Control+/'), shows: dialog },
  {
    name: 'share-thread',
    path: '/threads/t',
    reach: async (page) => {
      await conversation(page).waitFor()
      await page.keyboard.press('Control+k')
      await page.keyboard.type('Share')
      await page.getByRole('option', { name: 'Share…' }).waitFor()
      await page.keyboard.press('Enter')
    },
    shows: (page) => page.getByRole('region', { name: 'Links to this thread' }),
  },
  {
    name: 'copy-shared-thread',
    path: '/copy/secret',
    shows: (page) => page.getByRole('button', { name: 'Make my copy' }),
  },
  {
    name: 'rewind-dialog',
    path: '/threads/t',
    reach: async (page) => {
      await conversation(page).waitFor()
      // Without hover, a tap on the message shows its actions.
      if ((page.viewportSize()?.width ?? 0) < 900) await page.getByText('Plot the trips per hour').last().tap()
      await page.getByRole('button', { name: 'Rewind to before this message' }).press('Enter')
    },
    shows: (page) => page.getByText('forecast_tomorrow.csv', { exact: true }),
  },
  {
    name: 'agents',
    path: '/agents',
    arrange: (stage) => stage.addAgents(),
    shows: (page) => page.getByText('last run succeeded'),
  },
  {
    name: 'agent-versions',
    path: '/agents',
    arrange: (stage) => stage.addAgents(),
    reach: async (page) => {
      await page.getByText('last run succeeded').waitFor()
      await page.getByRole('button', { name: 'More actions for agent Data analyst' }).press('Enter')
      await page.getByRole('menuitem', { name: 'Versions…' }).press('Enter')
    },
    shows: (page) => page.getByRole('button', { name: 'Make current: version 1' }),
  },
  {
    name: 'agent-draft',
    path: '/agent-drafts/g9',
    arrange: (stage) => stage.addAgents(),
    shows: (page) => page.getByRole('button', { name: 'Accept selected items' }),
  },
  {
    name: 'import-agent',
    path: '/agents',
    arrange: (stage) => stage.addAgents(),
    reach: async (page) => {
      await page.getByText('last run succeeded').waitFor()
      const file = { name: 'Log reader.threadbox-agent', mimeType: '', buffer: Buffer.alloc(2_400_000) }
      await page.locator('[data-agent-input="file"]').setInputFiles(file)
    },
    shows: (page) => page.getByRole('button', { name: 'Import agent' }),
  },
  {
    name: 'agent-offer',
    path: '/threads/t',
    arrange: (stage) => stage.offerToSave(),
    shows: (page) => page.getByRole('region', { name: 'Save this thread as an agent?' }),
  },
  {
    name: 'save-agent',
    path: '/threads/t',
    arrange: (stage) => stage.addAgents(),
    reach: async (page) => {
      await conversation(page).waitFor()
      await page.keyboard.press('Control+k')
      await page.keyboard.type('Save as agent')
      await page.getByRole('option', { name: 'Save as agent…' }).waitFor()
      await page.keyboard.press('Enter')
    },
    shows: (page) => page.getByRole('checkbox', { name: /aws-access-key/ }),
  },
  {
    name: 'delete-dialog',
    path: '/settings/api-keys',
    reach: (page) => page.getByRole('button', { name: 'Delete key build script' }).press('Enter'),
    shows: dialog,
  },
  {
    name: 'confirmation-dialog',
    path: '/settings/api-keys',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Delete key build script' }).press('Enter')
      await dialog(page).getByRole('button', { name: 'Delete' }).press('Enter')
    },
    shows: (page) => page.getByRole('dialog').filter({ has: page.locator('input[type=password]') }),
  },
  {
    name: 'create-api-key-dialog',
    path: '/settings/api-keys',
    reach: (page) => page.getByRole('button', { name: 'Create API key' }).press('Enter'),
    shows: dialog,
  },
  {
    name: 'connect-model-dialog',
    path: '/settings/models',
    reach: (page) => page.getByRole('button', { name: 'Connect Anthropic' }).press('Enter'),
    shows: dialog,
  },
  settings('you', heading('You')),
  settings('people', (page) => page.getByText('Benchmarks in six threads.')),
  {
    name: 'invite-dialog',
    path: '/settings/people',
    reach: async (page) => await page.getByRole('button', { name: 'Invite people' }).press('Enter'),
    shows: dialog,
  },
  {
    name: 'invite-link',
    path: '/settings/people',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Invite people' }).press('Enter')
      await dialog(page).getByRole('button', { name: 'Invite people' }).press('Enter')
    },
    shows: (page) => page.getByRole('button', { name: 'I’ve copied it' }),
  },
  settings('usage', (page) => page.getByText('$21.90')),
  settings('machine', (page) => page.getByText('runsc release')),
  settings('models', (page) => page.getByText('On this machine').first()),
  { name: 'agent-runs', path: '/agents/g1/runs', shows: (page) => page.getByText('Show older runs') },
  {
    name: 'schedule',
    path: '/agents/g1/runs',
    reach: async (page) => await page.getByRole('button', { name: 'Edit Every morning' }).press('Enter'),
    shows: (page) => dialog(page).getByRole('listitem').last(),
  },
  {
    name: 'kept-runs',
    path: '/agents/g1/runs',
    reach: async (page) => {
      // Everything above the button: what arrives later would move it after the page scrolled to it.
      await page.getByText('Every morning').nth(1).waitFor()
      await page.getByText('https://box.example.com/hooks').waitFor()
      await page.getByRole('button', { name: 'Change how many threads are kept' }).press('Enter')
    },
    shows: (page) => dialog(page).getByRole('textbox', { name: 'Number of finished runs' }),
  },
  settings('skills', (page) => page.getByText('weekly-report', { exact: true })),
  {
    name: 'skill-editor',
    path: '/settings/skills',
    reach: (page) => page.getByRole('button', { name: 'Edit weekly-report' }).press('Enter'),
    shows: (page) => page.getByRole('textbox', { name: 'SKILL.md' }),
  },
  {
    ...settings('connections', (page) => page.getByText('create_issue', { exact: true })),
    reach: (page) => page.locator('summary').filter({ hasText: '4 tools' }).press('Enter'),
  },
  {
    name: 'connection-program',
    path: '/settings/connections',
    reach: (page) => page.getByRole('button', { name: 'Edit Bookkeeping' }).press('Enter'),
    shows: (page) => page.getByRole('textbox', { name: 'Command' }),
  },
  settings('git', (page) => page.getByText('github.com', { exact: true })),
  {
    name: 'git-credential-dialog',
    path: '/settings/git',
    reach: (page) => page.getByRole('button', { name: 'Edit github.com' }).press('Enter'),
    shows: (page) => page.getByRole('textbox', { name: 'Limit to repositories' }),
  },
  settings('secrets', (page) => page.getByText('GITHUB_TOKEN', { exact: true })),
  {
    name: 'secret-dialog',
    path: '/settings/secrets',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Edit BILLING_KEY' }).press('Enter')
    },
    shows: (page) => page.getByRole('textbox', { name: 'Hosts' }),
  },
  settings('limits', (page) => page.getByRole('textbox', { name: 'Sandbox memory' })),
  settings('sandboxes', (page) => page.getByRole('textbox').first()),
  settings('network', (page) => page.getByText('Port').first()),
  {
    name: 'network-dialog',
    path: '/settings/network',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Change', exact: true }).press('Enter')
      await page.getByRole('combobox', { name: 'Policy' }).press('Enter')
      await page.getByRole('option', { name: 'Only listed names' }).press('Enter')
    },
    shows: (page) => page.getByRole('textbox', { name: 'Names' }),
  },
  {
    name: 'private-address-dialog',
    path: '/settings/network',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Add address' }).press('Enter')
      await page.getByRole('textbox', { name: 'Name' }).fill('git.corp.example')
      await page.getByRole('textbox', { name: 'Port' }).fill('0')
      await page.getByRole('textbox', { name: 'Range of addresses' }).fill('10.1.2.0/24')
      await dialog(page).getByRole('button', { name: 'Add address' }).press('Enter')
      await page.getByText('has no port that sandboxes can reach').waitFor()
      await scrollUp(page)
    },
    shows: (page) => page.getByText('has no port that sandboxes can reach'),
  },
  settings('api-keys', (page) => page.getByText('build script', { exact: true })),
  settings('about', (page) => page.getByText('Preview WebSockets')),
  { name: 'not-found', path: '/nothing/here', shows: heading('Page not found') },
]

const isOfThread = ({ path }: Screen) => path.startsWith('/threads/')
/** A thread with what opens next to it and over it. */
export const threadScreens = screens.filter(isOfThread)
/** Everything else: signing in, agents, settings. */
export const otherScreens = screens.filter((screen) => !isOfThread(screen))

/** Opens a screen in the light theme and waits until it is stable. */
export async function openScreen(
  stage: ScreenStage,
  screen: Screen,
  options: { width: number },
): Promise<Page & AsyncDisposable> {
  stage.reset()
  screen.arrange?.(stage)
  const page = await stage.open({ ...options, path: screen.path })
  await screen.reach?.(page)
  await screen.shows(page).waitFor()
  await page.evaluate('document.fonts.ready.then(() => undefined)')
  return page
}

/** The app follows the device’s theme while it is open. */
export async function showTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.locator(`html[data-theme=${theme}]`).waitFor()
}

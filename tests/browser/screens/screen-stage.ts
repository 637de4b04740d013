import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { buildWebApp, startBrowser } from '../app-in-browser.ts'
import { type MoreRoutes, type Result, type SandboxStandIn, startSandboxStandIn } from '../sandbox-stand-in.ts'
import { type ServicesStandIn, startServicesStandIn } from '../services-stand-in.ts'
import { agentDetails, agentDraft, agents, environment } from './example-agents.ts'
import { approvalEntries, approvalTurn, connections, presets } from './example-connections.ts'
import * as data from './example-data.ts'
import { gitDiff, gitLook } from './example-git.ts'
import { gitCredentials, threadGitCredentials } from './example-git-credentials.ts'
import * as machineExamples from './example-machine.ts'
import { installationNetwork, privateAddresses, threadNetwork } from './example-network.ts'
import * as team from './example-people.ts'
import { rewindPreviewAt } from './example-rewind.ts'
import * as example from './example-runs.ts'
import { secrets, threadSecrets } from './example-secrets.ts'

/** The app in Chromium over fixed data at a fixed moment, so that a screen looks the same each time. */
export type ScreenStage = AsyncDisposable & {
  server: SandboxStandIn
  services: ServicesStandIn
  /** Signs the owner out; with `isNew` no owner exists yet. */
  signOut(options: { isNew: boolean }): void
  /** In the thread, a call waits for approval. */
  ask(): void
  /** Adds agents, and an environment that can be captured. */
  addAgents(): void
  /** The thread offers to be saved as an agent. */
  offerToSave(): void
  /** The page of a width at a path, in the light theme; it is reused, which ends what it showed before. */
  open(options: { path: string; width: number }): Promise<Page & AsyncDisposable>
  /** An empty page, to process images in. */
  canvas(): Promise<Page>
  /** Restores the example data. */
  reset(): void
}

const confirmationRequired: Result = {
  status: 403,
  body: {
    error: {
      code: 'auth.confirmation-required',
      kind: 'forbidden',
      message: 'This needs your password or a passkey again, because you signed in more than 10 minutes ago.',
      remedy: 'Confirm that it’s you with `POST /auth/confirm`, then repeat the request.',
      details: {},
    },
  },
}

const portInvalid: Result = {
  status: 400,
  body: {
    error: {
      code: 'private-address.port-invalid',
      kind: 'invalid',
      message: '“git.corp.example:0 10.1.2.0/24” has no port that sandboxes can reach.',
      remedy: 'Enter one port from 1 to 65535, except 53 and the mail ports 25, 465 and 587.',
      details: { entry: 'git.corp.example:0 10.1.2.0/24' },
    },
  },
}

export const themes = ['light', 'dark'] as const
/** Widths of the desktop and phone layouts in the design. */
export const deskWidth = 1440
export const phoneWidth = 390

export async function startScreenStage(): Promise<ScreenStage> {
  await using cleanup = new AsyncDisposableStack()
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-screens-'))
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  await buildWebApp(directory)
  const services = cleanup.use(await startServicesStandIn())
  const state = {
    visitor: 'owner' as 'owner' | 'nobody' | 'first',
    isAsking: false,
    hasAgents: false,
    isOffered: false,
  }
  const listed = () => data.threads.map((thread) => (thread.id === server.thread().id ? server.thread() : thread))
  const routes: MoreRoutes = (order) => {
    if (order.path === 'GET /threads') return { status: 200, body: { threads: listed(), next: null } }
    if (order.path.startsWith('DELETE /api-keys/')) return confirmationRequired
    if (order.path === 'PUT /network/private-addresses') return portInvalid
    if (order.path === 'GET /status') return { status: 200, body: data.statusWith(listed()) }
    return exampleAnswer(order.path, state) ?? services.routes(order)
  }
  const server: SandboxStandIn = cleanup.use(await startSandboxStandIn(directory, routes))
  const { browser } = cleanup.use(await startBrowser(server, services))
  const pages = new Map<number, Promise<Page>>()
  const pageOf = (width: number) => {
    const known = pages.get(width) ?? makePage(browser, width)
    pages.set(width, known)
    return known
  }
  const kept = cleanup.move()
  const reset = () => {
    state.visitor = 'owner'
    state.isAsking = false
    state.hasAgents = false
    state.isOffered = false
    server.clear()
    services.clear()
    const [thread] = data.threads
    if (thread !== undefined) server.setThread(thread)
    server.setDetail({
      processes: data.processes,
      log: [{ id: 'l1', at: data.now - 60_000, code: 'started', params: { durationMs: 240 }, reportId: null }],
    })
    services.set('t', { services: [data.service] })
  }
  reset()
  return {
    server,
    services,
    reset,
    signOut: ({ isNew }) => {
      state.visitor = isNew ? 'first' : 'nobody'
    },
    ask: () => {
      state.isAsking = true
    },
    addAgents: () => {
      state.hasAgents = true
    },
    offerToSave: () => {
      state.isOffered = true
    },
    open: async ({ path, width }) => {
      const page = await pageOf(width)
      await page.emulateMedia({ colorScheme: themes[0] })
      await page.goto(`http://app.stand-in.localhost:${server.port}${path}`)
      // The previous page must not send requests to the server that shows the next screen.
      return Object.assign(page, { [Symbol.asyncDispose]: async () => void (await page.goto('about:blank')) })
    },
    canvas: () => browser.newPage(),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** One page for all screens of a width: the app’s code is loaded and compiled once. */
async function makePage(browser: Browser, width: number): Promise<Page> {
  const profile = await browser.newContext({
    locale: 'en-US',
    timezoneId: 'UTC',
    colorScheme: themes[0],
    reducedMotion: 'reduce',
    viewport: { width, height: width < 900 ? 844 : 900 },
    hasTouch: width < 900,
  })
  // Clears what the app stored for another screen; a page inside it has no access to storage.
  await profile.addInitScript('try { localStorage.clear(); sessionStorage.clear() } catch {}')
  const page = await profile.newPage()
  page.setDefaultTimeout(60_000)
  await page.clock.setFixedTime(data.now)
  await page.routeWebSocket(/\/terminals\/[^/]+\/socket/, (socket) => {
    socket.send(JSON.stringify({ ...startFrame, cols: 80, rows: 24 }))
    socket.send(Buffer.from(terminalOutput))
  })
  return page
}

const startFrame = { type: 'start', offset: 0, liveFrom: 0, isReset: false, modes: '' }
const terminalOutput =
  '\x1b[32muser\x1b[0m:\x1b[34m~\x1b[0m$ ls\r\nnotebooks  site  training.py  trips.csv\r\n\x1b[32muser\x1b[0m:\x1b[34m~\x1b[0m$ '

function exampleAnswer(
  route: string,
  state: { visitor: 'owner' | 'nobody' | 'first'; isAsking: boolean; hasAgents: boolean; isOffered: boolean },
): Result | undefined {
  const { visitor, isAsking, hasAgents, isOffered } = state
  if (route === 'GET /threads/t/agent-offer') {
    return { status: 200, body: { packages: isOffered ? ['pandas-ta', 'prophet'] : [] } }
  }
  const setup = {
    ownerExists: visitor !== 'first',
    adminsMayRead: false,
    version: '0.1.0',
    isHostReachable: true,
    preparing: [],
  }
  if (route === 'GET /setup') return { status: 200, body: setup }
  if (route === 'GET /me' && visitor !== 'owner') {
    const error = { code: 'auth.required', kind: 'unauthenticated', message: 'Log in.', remedy: 'Log in.', details: {} }
    return { status: 401, body: { error } }
  }
  const ofAgents = hasAgents ? agentAnswers[route] : undefined
  const body = isAsking && route === 'GET /threads/t/entries' ? asking : (ofAgents ?? answers[route])
  return body === undefined ? undefined : { status: 200, body }
}

const asking = { entries: approvalEntries, turns: [approvalTurn], lastSeq: 1, before: null }
const terminal = { id: 'x1', title: 'bash', status: 'running', exitCode: null, createdAt: data.now }
const agentAnswers: Record<string, unknown> = {
  'GET /agents': { agents },
  'GET /runs/latest': example.latestRuns,
  'GET /agents/g1': agentDetails,
  'GET /agent-drafts/g9': agentDraft,
  'POST /threads/t/environments': environment,
  'DELETE /environments/j1': environment,
}
const answers: Record<string, unknown> = {
  'GET /agent-drafts': { drafts: [] },
  'GET /agents': { agents: [] },
  'GET /threads/t/entries': { entries: data.entries, turns: [], lastSeq: 1, before: null },
  'GET /threads/t/sandbox/reports/r1': data.report,
  'GET /threads/t/snapshots': data.snapshots,
  'GET /threads/t/rewind': rewindPreviewAt(data.now - 12 * 60_000),
  'GET /threads/t/files': data.files,
  'PUT /threads/t/files/watch': {},
  'GET /threads/t/git': gitLook,
  'GET /threads/t/git/diff': gitDiff,
  'GET /threads/t/terminals': { terminals: [terminal] },
  'GET /workspaces': { workspaces: [], installation: { policy: {}, limits: {} } },
  'GET /agents/g1': example.agent,
  'GET /agents/g1/runs': example.runs,
  'GET /agents/g1/kept-runs': example.kept,
  'GET /agents/g1/schedules': example.schedules,
  'GET /agents/g1/webhooks': example.webhooks,
  'GET /schedules/next': example.nextTimes,
  'GET /skills': { skills: data.skills },
  'GET /skills/i1': data.skillContent,
  'GET /threads/t/skills': { skills: [] },
  'GET /connections': { connections },
  'GET /connections/presets': { presets },
  'GET /network': installationNetwork,
  'GET /network/private-addresses': privateAddresses,
  'GET /threads/t/network': threadNetwork,
  'GET /secrets': { secrets },
  'GET /threads/t/secrets': threadSecrets,
  'GET /git-credentials': { credentials: gitCredentials },
  'GET /threads/t/git-credentials': { credentials: threadGitCredentials },
  'GET /threads/t/links': { links: data.threadLinks },
  'POST /shared-threads/look': data.sharedThread,
  'GET /people': { people: team.people },
  'GET /invites': { invites: team.invites },
  'POST /invites': team.createdInvite,
  'POST /auth/link': team.link,
  'GET /quotas': { quotas: team.quotas, requests: [] },
  'GET /people/u3/quotas': team.personQuotas,
  'GET /quota-requests': { requests: team.quotaRequests },
  'GET /quota-presets': { presets: team.quotaPresets },
  'GET /usage': team.usage,
  'GET /machine': machineExamples.machine,
  'GET /machine/history': machineExamples.history,
  'GET /machine/backups': machineExamples.backups,
  'GET /models': { models: data.models },
  'GET /models/discovered': { models: [] },
  'GET /settings': data.settings,
  'GET /api-keys': { apiKeys: data.apiKeys },
  'GET /auth/sessions': { sessions: data.sessions },
  'GET /passkeys': { passkeys: team.passkeys },
  'GET /sign-in-providers': { providers: team.signInProviders },
  'GET /auth/providers': { providers: team.signInProviders.map(({ id, name }) => ({ id, name })), problem: null },
  'GET /auth/identities': { identities: team.identities, hasPassword: true },
  'GET /search': { hits: [] },
  'GET /audit': { events: [], next: null },
}

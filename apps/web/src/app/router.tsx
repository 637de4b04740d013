import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import type { ThreadboxClient } from '@threadbox/sdk'
import { requireSession } from '../page/client/session.ts'
import { ErrorPage } from '../page/parts/error-page.tsx'
import { NotFoundPage } from '../page/parts/not-found-page.tsx'
import { AppShell } from './app-shell.tsx'

export type RouterContext = { client: ThreadboxClient; queryClient: QueryClient }

const rootRoute = createRootRouteWithContext<RouterContext>()({ component: Outlet })

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  /** `return`: the page to open after it. `expired`: the session ended while the app was open. `problem`: a provider’s refusal. */
  validateSearch: (search: Record<string, unknown>): { return?: string; expired?: boolean; problem?: string } => ({
    ...(typeof search.return === 'string' ? { return: search.return } : {}),
    ...(search.expired === true ? { expired: true } : {}),
    ...(typeof search.problem === 'string' ? { problem: search.problem } : {}),
  }),
  component: lazyRouteComponent(() => import('../people/auth/components/login-page.tsx'), 'LoginPage'),
})

const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/setup',
  /** `token`: the one-time secret of the sign-up link. */
  validateSearch: (search: Record<string, unknown>): { token?: string } =>
    typeof search.token === 'string' ? { token: search.token } : {},
  component: lazyRouteComponent(() => import('../people/auth/components/setup-page.tsx'), 'SetupPage'),
})

const joinRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/join',
  component: lazyRouteComponent(() => import('../people/auth/components/join-page.tsx'), 'JoinPage'),
})

const resetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset',
  component: lazyRouteComponent(() => import('../people/auth/components/join-page.tsx'), 'ResetPage'),
})

const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'app',
  beforeLoad: ({ context, location }) => requireSession(context, location),
  component: AppShell,
})

const homeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/threads/new' })
  },
})

const newThreadRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/threads/new',
  /** `workspace`: the workspace of the new thread. */
  validateSearch: (search: Record<string, unknown>): { workspace?: string } =>
    typeof search.workspace === 'string' ? { workspace: search.workspace } : {},
  component: lazyRouteComponent(
    () => import('../threads/conversation/components/new-thread-page.tsx'),
    'NewThreadPage',
  ),
})

const threadRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/threads/$threadId',
  /** `entry`: the entry of a search hit. */
  validateSearch: (search: Record<string, unknown>): { entry?: string } =>
    typeof search.entry === 'string' ? { entry: search.entry } : {},
  component: lazyRouteComponent(() => import('../threads/conversation/components/thread-page.tsx'), 'ThreadPage'),
})

const agentsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/agents',
  component: lazyRouteComponent(() => import('../threads/agents/components/agents-page.tsx'), 'AgentsPage'),
})

const agentDraftRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/agent-drafts/$draftId',
  component: lazyRouteComponent(() => import('../threads/agents/components/agent-draft-page.tsx'), 'AgentDraftPage'),
})

const runsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/agents/$agentId/runs',
  component: lazyRouteComponent(() => import('../threads/runs/components/runs-page.tsx'), 'RunsPage'),
})

const settingsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings',
  beforeLoad: () => {
    throw redirect({ to: '/settings/$section', params: { section: 'you' } })
  },
})

const settingsSectionRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings/$section',
  component: lazyRouteComponent(() => import('./settings/components/settings-page.tsx'), 'SettingsPage'),
})

const connectionLoginRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/connections/login',
  component: lazyRouteComponent(
    () => import('../people/connections/components/login-return-page.tsx'),
    'LoginReturnPage',
  ),
})

const copyRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/copy/$secret',
  component: lazyRouteComponent(() => import('../threads/sharing/components/copy-page.tsx'), 'CopyPage'),
})

const routeTree = rootRoute.addChildren([
  loginRoute,
  setupRoute,
  joinRoute,
  resetRoute,
  appRoute.addChildren([
    homeRoute,
    newThreadRoute,
    threadRoute,
    agentsRoute,
    agentDraftRoute,
    runsRoute,
    settingsRoute,
    settingsSectionRoute,
    connectionLoginRoute,
    copyRoute,
  ]),
])

export function makeRouter(context: RouterContext) {
  return createRouter({
    routeTree,
    context,
    defaultPreload: 'intent',
    scrollRestoration: false,
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}

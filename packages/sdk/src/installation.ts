import type {
  ApiKey,
  AuditEvent,
  ChangePassword,
  ClearedCookies,
  Confirm,
  ConnectModel,
  CreateApiKey,
  CreatedApiKey,
  DiscoveredModel,
  Me,
  ModelConnection,
  ModelTest,
  RestoreCookies,
  Session,
  Settings,
  SetupState,
  SignIn,
  SignUp,
  Status,
  UpdateMe,
  UpdateModel,
  UpdateSettings,
} from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** The account: first sign-up, sign-in, sessions, API keys. */
export function accountCalls(connection: Connection) {
  return {
    setup: (signal?: AbortSignal) => connection.json<SetupState>('GET', '/setup', { signal }),
    signUp: (request: SignUp) => connection.json<Me>('POST', '/auth/sign-up', { json: request }),
    signIn: (request: SignIn) => connection.json<Me>('POST', '/auth/sign-in', { json: request }),
    signOut: () => connection.json<void>('POST', '/auth/sign-out'),
    me: (signal?: AbortSignal) => connection.json<Me>('GET', '/me', { signal }),
    update: (request: UpdateMe) => connection.json<Me>('PATCH', '/me', { json: request }),
    /** Confirms with the password or a passkey. Requests that fail with `auth.confirmation-required` then work for 10 minutes. */
    confirm: (request: Confirm) => connection.json<void>('POST', '/auth/confirm', { json: request }),
    /** Ends all other sessions of the user. */
    changePassword: (request: ChangePassword) => connection.json<void>('POST', '/auth/password', { json: request }),
    /**
     * Makes the browser remove all cookies of the site, also those that pages of previews left. Call `restoreCookies`
     * with the token within a minute: without it the browser is signed out.
     */
    clearCookies: () => connection.json<ClearedCookies>('POST', '/auth/cookies/clear'),
    restoreCookies: (request: RestoreCookies) =>
      connection.json<void>('POST', '/auth/cookies/restore', { json: request }),
    sessions: () => connection.json<{ sessions: Session[] }>('GET', '/auth/sessions'),
    endSession: (sessionId: string) =>
      connection.json<void>('DELETE', `/auth/sessions/${encodeURIComponent(sessionId)}`),
    apiKeys: () => connection.json<{ apiKeys: ApiKey[] }>('GET', '/api-keys'),
    /** The response contains the secret, which is never shown again. */
    createApiKey: (request: CreateApiKey) => connection.json<CreatedApiKey>('POST', '/api-keys', { json: request }),
    deleteApiKey: (apiKeyId: string) => connection.json<void>('DELETE', `/api-keys/${encodeURIComponent(apiKeyId)}`),
  }
}

/** Connected models, and models that could be connected. */
export function modelCalls(connection: Connection) {
  const at = (modelId: string, rest = '') => `/models/${encodeURIComponent(modelId)}${rest}`
  return {
    list: (signal?: AbortSignal) => connection.json<{ models: ModelConnection[] }>('GET', '/models', { signal }),
    connect: (request: ConnectModel) => connection.json<ModelConnection>('POST', '/models', { json: request }),
    update: (modelId: string, request: UpdateModel) =>
      connection.json<ModelConnection>('PATCH', at(modelId), { json: request }),
    delete: (modelId: string) => connection.json<void>('DELETE', at(modelId)),
    /** Tests a model with one real call. */
    test: (modelId: string) => connection.json<ModelTest>('POST', at(modelId, '/test')),
    discover: (signal?: AbortSignal) =>
      connection.json<{ models: DiscoveredModel[] }>('GET', '/models/discovered', { signal }),
  }
}

/** The installation itself. */
export function installationCalls(connection: Connection) {
  return {
    status: (signal?: AbortSignal) => connection.json<Status>('GET', '/status', { signal }),
    /** Gets the status after running the host’s checks again, which takes a moment. */
    statusWithChecks: (signal?: AbortSignal) =>
      connection.json<Status>('GET', '/status', { query: { checks: true }, signal }),
    settings: (signal?: AbortSignal) => connection.json<Settings>('GET', '/settings', { signal }),
    updateSettings: (request: UpdateSettings) => connection.json<Settings>('PATCH', '/settings', { json: request }),
    audit: (options: { cursor?: string; limit?: number } = {}) =>
      connection.json<{ events: AuditEvent[]; next: string | null }>('GET', '/audit', { query: options }),
  }
}

/** Every cached answer of the API has its key here, so that who changes something knows what to refresh. */
export const queryKeys = {
  setup: ['setup'],
  me: ['me'],
  threads: ['threads'],
  thread: (threadId: string) => ['thread', threadId],
  sandbox: (threadId: string) => ['sandbox', threadId],
  report: (threadId: string, reportId: string) => ['report', threadId, reportId],
  models: ['models'],
  discoveredModels: ['models', 'discovered'],
  status: ['status'],
  settings: ['settings'],
  apiKeys: ['api-keys'],
  sessions: ['sessions'],
  audit: ['audit'],
  search: (query: string) => ['search', query],
} as const

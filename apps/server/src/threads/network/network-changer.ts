import type { ApiContext, Authorize } from '../../platform/http/api.ts'

/** The sender of a request that changes a policy. */
export type NetworkChanger = { userId: string; authorize: Authorize }

export function changerOf(context: Pick<ApiContext, 'get'>): NetworkChanger {
  return { userId: context.get('caller').userId, authorize: context.get('authorize') }
}

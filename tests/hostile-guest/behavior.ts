import type { Rule, Script } from './script.ts'
import type { UseName } from './uses.ts'

/** One way in which a guest misbehaves, and what a person who then uses the thread gets. */
export type Behavior = {
  name: string
  use: UseName
  /** What the person gets to know: `ok`, the status of a call, the code of an error; any of them. */
  gets: readonly string[]
  rules: Rule[]
  /** What the server follows all the time begins again, and gets to the guest before the use. */
  isFollowed?: boolean
  /** Leaves something that waits: the thread is used no more, and deleted while its guest misbehaves. */
  isLast?: boolean
  connect?: NonNullable<Script['connect']>
}

/** The client has left: nothing limits how long this may take. */
export const waited = 'waited'

export const rule = (requests: string, steps: Rule['steps']): Rule => ({ requests, steps })

const service = (name: string) => (method: string) => `POST /${name}/${method}$`
export const runsCall = service('threadbox\\.guest\\.v1\\.Runs')
export const processCall = service('process\\.Process')
export const filesCall = service('filesystem\\.Filesystem')
export const terminalsCall = service('threadbox\\.guest\\.v1\\.Terminals')
export const servicesCall = service('threadbox\\.guest\\.v1\\.Services')

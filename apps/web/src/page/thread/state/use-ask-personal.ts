import type { PersonalNames } from '@threadbox/sdk'
import { useClient } from '../../client/client.ts'
import { openLayer } from '../../client/layers.ts'
import { useErrorToast } from '../../parts/use-error-toast.ts'

export function hasNames({ secrets, gitCredentials, connections }: PersonalNames): boolean {
  return secrets.length + gitCredentials.length + connections.length > 0
}

/** Before others can work in a thread: a dialog names what of one’s own stops working there. Without any, none opens. */
export function useAskPersonal(): (threadId: string, proceed: () => void) => void {
  const client = useClient()
  const showError = useErrorToast()
  return (threadId, proceed) => {
    client.leaving.personalUses(threadId).then((names) => {
      if (hasNames(names)) openLayer({ kind: 'personal', names, proceed })
      else proceed()
    }, showError)
  }
}
